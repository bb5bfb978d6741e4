// What the store's index and outcomes say of a thing: at a moment, or over a stretch of time.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_HISTORY_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_HISTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/commands/query.h"
#include "events/outcome.h"
#include "matcher/process/outcome_index.h"

namespace qmarket {

// Gives every outcome of a stretch of offsets (from <= to) to `take`, until that returns false.
// Errors: those of the store; DataLoss, with the offset, where outcomes cannot be read.
[[nodiscard]] absl::Status ForEachOutcome(
    const LedgerStore& store, OffsetRange range,
    absl::FunctionRef<bool(std::uint64_t offset, const Outcome&)> take);

// The same for the query's range.
[[nodiscard]] absl::Status ForEachOutcome(
    const Query& query, absl::FunctionRef<bool(std::uint64_t offset, const Outcome&)> take);

// The same for those about one thing alone, found by the index.
[[nodiscard]] absl::Status ForEachOutcomeAbout(
    const Query& query, IndexKind kind, absl::string_view name,
    absl::FunctionRef<bool(std::uint64_t offset, const Outcome&)> take);

// The last outcomes about a thing at or before the query's moment, and their offset.
struct LastOutcomes {
  std::uint64_t offset = 0;
  std::vector<Outcome> outcomes;  // empty: there are none
};

[[nodiscard]] absl::StatusOr<LastOutcomes> LastOutcomesAbout(const Query& query, IndexKind kind,
                                                             absl::string_view name);

// The last ones before the query's stretch of time, which begins at `from_ms`: what was in force
// when it began. Empty where the stretch has others of that very time.
[[nodiscard]] absl::StatusOr<LastOutcomes> OpeningOutcomesAbout(const Query& query,
                                                                std::int64_t from_ms,
                                                                IndexKind kind,
                                                                absl::string_view name);

// The names of all things of a kind, at any moment.
[[nodiscard]] absl::StatusOr<std::vector<std::string>> NamesOf(const Query& query, IndexKind kind);

// NotFound, with the names that are near, where no resource of that name was ever cleared.
[[nodiscard]] absl::Status CheckResource(const Query& query, const std::string& name);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_HISTORY_H_
