// What the commands that ask have in common: the ledger's store of a data folder, opened to read
// only, and the moment or the stretch of time that is asked about.
//
// The store is read beside a running `qmarket run`; it shows what was applied when it was opened.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_QUERY_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_QUERY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/options.h"
#include "connectors/cli/output.h"
#include "ledger/store/store.h"
#include "matcher/process/replica.h"
#include "replay/rebuild.h"

namespace qmarket {

// The options of a query, as text until Query::Open reads them.
struct QueryOptions {
  std::string data_dir;
  LogOptions log;
  std::string offset;
  std::string at;
  std::string from;
  std::string to;
  bool no_checkpoints = false;
  Format format = Format::kTable;
};

// --data, --log and its like, --offset, --at, --format: of what has no history.
void AddMomentOptions(CLI::App& app, QueryOptions& options);

// And --from, --to.
void AddQueryOptions(CLI::App& app, QueryOptions& options);

class Query {
 public:
  // Errors: UsageError for options that are wrong; NotFound, with what to do, where the folder has
  // no store; OutOfRange for an offset that is not applied yet; those of the store.
  [[nodiscard]] static absl::StatusOr<Query> Open(const QueryOptions& options);

  [[nodiscard]] const LedgerStore& store() const { return *store_; }

  // The last offset at the moment asked about (of a history: at its end); none before the first.
  [[nodiscard]] std::optional<std::uint64_t> offset() const { return offset_; }

  // Its effective time.
  [[nodiscard]] absl::StatusOr<std::optional<std::int64_t>> time_ms() const;

  // Whether a stretch of time was asked for, with --from or --to; and its offsets. Empty (from >
  // to) where nothing happened in it.
  [[nodiscard]] bool is_history() const { return history_; }

  [[nodiscard]] OffsetRange range() const { return range_; }

  // The effective time at an offset; remembers the last answer.
  [[nodiscard]] absl::StatusOr<std::optional<std::int64_t>> TimeAt(std::uint64_t offset);

  // The whole state at the moment, rebuilt from the nearest checkpoint and the log: for what the
  // store does not keep. Says on stderr what it was made from. Errors: those of OpenLogOfStore
  // (open_log.h) and of the log.
  [[nodiscard]] absl::StatusOr<StateReport> RebuildState() const;

  // The market after all records below `end`; `log` is the store's.
  [[nodiscard]] absl::StatusOr<Replica> RebuildBefore(EventLog& log, std::uint64_t end) const;

 private:
  Query(const QueryOptions& options, std::unique_ptr<LedgerStore> store)
      : data_dir_(options.data_dir),
        log_(options.log),
        no_checkpoints_(options.no_checkpoints),
        store_(std::move(store)) {}

  [[nodiscard]] absl::Status SetMoment(const QueryOptions& options);
  [[nodiscard]] absl::Status SetRange(const QueryOptions& options);

  std::string data_dir_;
  LogOptions log_;
  bool no_checkpoints_ = false;
  std::unique_ptr<LedgerStore> store_;
  std::optional<std::uint64_t> offset_;
  bool history_ = false;
  OffsetRange range_;
  std::optional<std::uint64_t> timed_offset_;
  std::optional<std::int64_t> timed_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_QUERY_H_
