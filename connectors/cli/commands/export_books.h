// `qmarket audit export` for accounting programs: the journal of the ledger, as one of them reads
// it.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_EXPORT_BOOKS_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_EXPORT_BOOKS_H_

#include <string>

#include "absl/status/status.h"

#include "connectors/books/writer.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/output.h"

namespace qmarket {

struct ExportOptions {
  QueryOptions query{};
  std::string until{};  // --until, as given; query.to is set to what it means
  std::string team{};   // empty: all
  std::string pool{};   // empty: all
  std::string out_dir = "-";
};

// `query` is opened with the options, and team and pool are known to it. Errors: those of the log,
// the store and the folder.
[[nodiscard]] absl::Status ExportBooks(Query& query, const ExportOptions& options,
                                       BookFormat format, Output& out);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_EXPORT_BOOKS_H_
