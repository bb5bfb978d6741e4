#include "ledger/store/store.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/event_log.h"
#include "events/int128.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/state.h"
#include "tests/ledger/history.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kBuffered = EventLog::Durability::kBuffered;
constexpr auto kDurable = EventLog::Durability::kDurable;

LedgerStore::Options OptionsOf(std::string log = "log-1", std::uint32_t rules = 1) {
  return {.log_identity = std::move(log), .rules_version = rules};
}

class StoreTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<LedgerStore>> Open(
      LedgerStore::Mode mode = LedgerStore::Mode::kReadWrite,
      const LedgerStore::Options& options = OptionsOf()) {
    return LedgerStore::Open(folder_ / "store", mode, options);
  }

  // A store that must open.
  std::unique_ptr<LedgerStore> MustOpen(LedgerStore::Mode mode = LedgerStore::Mode::kReadWrite) {
    absl::StatusOr<std::unique_ptr<LedgerStore>> store = Open(mode);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  TempFolder folder_;
  std::uint32_t seed_ = std::random_device{}();
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
  History history_{seed_};
};

TEST_F(StoreTest, ANewStoreIsEmpty) {
  const std::unique_ptr<LedgerStore> store = MustOpen();
  EXPECT_EQ(store->state(), (StoreState{.log_identity = "log-1", .rules_version = 1}));
  EXPECT_THAT(*store->Accounts(), IsEmpty());
  EXPECT_EQ(*store->OffsetAt(5), std::nullopt);
  EXPECT_TRUE(*store->BalanceAt(AccountId(3), 7) == 0);
}

TEST_F(StoreTest, AnswersAsTheModelDoesForAnySplitIntoCommits) {
  std::unique_ptr<LedgerStore> store = MustOpen();
  for (int i = 0; i < 40; ++i) {
    const LedgerCommit commit = history_.Next(i % 4 == 0 ? 60 : 3);
    ASSERT_TRUE(store->Commit(commit, i % 7 == 0 ? kDurable : kBuffered).ok());
    EXPECT_EQ(store->state().next_offset, commit.next_offset);
    EXPECT_EQ(store->state().last_offset, commit.last_offset);
    EXPECT_EQ(store->state().digest, commit.digest);
    EXPECT_EQ(store->state().last_record_hash, commit.last_record_hash);
    if (i % 10 == 9) {
      const StoreState before = store->state();
      store.reset();
      store = MustOpen();
      ASSERT_EQ(store->state(), before);
    }
  }
  EXPECT_EQ(store->state().accounts, history_.book().accounts().size());
  EXPECT_EQ(history_.Compare(*store, history_.next_offset()), "");
}

// 40,000 changes of one account make several blocks in one commit.
TEST_F(StoreTest, SplitsLongSeriesIntoBlocks) {
  Book book;
  LedgerCommit commit;
  const CurrencyId currency = book.AddCurrency("search");
  commit.new_currencies = {"search"};
  commit.new_accounts = {{.name = "mint:search", .currency = currency},
                         {.name = "team:ads", .currency = currency, .floor = Floor::kZero}};
  constexpr std::uint64_t kSteps = 40'000;
  for (std::uint64_t offset = 0; offset < kSteps; ++offset) {
    commit.steps.push_back(
        {.offset = offset,
         .time_ms = static_cast<std::int64_t>(offset * 2),
         .postings = {{.from = AccountId(0), .to = AccountId(1), .amount = Credits(10)}},
         .outcomes = "some outcome",
         .index = {{.kind = 1, .name = "ads", .value = std::to_string(offset)}}});
  }
  commit.last_offset = kSteps - 1;
  commit.next_offset = kSteps;
  const Int128 total = static_cast<Int128>(kSteps) * 10;
  commit.balances = {{AccountId(0), -total}, {AccountId(1), total}};
  const std::unique_ptr<LedgerStore> store = MustOpen();
  ASSERT_TRUE(store->Commit(commit, kBuffered).ok());
  for (std::uint64_t offset = 0; offset < kSteps; offset += 997) {
    EXPECT_TRUE(*store->BalanceAt(AccountId(1), offset) == static_cast<Int128>(offset + 1) * 10);
    EXPECT_EQ(*store->OffsetAt(static_cast<std::int64_t>(offset * 2 + 1)), offset);
    EXPECT_EQ(*store->TimeAt(offset), static_cast<std::int64_t>(offset * 2));
    EXPECT_EQ((*store->IndexAt(1, "ads", offset))->value, std::to_string(offset));
  }
  std::vector<std::uint64_t> seen;
  ASSERT_TRUE(store
                  ->BalanceHistory(AccountId(1), {.from = 9'998, .to = 10'001},
                                   [&](const BalancePoint& point) {
                                     seen.push_back(point.offset);
                                     return true;
                                   })
                  .ok());
  EXPECT_THAT(seen, testing::ElementsAre(9'998, 9'999, 10'000, 10'001));
}

TEST_F(StoreTest, AScanStopsWhereItIsTold) {
  const std::unique_ptr<LedgerStore> store = MustOpen();
  ASSERT_TRUE(store->Commit(history_.Next(200), kBuffered).ok());
  int calls = 0;
  ASSERT_TRUE(
      store->Outcomes({}, [&](std::uint64_t, absl::string_view) { return ++calls < 3; }).ok());
  EXPECT_EQ(calls, 3);
}

