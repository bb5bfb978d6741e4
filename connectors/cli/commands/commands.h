// The commands of this folder.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_COMMANDS_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_COMMANDS_H_

#include <memory>

#include "connectors/cli/command.h"

namespace qmarket {

[[nodiscard]] std::unique_ptr<Command> NewAllocationsCommand();
[[nodiscard]] std::unique_ptr<Command> NewAppendCommand();
[[nodiscard]] std::unique_ptr<Command> NewAuditCommand();
[[nodiscard]] std::unique_ptr<Command> NewAuditVerifyCommand();
[[nodiscard]] std::unique_ptr<Command> NewAuditExportCommand();
[[nodiscard]] std::unique_ptr<Command> NewAuditStatementCommand();
[[nodiscard]] std::unique_ptr<Command> NewBalanceCommand();
[[nodiscard]] std::unique_ptr<Command> NewBidsCommand();
[[nodiscard]] std::unique_ptr<Command> NewClearCommand();
[[nodiscard]] std::unique_ptr<Command> NewEventsCommand();
[[nodiscard]] std::unique_ptr<Command> NewExplainCommand();
[[nodiscard]] std::unique_ptr<Command> NewOutcomesCommand();
[[nodiscard]] std::unique_ptr<Command> NewPoolsCommand();
[[nodiscard]] std::unique_ptr<Command> NewPricesCommand();
[[nodiscard]] std::unique_ptr<Command> NewReplayCommand();
[[nodiscard]] std::unique_ptr<Command> NewRunCommand();
[[nodiscard]] std::unique_ptr<Command> NewSupplyCommand();
[[nodiscard]] std::unique_ptr<Command> NewTeamsCommand();
[[nodiscard]] std::unique_ptr<Command> NewTopicsCommand();
[[nodiscard]] std::unique_ptr<Command> NewTransfersCommand();

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_COMMANDS_H_
