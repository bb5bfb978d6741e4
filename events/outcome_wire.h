// Outcomes for others: the FlatBuffers records of outcomes.fbs (identifier QMOC), and JSON.
//
// Records come from anyone: DecodeOutcomeRecord verifies before it reads, and no input makes it
// crash. Functions without state; use them from any thread.
#ifndef QMARKET_EVENTS_OUTCOME_WIRE_H_
#define QMARKET_EVENTS_OUTCOME_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/outcome.h"

namespace qmarket {

// A record larger than this is refused.
inline constexpr std::size_t kMaxOutcomeBytes = 16 << 20;

// One outcome and where it belongs.
struct OutcomeRecord {
  std::uint64_t offset = 0;  // of the input that caused it
  std::uint32_t index = 0;   // its place under that offset, from 0
  Outcome outcome;

  friend bool operator==(const OutcomeRecord&, const OutcomeRecord&) = default;
};

[[nodiscard]] std::string EncodeOutcomeRecord(std::uint64_t offset, std::uint32_t index,
                                              const Outcome& outcome);

// Errors (InvalidArgument): no verified outcome, or one from a newer schema.
absl::StatusOr<OutcomeRecord> DecodeOutcomeRecord(absl::string_view bytes);

// One line, as `flatc --json --strict-json` gives for the record. An EventRejected repeats its
// offset inside, for readers that look at the payload alone.
[[nodiscard]] std::string OutcomeToJson(std::uint64_t offset, std::uint32_t index,
                                        const Outcome& outcome);

// "MarketCleared", the contract's name of its type.
[[nodiscard]] absl::string_view OutcomeTypeName(const Outcome& outcome);

// The key of the record in a broker: the team, else the resource, that it is about; of a
// CreditsPosted the team it is charged to or paid to; else empty.
[[nodiscard]] std::string OutcomeKey(const Outcome& outcome);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_OUTCOME_WIRE_H_
