#include <memory>
#include <utility>
#include <vector>

#include "connectors/cli/commands/commands.h"
#include "connectors/cli/program.h"
#include "connectors/simulate/commands.h"

int main(int argc, char** argv) {
  std::vector<std::unique_ptr<qmarket::Command>> commands;
  commands.push_back(qmarket::NewDemoCommand());
  commands.push_back(qmarket::NewSimulateCommand());
  commands.push_back(qmarket::NewRunCommand());
  commands.push_back(qmarket::NewAppendCommand());
  commands.push_back(qmarket::NewTopicsCommand());
  commands.push_back(qmarket::NewClearCommand());
  commands.push_back(qmarket::NewReplayCommand());
  commands.push_back(qmarket::NewBalanceCommand());
  commands.push_back(qmarket::NewPricesCommand());
  commands.push_back(qmarket::NewAllocationsCommand());
  commands.push_back(qmarket::NewBidsCommand());
  commands.push_back(qmarket::NewExplainCommand());
  commands.push_back(qmarket::NewTransfersCommand());
  commands.push_back(qmarket::NewTeamsCommand());
  commands.push_back(qmarket::NewPoolsCommand());
  commands.push_back(qmarket::NewSupplyCommand());
  commands.push_back(qmarket::NewEventsCommand());
  commands.push_back(qmarket::NewOutcomesCommand());
  commands.push_back(qmarket::NewAuditCommand());
  return qmarket::RunProgram(argc, argv, std::move(commands));
}
