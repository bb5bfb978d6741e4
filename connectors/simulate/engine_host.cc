#include "connectors/simulate/engine_host.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "events/check.h"
#include "events/fingerprint.h"
#include "matcher/process/data_dir.h"

namespace qmarket {
namespace {

namespace fs = std::filesystem;

absl::Status FileProblem(const std::string& path, const std::error_code& error) {
  return absl::InternalError(absl::StrCat(path, ": ", error.message()));
}

// Removes an earlier simulation, unless another process has its log open.
absl::Status RemoveSimulation(const std::string& data_dir) {
  if (fs::exists(LogDir(data_dir))) {
    absl::Status in_use =
        EmbeddedLog::Open(LogDir(data_dir), EmbeddedLog::Mode::kReadWrite).status();
    // A log that is damaged may go, but not one that somebody else writes.
    if (absl::IsUnavailable(in_use)) return in_use;
  }
  // The folder that tells whose data this is goes last.
  for (const std::string& path :
       {LogDir(data_dir), StoreDir(data_dir), CheckpointsDir(data_dir), SimulationDir(data_dir)}) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) return FileProblem(path, error);
  }
  return absl::OkStatus();
}

}  // namespace

std::string SimulationDir(const std::string& data_dir) {
  return absl::StrCat(data_dir, "/simulation");
}

absl::Status PrepareDataDir(const std::string& data_dir, bool force) {
  std::error_code error;
  const bool exists = fs::exists(data_dir, error);
  if (exists && !fs::is_directory(data_dir, error)) {
    return absl::FailedPreconditionError(
        absl::StrCat(data_dir, " is no folder; give another one with --data"));
  }
  const bool empty = !exists || fs::is_empty(data_dir, error);
  if (error) return FileProblem(data_dir, error);
  if (fs::exists(SimulationDir(data_dir), error)) {
    if (!force) {
      return absl::FailedPreconditionError(absl::StrCat(
          data_dir,
          " holds an earlier simulation; replace it with --force, or give another folder "
          "with --data"));
    }
    absl::Status removed = RemoveSimulation(data_dir);
    if (!removed.ok()) return removed;
  } else if (!empty) {
    return absl::FailedPreconditionError(
        absl::StrCat(data_dir,
                     " is not empty and holds no earlier simulation, so it is left alone; "
                     "give a new folder with --data"));
  }
  fs::create_directories(SimulationDir(data_dir), error);
  return error ? FileProblem(SimulationDir(data_dir), error) : absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<EngineHost>> EngineHost::Open(const std::string& data_dir) {
  auto clock = std::make_unique<Clock>(0);
  absl::StatusOr<std::unique_ptr<EmbeddedLog>> log =
      EmbeddedLog::Open(LogDir(data_dir), EmbeddedLog::Mode::kReadWrite,
                        {.clock = [now = clock.get()] { return now->load(); }});
  if (!log.ok()) return log.status();
  absl::StatusOr<std::unique_ptr<LedgerStore>> store =
      LedgerStore::Open(StoreDir(data_dir), LedgerStore::Mode::kReadWrite,
                        {.log_identity = (*log)->Identity(), .rules_version = kRulesVersion});
  if (!store.ok()) return store.status();
  absl::StatusOr<std::unique_ptr<Engine>> engine =
      Engine::Open(**log, store->get(), {.checkpoints_dir = CheckpointsDir(data_dir)});
  if (!engine.ok()) return engine.status();
  return std::unique_ptr<EngineHost>(
      new EngineHost(std::move(clock), *std::move(log), *std::move(store), *std::move(engine)));
}

absl::StatusOr<std::vector<Outcome>> EngineHost::Apply(const Event& event) {
  clock_->store(event.time_ms);
  absl::StatusOr<std::vector<AppliedStep>> steps =
      engine_->AppendAndApply(absl::MakeConstSpan(&event, 1));
  if (!steps.ok()) return steps.status();
  QM_CHECK(steps->size() == 1, "one event gives one step");
  return std::move(steps->front().outcomes);
}

absl::StatusOr<std::string> EngineHost::Finish() {
  absl::Status flushed = engine_->Flush();
  if (!flushed.ok()) return flushed;
  engine_->Checkpoint();
  return ToHex(engine_->digest());
}

}  // namespace qmarket
