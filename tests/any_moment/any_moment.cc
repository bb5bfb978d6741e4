// any_moment [--events N] [--offsets N] [--seed N] [--checkpoint-events N]
//
// Makes a history, and looks at it at random offsets: the state from the nearest checkpoint must be
// the one of a replay from zero, to the byte, and every balance of the store the market's. Prints
// how long each took, and fails where anything differs; times are only printed.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "CLI/CLI.hpp"
#include "events/embedded_log.h"
#include "events/event_codec.h"
#include "events/fingerprint.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "matcher/process/checkpoint.h"
#include "matcher/process/data_dir.h"
#include "matcher/process/engine.h"
#include "replay/from_log.h"
#include "replay/input_source.h"
#include "replay/rebuild.h"
#include "tests/support/temp_folder.h"
#include "tests/workload/workload.h"

namespace qmarket {
namespace {

struct Settings {
  std::uint64_t events = 1'000'000;
  std::uint64_t offsets = 100;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> checkpoint_events;  // engine.h
};

WorkloadSize SizeOf(const Settings& settings) {
  return {.events = settings.events,
          .bids = settings.events / 10,
          .teams = std::min<std::uint64_t>(1'000, settings.events / 100),
          .ticks = std::max<std::uint64_t>(100, settings.events / 700)};
}

absl::Status MakeLog(const WorkloadSize& size, const std::string& dir) {
  std::int64_t now_ms = 0;
  EmbeddedLog::Options options;
  options.clock = [&now_ms] { return now_ms; };
  auto log = EmbeddedLog::Open(LogDir(dir), EmbeddedLog::Mode::kReadWrite, options);
  if (!log.ok()) return log.status();
  absl::Status status;
  MakeWorkload(size, [&](const Event& event) {
    now_ms = event.time_ms;
    status.Update((*log)->Append({EncodeEvent(event)}, EventLog::Durability::kBuffered).status());
  });
  return status.ok() ? (*log)->Sync() : status;
}

absl::StatusOr<std::unique_ptr<LedgerStore>> OpenStore(const EventLog& log, const std::string& dir,
                                                       LedgerStore::Mode mode) {
  return LedgerStore::Open(StoreDir(dir), mode,
                           {.log_identity = log.Identity(), .rules_version = kRulesVersion});
}

absl::Status MakeStore(EventLog& log, const std::string& dir, const Settings& settings) {
  auto store = OpenStore(log, dir, LedgerStore::Mode::kReadWrite);
  if (!store.ok()) return store.status();
  EngineOptions options;
  options.checkpoints_dir = CheckpointsDir(dir);
  options.checkpoint_records = settings.checkpoint_events;
  auto engine = Engine::Open(log, store->get(), std::move(options));
  if (!engine.ok()) return engine.status();
  if (const auto followed = (*engine)->Follow(UINT64_MAX); !followed.ok()) return followed.status();
  (*engine)->Checkpoint();
  return absl::OkStatus();
}

// All that there is to know of a state, and the balances by account.
struct Known {
  Fingerprint state{};
  std::vector<Int128> balances;
};

Known KnownOf(const Replica& replica) {
  std::string bytes = absl::StrCat(ToHex(replica.digest()), replica.events(), "/",
                                   replica.rejected().size(), "/", replica.preempted().size());
  bytes += replica.market().PresentImage();
  bytes += replica.market().PastImage({});
  Known known = {.state = FingerprintOf(bytes), .balances = {}};
  for (const Account& account : replica.market().book().accounts())
    known.balances.push_back(account.balance);
  return known;
}

// Every offset's state, in one replay from zero.
absl::StatusOr<std::map<std::uint64_t, Known>> FromZero(EventLog& log,
                                                        std::vector<std::uint64_t> offsets) {
  std::map<std::uint64_t, Known> states;
  std::ranges::sort(offsets);
  Replica replica;
  std::uint64_t next = 0;
  for (const std::uint64_t offset : offsets) {
    LogSource source(log, next, offset + 1);
    const absl::Status applied = ApplyAll(source, replica, [](std::uint64_t) {});
    if (!applied.ok()) return applied;
    next = offset + 1;
    states[offset] = KnownOf(replica);
  }
  return states;
}

class Figures {
 public:
  void Add(absl::Duration took) { all_.push_back(took); }

  [[nodiscard]] std::string Text() {
    std::ranges::sort(all_);
    return absl::StrCat("median ", absl::FormatDuration(all_[all_.size() / 2]), ", longest ",
                        absl::FormatDuration(all_.back()), " of ", all_.size());
  }

 private:
  std::vector<absl::Duration> all_;
};

absl::Status Look(EventLog& log, const std::string& dir, const Settings& settings) {
  std::mt19937_64 random(settings.seed);
  const absl::StatusOr<std::uint64_t> end = log.EndOffset();
  if (!end.ok()) return end.status();
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < settings.offsets; ++i)
    offsets.push_back(random() % *end);
  const auto states = FromZero(log, offsets);
  if (!states.ok()) return states.status();
  const auto store = OpenStore(log, dir, LedgerStore::Mode::kReadOnly);
  if (!store.ok()) return store.status();
  Figures rebuilding;
  Figures asking;
  Figures imaging;
  for (const std::uint64_t offset : offsets) {
    const absl::Time start = absl::Now();
    const auto rebuilt =
        ReplicaBefore({log, CheckpointsDir(dir)}, offset + 1, [](std::uint64_t) {});
    if (!rebuilt.ok()) return rebuilt.status();
    rebuilding.Add(absl::Now() - start);
    const absl::Time taken = absl::Now();
    const std::string present = rebuilt->replica.market().PresentImage();
    imaging.Add(absl::Now() - taken);
    const Known& known = states->at(offset);
    if (KnownOf(rebuilt->replica).state != known.state) {
      return absl::DataLossError(
          absl::StrCat("another state at offset ", offset, " ", DescribeOrigin(rebuilt->origin)));
    }
    for (std::uint32_t id = 0; id < known.balances.size(); ++id) {
      const absl::Time asked = absl::Now();
      const auto balance = (*store)->BalanceAt(AccountId(id), offset);
      if (!balance.ok()) return balance.status();
      asking.Add(absl::Now() - asked);
      if (*balance != known.balances[id]) {
        return absl::DataLossError(
            absl::StrCat("another balance of account ", id, " at offset ", offset));
      }
    }
  }
  std::cout << ListCheckpoints(CheckpointsDir(dir)).size() << " checkpoints over " << *end
            << " events; state at " << offsets.size()
            << " random offsets equal from checkpoint and from zero\nstate from a checkpoint: "
            << rebuilding.Text() << "\nimage for a checkpoint: " << imaging.Text()
            << "\nbalance as of an offset: " << asking.Text() << '\n';
  return absl::OkStatus();
}

absl::Status Run(const Settings& settings) {
  const TempFolder folder;
  if (absl::Status made = MakeLog(SizeOf(settings), folder.path()); !made.ok()) return made;
  const auto log = EmbeddedLog::Open(LogDir(folder.path()), EmbeddedLog::Mode::kReadOnly);
  if (!log.ok()) return log.status();
  if (absl::Status made = MakeStore(**log, folder.path(), settings); !made.ok()) return made;
  return Look(**log, folder.path(), settings);
}

int Main(int argc, char** argv) {
  Settings settings;
  settings.seed = std::random_device()();
  CLI::App app("Looks at a generated history at random offsets.");
  app.add_option("--events", settings.events);
  app.add_option("--offsets", settings.offsets);
  app.add_option("--seed", settings.seed);
  app.add_option("--checkpoint-events", settings.checkpoint_events);
  CLI11_PARSE(app, argc, argv);
  std::cout << "seed " << settings.seed << '\n';
  const absl::Status status = Run(settings);
  if (!status.ok()) std::cerr << status.message() << '\n';
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace qmarket

int main(int argc, char** argv) {
  return qmarket::Main(argc, argv);
}
