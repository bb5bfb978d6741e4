#include "matcher/process/checkpoint_format.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

#include "events/big_endian.h"
#include "matcher/core/image.h"
#include "matcher/core/image_archive.h"

namespace qmarket {

// Found by their arguments; the elements are those of image_archive.h.
template <typename Archive>
void Fields(Archive& archive, Like<RejectedEvent> auto& v) {
  archive(v.event_id, v.offset, v.code);
}

template <typename Archive>
void Fields(Archive& archive, Like<PreemptedBid> auto& v) {
  archive(v.bid, v.offset, v.reason);
}

namespace checkpoint_format {

// What tells whether a state is wanted stands in front.
template <typename Archive>
void HeadFields(Archive& archive, Like<StateFile> auto& v) {
  archive(v.log_identity, v.rules_version, v.next_offset, v.last_offset, v.last_record_hash,
          v.digest, v.events, v.time_ms);
}

template <typename Archive>
void Fields(Archive& archive, Like<StateFile> auto& v) {
  HeadFields(archive, v);
  archive(v.past_hash, v.present);
}

template <typename Archive>
void Fields(Archive& archive, Like<PastFile> auto& v) {
  archive(v.log_identity, v.next_offset, v.previous, v.previous_hash, v.rejected, v.preempted,
          v.market);
}

namespace {

constexpr absl::string_view kStateMagic = "QMCS";
constexpr absl::string_view kPastMagic = "QMCP";
constexpr absl::string_view kStatePrefix = "state-";
constexpr std::size_t kNameDigits = 20;
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kHashBytes = sizeof(Digest);
constexpr std::size_t kHeadBytes = 4 + 2 * kNumberBytes;  // magic, format, image
static_assert(kLeastFileBytes == kHeadBytes + kHashBytes);

void AppendNumber(std::string& out, std::uint64_t value) {
  const BigEndian bytes = ToBigEndian(value);
  out.append(bytes.data(), bytes.size());
}

template <typename File>
std::string EncodeFile(absl::string_view magic, const File& file) {
  ImageWriter archive;
  archive(file);
  std::string bytes(magic);
  AppendNumber(bytes, kFormatVersion);
  AppendNumber(bytes, kImageVersion);
  bytes += archive.Take();
  const Digest hash = Sha256({bytes});
  bytes.append(hash.begin(), hash.end());
  return bytes;
}

absl::Status CheckVersion(absl::string_view what, std::uint64_t version, std::uint64_t known) {
  if (version == known) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("its ", what, " has version ", version,
                                               ", and this program knows version ", known));
}

template <typename File>
absl::StatusOr<File> DecodeFile(absl::string_view magic, absl::string_view bytes) {
  if (bytes.size() < kHeadBytes + kHashBytes || bytes.substr(0, magic.size()) != magic) {
    return absl::DataLossError("it is no such file, or cut");
  }
  const absl::string_view body = bytes.substr(0, bytes.size() - kHashBytes);
  if (Sha256({body}) != HashOf(bytes)) {
    return absl::DataLossError("it is damaged: its checksum is wrong");
  }
  const absl::string_view numbers = bytes.substr(magic.size());
  for (const absl::Status& status :
       {CheckVersion("format", FromBigEndian(numbers), kFormatVersion),
        CheckVersion("image", FromBigEndian(numbers.substr(kNumberBytes)), kImageVersion)}) {
    if (!status.ok()) return status;
  }
  ImageReader archive(body.substr(kHeadBytes));
  File file;
  archive(file);
  if (!archive.finished()) return absl::DataLossError("its fields cannot be read");
  return file;
}

}  // namespace

bool HasMagic(absl::string_view bytes) {
  return absl::StartsWith(bytes, kStateMagic) || absl::StartsWith(bytes, kPastMagic);
}

std::optional<std::int64_t> PeekTime(absl::string_view front) {
  if (front.size() < kHeadBytes) return std::nullopt;
  ImageReader archive(front.substr(kHeadBytes));
  StateFile file;
  HeadFields(archive, file);
  return archive.ok() ? file.time_ms : std::nullopt;
}

std::string StateFileName(std::uint64_t next_offset) {
  return absl::StrFormat("state-%020d", next_offset);
}

std::string PastFileName(std::uint64_t next_offset) {
  return absl::StrFormat("past-%020d", next_offset);
}

std::optional<std::uint64_t> ParseStateFileName(absl::string_view name) {
  std::uint64_t next_offset = 0;
  if (!absl::ConsumePrefix(&name, kStatePrefix) || name.size() != kNameDigits) return std::nullopt;
  if (!std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  if (!absl::SimpleAtoi(name, &next_offset)) return std::nullopt;
  return next_offset;
}

std::string Encode(const StateFile& file) {
  return EncodeFile(kStateMagic, file);
}

std::string Encode(const PastFile& file) {
  return EncodeFile(kPastMagic, file);
}

Digest HashOf(absl::string_view file) {
  Digest hash{};
  const absl::string_view end = file.substr(file.size() - std::min(file.size(), hash.size()));
  std::copy(end.begin(), end.end(), hash.begin());
  return hash;
}

absl::StatusOr<StateFile> DecodeState(absl::string_view bytes) {
  return DecodeFile<StateFile>(kStateMagic, bytes);
}

absl::StatusOr<PastFile> DecodePast(absl::string_view bytes) {
  return DecodeFile<PastFile>(kPastMagic, bytes);
}

}  // namespace checkpoint_format
}  // namespace qmarket
