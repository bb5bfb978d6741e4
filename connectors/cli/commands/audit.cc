#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"

namespace qmarket {
namespace {

class AuditCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "audit",
            .group = kAuditGroup,
            .summary = "Check the books, export them, sign them",
            .explanation =
                "What an auditor comes for. Every part reads a data folder and changes nothing in "
                "it; it can be done beside a running matcher.",
            .example = "qmarket audit verify --data qmarket-data"};
  }

  [[nodiscard]] absl::Span<const std::unique_ptr<Command>> parts() const override { return parts_; }

  void AddOptions(CLI::App& /*app*/) override {}

  absl::Status Run(Output& /*out*/) override { return absl::OkStatus(); }

  void AddPart(std::unique_ptr<Command> part) { parts_.push_back(std::move(part)); }

 private:
  std::vector<std::unique_ptr<Command>> parts_;
};

}  // namespace

std::unique_ptr<Command> NewAuditCommand() {
  auto audit = std::make_unique<AuditCommand>();
  audit->AddPart(NewAuditVerifyCommand());
  audit->AddPart(NewAuditExportCommand());
  audit->AddPart(NewAuditStatementCommand());
  return audit;
}

}  // namespace qmarket
