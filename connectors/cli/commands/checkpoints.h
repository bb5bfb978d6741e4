// What commands that rebuild a state from the log have in common: the checkpoints of the data
// folder, and a word on stderr about what the state was made from.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_CHECKPOINTS_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_CHECKPOINTS_H_

#include <string>

#include "connectors/cli/options.h"
#include "replay/from_log.h"

namespace qmarket {

// --no-checkpoints
void AddCheckpointOption(CLI::App& app, bool& no_checkpoints);

// Where the checkpoints of the market lie; empty where none are wanted.
[[nodiscard]] std::string CheckpointsOf(const LogOptions& options, const std::string& data_dir,
                                        bool no_checkpoints);

// On stderr: what the state was made from, and which checkpoints were of no use.
void SayOrigin(const RebuildOrigin& origin);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_CHECKPOINTS_H_
