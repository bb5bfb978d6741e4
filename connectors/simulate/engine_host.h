// A simulation's market on a data directory: the embedded log, the matcher's engine and the
// ledger's store, as `qmarket run` uses them, so that all queries work on what is left behind.
//
// The log's append times are those of the simulation's clock, not the machine's: so equal runs
// leave equal logs, and a trace may lie in the future. Events are appended without a sync each;
// Finish makes all of it durable.
#ifndef QMARKET_CONNECTORS_SIMULATE_ENGINE_HOST_H_
#define QMARKET_CONNECTORS_SIMULATE_ENGINE_HOST_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/simulate/market_host.h"
#include "events/embedded_log.h"
#include "ledger/store/store.h"
#include "matcher/process/engine.h"

namespace qmarket {

// Makes `data_dir` ready for a new simulation, which leaves what belongs to it in the folder
// SimulationDir(data_dir). A folder that is missing or empty is taken. One with an earlier
// simulation is emptied of it if `force`; files of others stay. Errors: FailedPrecondition where
// something else is there, with what to do; Unavailable where another process uses it; Internal
// where the file system refuses.
[[nodiscard]] absl::Status PrepareDataDir(const std::string& data_dir, bool force);

[[nodiscard]] std::string SimulationDir(const std::string& data_dir);

class EngineHost : public MarketHost {
 public:
  // `data_dir` has neither log nor store yet. Errors: those of the log, the store and the engine.
  static absl::StatusOr<std::unique_ptr<EngineHost>> Open(const std::string& data_dir);

  absl::StatusOr<std::vector<Outcome>> Apply(const Event& event) override;
  absl::StatusOr<std::string> Finish() override;

  [[nodiscard]] const Market& market() const override { return engine_->market(); }

 private:
  using Clock = std::atomic<std::int64_t>;

  EngineHost(std::unique_ptr<Clock> clock, std::unique_ptr<EmbeddedLog> log,
             std::unique_ptr<LedgerStore> store, std::unique_ptr<Engine> engine)
      : clock_(std::move(clock)),
        log_(std::move(log)),
        store_(std::move(store)),
        engine_(std::move(engine)) {}

  std::unique_ptr<Clock> clock_;  // the time of the last event
  std::unique_ptr<EmbeddedLog> log_;
  std::unique_ptr<LedgerStore> store_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_ENGINE_HOST_H_
