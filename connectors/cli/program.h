// The program around the commands: reads the arguments, runs one command, gives the exit status.
#ifndef QMARKET_CONNECTORS_CLI_PROGRAM_H_
#define QMARKET_CONNECTORS_CLI_PROGRAM_H_

#include <memory>
#include <vector>

#include "connectors/cli/command.h"

namespace qmarket {

// Runs the command that `argv` names. Prints errors to stderr. Returns the exit status of the
// process; where standard output was closed by its reader, ends the process by SIGPIPE.
int RunProgram(int argc, const char* const* argv, std::vector<std::unique_ptr<Command>> commands);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_PROGRAM_H_
