// `qmarket audit export --as focus`: what each team was charged and used, in the columns of FOCUS.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_EXPORT_FOCUS_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_EXPORT_FOCUS_H_

#include <string>

#include "absl/status/status.h"

#include "connectors/books/rates.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/export_books.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/output.h"

namespace qmarket {

struct FocusOptions {
  ChargebackRates rates;
  std::string billing_currency;
  bool validator_columns = false;  // focus.h
};

// Errors: those of ExportBooks; NotFound and UsageError where the rates do not fit the pools.
[[nodiscard]] absl::Status ExportFocus(Query& query, const ExportOptions& options,
                                       const FocusOptions& focus, const AccountList& accounts,
                                       Output& out);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_EXPORT_FOCUS_H_
