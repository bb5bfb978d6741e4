// A commit that breaks a rule is a bug of its maker: the store stops the process before it writes.

#include <functional>
#include <memory>
#include <string>

#include "gtest/gtest.h"

#include "events/event_log.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/store.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

class StoreDeathTest : public testing::Test {
 protected:
  // A first commit that is right: a mint gives 100 to a team at offset 4.
  static LedgerCommit First() {
    LedgerCommit commit;
    commit.new_currencies = {"search"};
    commit.new_accounts = {{.name = "mint:search", .currency = CurrencyId(0)},
                           {.name = "team:ads", .currency = CurrencyId(0), .floor = Floor::kZero}};
    commit.steps = {{.offset = 4,
                     .time_ms = 1000,
                     .postings = {{AccountId(0), AccountId(1), Credits(100)}},
                     .outcomes = "x",
                     .index = {}}};
    commit.balances = {{AccountId(0), -100}, {AccountId(1), 100}};
    commit.last_offset = 5;
    commit.next_offset = 6;
    return commit;
  }

  // A second one that is right: 30 go back at offset 8.
  static LedgerCommit Second() {
    LedgerCommit commit;
    commit.steps = {{.offset = 8,
                     .time_ms = 1000,
                     .postings = {{AccountId(1), AccountId(0), Credits(30)}},
                     .outcomes = "",
                     .index = {}}};
    commit.balances = {{AccountId(0), -70}, {AccountId(1), 70}};
    commit.last_offset = 8;
    commit.next_offset = 9;
    return commit;
  }

  // Commits the second one with something wrong, which must stop the process: a forked one, in
  // which alone the store is opened.
  static void ExpectDeath(const std::function<void(LedgerCommit&)>& spoil,
                          const std::string& message) {
    const TempFolder folder;
    EXPECT_DEATH(
        {
          auto store = LedgerStore::Open(folder.path(), LedgerStore::Mode::kReadWrite,
                                         {.log_identity = "log", .rules_version = 1});
          LedgerCommit commit = Second();
          spoil(commit);
          if (store.ok() && (*store)->Commit(First(), EventLog::Durability::kBuffered).ok()) {
            static_cast<void>((*store)->Commit(commit, EventLog::Durability::kBuffered));
          }
        },
        message);
  }

  TempFolder folder_;
};

TEST_F(StoreDeathTest, TheNextOffsetDoesNotGrow) {
  ExpectDeath([](LedgerCommit& commit) { commit.next_offset = 6; }, "next offset");
}

TEST_F(StoreDeathTest, TheLastOffsetIsAnothersCommits) {
  ExpectDeath([](LedgerCommit& commit) { commit.last_offset = 5; }, "last offset");
  ExpectDeath([](LedgerCommit& commit) { commit.last_offset = 9; }, "last offset");
}

TEST_F(StoreDeathTest, AStepIsOfAnEarlierCommit) {
  ExpectDeath([](LedgerCommit& commit) { commit.steps[0].offset = 5; }, "offsets of a commit");
}

TEST_F(StoreDeathTest, AStepIsBeyondTheCommit) {
  ExpectDeath([](LedgerCommit& commit) { commit.steps[0].offset = 9; }, "offsets of a commit");
}

TEST_F(StoreDeathTest, StepsAreOutOfOrder) {
  ExpectDeath([](LedgerCommit& commit) { commit.steps.push_back({.offset = 8}); },
              "offsets of a commit");
}

TEST_F(StoreDeathTest, ABalanceIsNotWhatThePostingsAddUpTo) {
  ExpectDeath([](LedgerCommit& commit) { commit.balances[1].balance = 71; }, "balance differs");
}

TEST_F(StoreDeathTest, ABalanceIsMissing) {
  ExpectDeath([](LedgerCommit& commit) { commit.balances.pop_back(); }, "accounts it touches");
}

TEST_F(StoreDeathTest, ABalanceOfAnUnknownAccount) {
  ExpectDeath(
      [](LedgerCommit& commit) {
        commit.balances.push_back({AccountId(2), 0});
      },
      "unknown account");
}

TEST_F(StoreDeathTest, APostingBelowTheFloor) {
  ExpectDeath([](LedgerCommit& commit) { commit.steps[0].postings[0].amount = Credits(101); },
              "below zero");
}

TEST_F(StoreDeathTest, APostingToAnUnknownAccount) {
  ExpectDeath([](LedgerCommit& commit) { commit.steps[0].postings[0].to = AccountId(2); },
              "unknown account");
}

TEST_F(StoreDeathTest, AnAccountOfAnUnknownCurrency) {
  ExpectDeath(
      [](LedgerCommit& commit) {
        commit.new_accounts.push_back({.name = "team:x", .currency = CurrencyId(1)});
      },
      "unknown currency");
}

TEST_F(StoreDeathTest, TimeFallsWithinACommit) {
  ExpectDeath(
      [](LedgerCommit& commit) {
        commit.steps.push_back({.offset = 9, .time_ms = 999});
        commit.next_offset = 10;
      },
      "times must not fall");
}

TEST_F(StoreDeathTest, AnIndexedNameHasAZeroByte) {
  ExpectDeath(
      [](LedgerCommit& commit) {
        commit.steps[0].index = {{.kind = 1, .name = std::string("a\0b", 3), .value = ""}};
      },
      "zero byte");
}

TEST_F(StoreDeathTest, AWriterNamesItsLog) {
  EXPECT_DEATH(
      static_cast<void>(LedgerStore::Open(folder_.path(), LedgerStore::Mode::kReadWrite, {})),
      "which log");
}

TEST_F(StoreDeathTest, TheCommitsAreRightUnspoilt) {
  auto store = LedgerStore::Open(folder_.path(), LedgerStore::Mode::kReadWrite,
                                 {.log_identity = "log", .rules_version = 1});
  ASSERT_TRUE(store.ok());
  EXPECT_TRUE((*store)->Commit(First(), EventLog::Durability::kBuffered).ok());
  EXPECT_TRUE((*store)->Commit(Second(), EventLog::Durability::kBuffered).ok());
}

}  // namespace
}  // namespace qmarket
