// The commands of this folder: `qmarket simulate` and `qmarket demo`.
#ifndef QMARKET_CONNECTORS_SIMULATE_COMMANDS_H_
#define QMARKET_CONNECTORS_SIMULATE_COMMANDS_H_

#include <memory>

#include "connectors/cli/command.h"

namespace qmarket {

[[nodiscard]] std::unique_ptr<Command> NewSimulateCommand();
[[nodiscard]] std::unique_ptr<Command> NewDemoCommand();

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_COMMANDS_H_
