// `qmarket replay --verify`: proves that the ledger has recorded what the events lead to, all of it
// or a stretch, and prints how that went.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_VERIFY_LEDGER_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_VERIFY_LEDGER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/options.h"
#include "connectors/cli/output.h"
#include "ledger/store/store.h"

namespace qmarket {

// --from, --to, --from-offset, --to-offset: both ends belong to the stretch.
class StretchOptions {
 public:
  void AddOptions(CLI::App& app);

  [[nodiscard]] bool given() const;

  // Of what the store has applied. Errors: UsageError; OutOfRange where nothing of it is applied.
  [[nodiscard]] absl::StatusOr<OffsetRange> Read(const LedgerStore& store) const;

 private:
  std::string from_;
  std::string to_;
  std::string from_offset_;
  std::string to_offset_;
};

struct VerifyOptions {
  const LogOptions& log;
  const std::string& data_dir;
  bool no_checkpoints = false;
  const StretchOptions& stretch;
  Format format = Format::kTable;
};

// Errors: VerificationError with the first difference; those of the log and the store.
[[nodiscard]] absl::Status VerifyLedger(const VerifyOptions& options, Output& out);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_VERIFY_LEDGER_H_
