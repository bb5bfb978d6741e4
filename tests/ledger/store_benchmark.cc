// Postings a second into the store, and balances of the past out of it. The aim: 200,000 postings a
// second over 10,000 accounts in commits of 1,000; a balance at any moment in less than 5 ms.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "benchmark/benchmark.h"

#include "events/check.h"
#include "events/event_log.h"
#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/store.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

// Transfers between random teams of one pool, one an offset, each with an outcome and a time.
class Transfers {
 public:
  explicit Transfers(std::size_t accounts) : accounts_(accounts) {}

  LedgerCommit Next(std::size_t count) {
    LedgerCommit commit;
    std::map<std::uint32_t, Int128> touched;
    if (next_offset_ == 0) Open(commit);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t from = Draw();
      const std::uint32_t to = (from + 1 + Draw() % 7) % static_cast<std::uint32_t>(accounts_);
      const auto amount = static_cast<std::int64_t>(random_() % 1'000'000);
      balances_[from] -= amount;
      balances_[to] += amount;
      touched[from] = balances_[from];
      touched[to] = balances_[to];
      StepEffects& step = commit.steps.emplace_back();
      step.offset = next_offset_++;
      step.time_ms = static_cast<std::int64_t>(step.offset);
      step.postings = {{AccountId(from), AccountId(to), Credits(amount), 4}};
      step.outcomes = std::string(60, static_cast<char>('a' + i % 26));
    }
    for (const auto& [account, balance] : touched) {
      commit.balances.push_back({AccountId(account), balance});
    }
    commit.last_offset = next_offset_ - 1;
    commit.next_offset = next_offset_;
    return commit;
  }

 private:
  std::uint32_t Draw() { return static_cast<std::uint32_t>(random_() % accounts_); }

  void Open(LedgerCommit& commit) {
    commit.new_currencies = {"pool"};
    for (std::size_t i = 0; i < accounts_; ++i) {
      commit.new_accounts.push_back(
          {.name = "team:" + std::to_string(i), .currency = CurrencyId(0)});
    }
    balances_.resize(accounts_);
  }

  std::size_t accounts_;
  std::mt19937 random_{1};
  std::vector<Int128> balances_;
  std::uint64_t next_offset_ = 0;
};

std::unique_ptr<LedgerStore> NewStore(const std::string& dir) {
  absl::StatusOr<std::unique_ptr<LedgerStore>> store = LedgerStore::Open(
      dir, LedgerStore::Mode::kReadWrite, {.log_identity = "log", .rules_version = 1});
  QM_CHECK(store.ok(), "the store does not open");
  return *std::move(store);
}

// Arguments: accounts, postings a commit, 1 for a sync of each commit.
void BM_Commit(benchmark::State& state) {
  const TempFolder folder;
  const std::unique_ptr<LedgerStore> store = NewStore(folder.path());
  Transfers transfers(static_cast<std::size_t>(state.range(0)));
  const auto count = static_cast<std::size_t>(state.range(1));
  const auto durability =
      state.range(2) == 1 ? EventLog::Durability::kDurable : EventLog::Durability::kBuffered;
  QM_CHECK(store->Commit(transfers.Next(1), durability).ok(), "a commit fails");
  for (auto _ : state) {
    state.PauseTiming();
    const LedgerCommit commit = transfers.Next(count);
    state.ResumeTiming();
    QM_CHECK(store->Commit(commit, durability).ok(), "a commit fails");
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

BENCHMARK(BM_Commit)
    ->ArgNames({"accounts", "postings", "sync"})
    ->Args({200, 1000, 1})
    ->Args({10'000, 1000, 0})
    ->Args({10'000, 1000, 1})
    ->Args({10'000, 10'000, 1})
    ->Args({10'000, 100, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_BalanceAt(benchmark::State& state) {
  const TempFolder folder;
  const std::unique_ptr<LedgerStore> store = NewStore(folder.path());
  Transfers transfers(10'000);
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    QM_CHECK(store->Commit(transfers.Next(1000), EventLog::Durability::kBuffered).ok(),
             "a commit fails");
  }
  std::mt19937_64 random(2);
  const std::uint64_t end = store->state().next_offset;
  for (auto _ : state) {
    const AccountId account(static_cast<std::uint32_t>(random() % 10'000));
    benchmark::DoNotOptimize(store->BalanceAt(account, random() % end));
  }
}

BENCHMARK(BM_BalanceAt)->ArgName("commits")->Arg(500)->Unit(benchmark::kMicrosecond);

// What a query on the command line pays: opening beside a writer.
void BM_OpenForReading(benchmark::State& state) {
  const TempFolder folder;
  const std::unique_ptr<LedgerStore> store = NewStore(folder.path());
  Transfers transfers(10'000);
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    QM_CHECK(store->Commit(transfers.Next(1000), EventLog::Durability::kBuffered).ok(),
             "a commit fails");
  }
  for (auto _ : state) {
    QM_CHECK(LedgerStore::Open(folder.path(), LedgerStore::Mode::kReadOnly, {}).ok(),
             "the store does not open");
  }
}

BENCHMARK(BM_OpenForReading)->ArgName("commits")->Arg(500)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace qmarket
