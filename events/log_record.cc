#include "events/log_record.h"

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "events/big_endian.h"
#include "events/fingerprint.h"

namespace qmarket {
namespace {

constexpr std::size_t kTimeBytes = 8;
constexpr std::size_t kChecksumBytes = kLogHeaderBytes - kTimeBytes;

std::array<char, kChecksumBytes> Checksum(absl::string_view key, absl::string_view time,
                                          absl::string_view bytes) {
  std::array<char, kLogKeyBytes + kTimeBytes> head;
  std::copy(time.begin(), time.end(), std::copy(key.begin(), key.end(), head.begin()));
  const Digest digest = Sha256({absl::string_view(head.data(), head.size()), bytes});
  std::array<char, kChecksumBytes> checksum;
  std::memcpy(checksum.data(), digest.data(), checksum.size());
  return checksum;
}

}  // namespace

std::array<char, kLogHeaderBytes> LogValueHeader(std::uint64_t offset, std::int64_t append_time_ms,
                                                 absl::string_view bytes) {
  const BigEndian key = ToBigEndian(offset);
  const BigEndian time = ToBigEndian(static_cast<std::uint64_t>(append_time_ms));
  const auto checksum = Checksum({key.data(), key.size()}, {time.data(), time.size()}, bytes);
  std::array<char, kLogHeaderBytes> header;
  std::copy(time.begin(), time.end(), header.begin());
  std::copy(checksum.begin(), checksum.end(), header.begin() + kTimeBytes);
  return header;
}

absl::StatusOr<LogRecord> ParseLogRecord(absl::string_view key, absl::string_view value) {
  if (key.size() != kLogKeyBytes) {
    return absl::DataLossError(
        absl::StrCat("a key of the log is no offset: ", absl::BytesToHexString(key)));
  }
  LogRecord record;
  record.offset = FromBigEndian(key);
  if (value.size() < kLogHeaderBytes) {
    return absl::DataLossError(absl::StrCat("the record at offset ", record.offset,
                                            " is damaged: it is cut to ", value.size(), " bytes"));
  }
  const absl::string_view time = value.substr(0, kTimeBytes);
  const absl::string_view bytes = value.substr(kLogHeaderBytes);
  const auto checksum = Checksum(key, time, bytes);
  if (value.substr(kTimeBytes, kChecksumBytes) !=
      absl::string_view(checksum.data(), checksum.size())) {
    return absl::DataLossError(
        absl::StrCat("the record at offset ", record.offset, " is damaged: its checksum is wrong"));
  }
  record.append_time_ms = static_cast<std::int64_t>(FromBigEndian(time));
  record.bytes.assign(bytes.data(), bytes.size());
  return record;
}

}  // namespace qmarket
