#include "connectors/cli/commands/checkpoints.h"

#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"

#include "matcher/process/data_dir.h"
#include <CLI/CLI.hpp>

namespace qmarket {

void AddCheckpointOption(CLI::App& app, bool& no_checkpoints) {
  app.add_flag("--no-checkpoints", no_checkpoints,
               "Rebuild from the log alone: the same answer, slower");
}

std::string CheckpointsOf(const LogOptions& options, const std::string& data_dir,
                          bool no_checkpoints) {
  return no_checkpoints ? "" : CheckpointsDir(MarketDir(data_dir, options.market));
}

void SayOrigin(const RebuildOrigin& origin) {
  for (const std::string& skipped : origin.skipped)
    std::cerr << absl::StrCat("qmarket: passed over: ", skipped, "\n");
  std::cerr << absl::StrCat("qmarket: rebuilt ", DescribeOrigin(origin), "\n");
}

}  // namespace qmarket
