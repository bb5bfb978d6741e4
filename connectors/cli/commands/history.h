// The outcomes of a stretch of time, one after the other.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_HISTORY_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_HISTORY_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

#include "connectors/cli/commands/query.h"
#include "events/outcome.h"

namespace qmarket {

// Gives every outcome of the query's range to `take`, until that returns false. Errors: those of
// the store; DataLoss, with the offset, where outcomes cannot be read.
[[nodiscard]] absl::Status ForEachOutcome(
    const Query& query, absl::FunctionRef<bool(std::uint64_t offset, const Outcome&)> take);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_HISTORY_H_
