// The JSON form of a market snapshot and of what clearing it gives (`qmarket clear`).
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_SNAPSHOT_JSON_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_SNAPSHOT_JSON_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/json_writer.h"
#include "matcher/core/snapshot.h"

namespace qmarket {

// The snapshot of a JSON document, all of the contract's rules checked. An error names the path in
// the document, the value there and what was expected.
[[nodiscard]] absl::StatusOr<Snapshot> ParseSnapshot(absl::string_view json);

void WriteCleared(const ClearedSnapshot& cleared, JsonWriter& json);

// "price", "marginal" or "unpaid"; null for nothing.
[[nodiscard]] const char* FilledAsName(FilledAs filled_as);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_SNAPSHOT_JSON_H_