TEST_F(StoreTest, FindsAccountsByNameInEveryCurrency) {
  Book book;
  LedgerCommit commit;
  commit.new_currencies = {"a", "a:b"};
  // Names may have colons: the same account name stands for two resources of two pools here.
  commit.new_accounts = {{.name = "spent:a:b:c", .currency = CurrencyId(1)},
                         {.name = "spent:a:b:c", .currency = CurrencyId(0)},
                         {.name = "spent:a:b", .currency = CurrencyId(0)}};
  commit.next_offset = 1;
  const std::unique_ptr<LedgerStore> store = MustOpen();
  ASSERT_TRUE(store->Commit(commit, kBuffered).ok());
  const std::vector<StoredAccount> found = *store->FindAccounts("spent:a:b:c");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].id, AccountId(1));
  EXPECT_EQ(found[1].id, AccountId(0));
  EXPECT_THAT(*store->FindAccounts("spent:a"), IsEmpty());
}

TEST_F(StoreTest, AReaderSeesTheStateAtItsOpening) {
  const std::unique_ptr<LedgerStore> writer = MustOpen();
  ASSERT_TRUE(writer->Commit(history_.Next(50), kBuffered).ok());
  const std::uint64_t seen = history_.next_offset();
  const std::unique_ptr<LedgerStore> reader = MustOpen(LedgerStore::Mode::kReadOnly);
  ASSERT_TRUE(writer->Commit(history_.Next(50), kDurable).ok());
  EXPECT_EQ(reader->state().next_offset, seen);
  EXPECT_EQ(history_.Compare(*reader, seen), "");
  EXPECT_EQ(MustOpen(LedgerStore::Mode::kReadOnly)->state().next_offset, history_.next_offset());
}

// Files come and go under readers while the writer flushes and compacts.
TEST_F(StoreTest, ReadersCanOpenAtAnyMomentOfAWriter) {
  std::unique_ptr<LedgerStore> writer = MustOpen();
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> committed = 0;
  std::atomic<int> opened = 0;
  std::thread reader([&] {
    while (!stop && !HasFailure()) {
      const std::uint64_t at_least = committed;
      const absl::StatusOr<std::unique_ptr<LedgerStore>> store = Open(LedgerStore::Mode::kReadOnly);
      ASSERT_TRUE(store.ok()) << store.status();
      EXPECT_GE((*store)->state().next_offset, at_least);
      EXPECT_TRUE((*store)->Accounts().ok());
      ++opened;
    }
  });
  for (int i = 0; i < 60; ++i) {
    const LedgerCommit commit = history_.Next(50);
    ASSERT_TRUE(writer->Commit(commit, kBuffered).ok());
    committed = commit.next_offset;
    if (i % 3 == 2) {
      writer.reset();  // opening again writes the recovered records to a table file
      writer = MustOpen();
    }
  }
  stop = true;
  reader.join();
  EXPECT_GT(opened, 0);
}

TEST_F(StoreTest, OneProcessWrites) {
  const std::unique_ptr<LedgerStore> writer = MustOpen();
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kUnavailable) << Open().status();
}

TEST_F(StoreTest, AReaderDoesNotWrite) {
  static_cast<void>(MustOpen());
  const std::unique_ptr<LedgerStore> reader = MustOpen(LedgerStore::Mode::kReadOnly);
  EXPECT_EQ(reader->Commit(history_.Next(1), kBuffered).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(StoreTest, ThereIsNoneToRead) {
  const absl::Status status = Open(LedgerStore::Mode::kReadOnly).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr(folder_ / "store"));
}

TEST_F(StoreTest, RefusesAnotherLog) {
  static_cast<void>(MustOpen());
  for (const LedgerStore::Mode mode :
       {LedgerStore::Mode::kReadWrite, LedgerStore::Mode::kReadOnly}) {
    const absl::Status status = Open(mode, OptionsOf("log-2")).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("log-1"), HasSubstr("log-2")));
  }
}

// A program knows all rules up to its newest: it goes on with what older ones made.
TEST_F(StoreTest, RefusesNewerRules) {
  static_cast<void>(MustOpen());
  {
    const auto newer = Open(LedgerStore::Mode::kReadWrite, OptionsOf("log-1", 2));
    ASSERT_TRUE(newer.ok()) << newer.status();
    ASSERT_TRUE((*newer)->Commit(history_.Next(1), kDurable).ok());
    EXPECT_EQ((*newer)->state().rules_version, 2U);
  }
  for (const auto mode : {LedgerStore::Mode::kReadWrite, LedgerStore::Mode::kReadOnly}) {
    const absl::Status status = Open(mode, OptionsOf("log-1", 1)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr("version 2"), HasSubstr("has 1"), HasSubstr("newer qmarket")));
  }
}

TEST_F(StoreTest, AReaderMayLeaveLogAndRulesOpen) {
  static_cast<void>(MustOpen());
  EXPECT_TRUE(Open(LedgerStore::Mode::kReadOnly, {}).ok());
}

}  // namespace
}  // namespace qmarket
