// What `events` and `outcomes` have in common: a stretch of offsets, printed as it comes, in
// bounded memory, and what follows it with --follow.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_STREAM_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_STREAM_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/output.h"
#include "ledger/store/store.h"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}  // namespace CLI

namespace qmarket {

// As text until ReadStreamRange reads them.
struct StreamOptions {
  std::string from_offset{};
  std::string to_offset{};
  bool follow = false;
  Format format = Format::kTable;
};

// --from-offset, --to-offset, --follow, --format.
void AddStreamOptions(CLI::App& app, StreamOptions& options);

// UsageError where an offset is no number, the first one is above the last one, or a table is to be
// followed: it is printed at its end.
[[nodiscard]] absl::StatusOr<OffsetRange> ReadStreamRange(const StreamOptions& options);

// The payload of an event or an outcome, given as its JSON: as JSON for programs, and as
// "bid=a team=vision chips=8" for people.
[[nodiscard]] std::string PayloadText(const std::string& json, Format format);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_STREAM_H_
