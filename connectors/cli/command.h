// What a command of the program is.
//
//   class ClearCommand : public Command {
//     CommandText text() const override { return {.name = "clear", ...}; }
//     void AddOptions(CLI::App& app) override { app.add_option("FILE", file_, "...")->required(); }
//     absl::Status Run(Output& out) override { ... }
//   };
//   std::unique_ptr<Command> NewClearCommand();
//
// main.cc lists all of them. Options that mean the same everywhere are added by options.h. Logs,
// progress and errors go to stderr; `out` is for data alone. main() prints the message of the
// returned status and turns it into the exit status (exit_status.h).
#ifndef QMARKET_CONNECTORS_CLI_COMMAND_H_
#define QMARKET_CONNECTORS_CLI_COMMAND_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "connectors/cli/output.h"
#include <CLI/CLI.hpp>

namespace qmarket {

struct CommandText {
  std::string name;         // the word after `qmarket`
  std::string group;        // the heading it stands under in `qmarket --help`
  std::string summary;      // one line, without a full stop
  std::string explanation;  // one paragraph
  std::string example;      // one or more command lines
};

inline constexpr char kMarketGroup[] = "The market";
inline constexpr char kQueryGroup[] = "Questions";
inline constexpr char kAuditGroup[] = "Audit";

class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  [[nodiscard]] virtual CommandText text() const = 0;

  // The commands that this one is only the heading of, as `audit` is of `audit verify`. Where there
  // are some, neither AddOptions nor Run is called.
  [[nodiscard]] virtual absl::Span<const std::unique_ptr<Command>> parts() const { return {}; }

  // Binds the command's options to its own members, which live as long as `app` is used.
  virtual void AddOptions(CLI::App& app) = 0;

  // Called once, after the options were read.
  [[nodiscard]] virtual absl::Status Run(Output& out) = 0;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMAND_H_
