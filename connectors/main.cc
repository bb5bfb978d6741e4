#include <memory>
#include <vector>

#include "connectors/cli/program.h"

int main(int argc, char** argv) {
  std::vector<std::unique_ptr<qmarket::Command>> commands;
  return qmarket::RunProgram(argc, argv, std::move(commands));
}
