// The bytes of a checkpoint's files, in one place. Described for people in
// docs/formats-checkpoint.md; change the two together and raise the version.
//
// A checkpoint at a next offset n is the file `state-n`, and one or more files `past-m`, m <= n,
// each with what was added for good since the one before it (image.h). A state names the past piece
// that ends where it does, a piece the one before it, by the SHA-256 that ends every file: so
// pieces of another history are noticed. States can be deleted one by one.
#ifndef QMARKET_MATCHER_PROCESS_CHECKPOINT_FORMAT_H_
#define QMARKET_MATCHER_PROCESS_CHECKPOINT_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/fingerprint.h"
#include "matcher/process/replica.h"

namespace qmarket::checkpoint_format {

// Goes up with every change but those of the image, which has its own version.
inline constexpr std::uint32_t kFormatVersion = 1;

// `state-00000000000000001234`
[[nodiscard]] std::string StateFileName(std::uint64_t next_offset);
[[nodiscard]] std::string PastFileName(std::uint64_t next_offset);

// The next offset in the name of a state; none where it is no name of one.
[[nodiscard]] std::optional<std::uint64_t> ParseStateFileName(absl::string_view name);

// No file is shorter.
inline constexpr std::size_t kLeastFileBytes = 52;

// Whether the bytes begin as a file of either kind does.
[[nodiscard]] bool HasMagic(absl::string_view bytes);

struct StateFile {
  std::string log_identity;
  std::uint32_t rules_version = 0;
  std::uint64_t next_offset = 0;
  std::optional<std::uint64_t> last_offset;  // of the last record applied
  Digest last_record_hash{};                 // of that record
  Digest digest{};                           // of the outcome chain
  std::uint64_t events = 0;                  // applied so far
  std::optional<std::int64_t> time_ms;       // effective, of the last event that took effect
  Digest past_hash{};                        // of the piece that ends at next_offset
  std::string present;                       // Market::PresentImage
};

struct PastFile {
  std::string log_identity;
  std::uint64_t next_offset = 0;        // where it ends
  std::uint64_t previous = 0;           // where the piece before it ends; 0: there is none
  Digest previous_hash{};               // of that piece
  std::vector<RejectedEvent> rejected;  // since then
  std::vector<PreemptedBid> preempted;  // since then
  std::string market;                   // Market::PastImage
};

// The bytes of a file; they end with the hash that others name it by.
[[nodiscard]] std::string Encode(const StateFile& file);
[[nodiscard]] std::string Encode(const PastFile& file);
[[nodiscard]] Digest HashOf(absl::string_view file);

// The time of a state whose file begins with `front`, kPeekBytes of it or all: a hint, as nothing
// is checked, not even the version. None where it has none, or cannot be read.
inline constexpr std::size_t kPeekBytes = 4096;
[[nodiscard]] std::optional<std::int64_t> PeekTime(absl::string_view front);

// Errors: DataLoss, the bytes are damaged; Unimplemented, they are of another version.
absl::StatusOr<StateFile> DecodeState(absl::string_view bytes);
absl::StatusOr<PastFile> DecodePast(absl::string_view bytes);

}  // namespace qmarket::checkpoint_format

#endif  // QMARKET_MATCHER_PROCESS_CHECKPOINT_FORMAT_H_
