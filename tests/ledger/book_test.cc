#include "ledger/core/book.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "events/int128.h"
#include "events/units.h"

namespace qmarket {
namespace {

// Two currencies: "search" with a mint and two teams, and the reference currency with a purse.
class BookTest : public testing::Test {
 protected:
  Book book_;
  CurrencyId search_ = book_.AddCurrency("search");
  CurrencyId reference_ = book_.AddCurrency("");
  AccountId mint_ = book_.Open("mint:search", search_, Floor::kNone);
  AccountId ranking_ = book_.Open("team:ranking", search_, Floor::kZero);
  AccountId ads_ = book_.Open("team:ads", search_, Floor::kZero);
  AccountId issue_ = book_.Open("issue", reference_, Floor::kNone);
  AccountId purse_ = book_.Open("purse:search", reference_, Floor::kZero);
};

using BookDeathTest = BookTest;

TEST_F(BookTest, IdsAreDenseAndInTheOrderOfTheCalls) {
  EXPECT_EQ(search_.index(), 0U);
  EXPECT_EQ(reference_.index(), 1U);
  EXPECT_EQ(mint_.index(), 0U);
  EXPECT_EQ(purse_.index(), 4U);
  ASSERT_EQ(book_.accounts().size(), 5U);
  EXPECT_EQ(book_.accounts()[1].name, "team:ranking");
  EXPECT_EQ(book_.accounts()[1].currency, search_);
  EXPECT_EQ(book_.accounts()[1].floor, Floor::kZero);
  ASSERT_EQ(book_.currencies().size(), 2U);
  EXPECT_EQ(book_.currencies()[0], "search");
}

TEST_F(BookTest, APostingMovesItsAmount) {
  book_.Post({.from = mint_, .to = ranking_, .amount = Credits(700), .kind = 2});
  book_.Post({.from = ranking_, .to = ads_, .amount = Credits(300), .kind = 4});
  EXPECT_TRUE(book_.Balance(mint_) == -700);
  EXPECT_EQ(book_.SmallBalance(mint_), Credits(-700));
  EXPECT_EQ(book_.SmallBalance(ranking_), Credits(400));
  EXPECT_EQ(book_.SmallBalance(ads_), Credits(300));
  EXPECT_EQ(book_.SmallBalance(purse_), Credits(0));
}

TEST_F(BookTest, AnAccountWithAFloorCanBeEmptied) {
  book_.Post({.from = mint_, .to = ranking_, .amount = Credits(700)});
  book_.Post({.from = ranking_, .to = mint_, .amount = Credits(700)});
  EXPECT_EQ(book_.SmallBalance(ranking_), Credits(0));
}

TEST_F(BookTest, PostingsAreTakenOnceAndInOrder) {
  const Posting first = {.from = mint_, .to = ranking_, .amount = Credits(5), .kind = 0};
  const Posting second = {.from = issue_, .to = purse_, .amount = Credits(9), .kind = 5};
  book_.Post(first);
  book_.Post(second);
  EXPECT_EQ(book_.TakePostings(), (std::vector<Posting>{first, second}));
  EXPECT_TRUE(book_.TakePostings().empty());
}

TEST_F(BookTest, ABalanceMayExceed64BitsWhereTheAccountOnlyAddsUp) {
  const Credits most(INT64_MAX);
  for (int i = 0; i < 3; ++i)
    book_.Post({.from = issue_, .to = purse_, .amount = most});
  EXPECT_TRUE(book_.Balance(issue_) == -3 * static_cast<Int128>(INT64_MAX));
  EXPECT_TRUE(book_.Sum(reference_) == 0);
}

TEST_F(BookTest, EachCurrencyAddsUpToZeroAfterAnyPostings) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<AccountId> accounts = {mint_, ranking_, ads_};
  std::map<std::uint32_t, std::int64_t> expected;
  for (int i = 0; i < 2000; ++i) {
    const std::size_t from = random() % accounts.size();
    const std::size_t to = (from + 1 + random() % 2) % accounts.size();
    const bool mints = from == 0;
    std::int64_t amount = static_cast<std::int64_t>(random() % 1000);
    if (!mints) amount = std::min(amount, expected[accounts[from].index()]);
    book_.Post({.from = accounts[from], .to = accounts[to], .amount = Credits(amount)});
    expected[accounts[from].index()] -= amount;
    expected[accounts[to].index()] += amount;
    ASSERT_TRUE(book_.Sum(search_) == 0);
  }
  for (const AccountId account : accounts) {
    EXPECT_EQ(book_.SmallBalance(account), Credits(expected[account.index()]));
  }
}

TEST_F(BookDeathTest, ABalanceBelowTheFloor) {
  book_.Post({.from = mint_, .to = ranking_, .amount = Credits(10)});
  EXPECT_DEATH(book_.Post({.from = ranking_, .to = ads_, .amount = Credits(11)}), "below zero");
}

TEST_F(BookDeathTest, APostingBetweenCurrencies) {
  EXPECT_DEATH(book_.Post({.from = mint_, .to = purse_, .amount = Credits(1)}), "two currencies");
}

TEST_F(BookDeathTest, APostingFromAnAccountToItself) {
  EXPECT_DEATH(book_.Post({.from = mint_, .to = mint_, .amount = Credits(1)}), "to itself");
}

TEST_F(BookDeathTest, ANegativeAmount) {
  EXPECT_DEATH(book_.Post({.from = mint_, .to = ads_, .amount = Credits(-1)}), "negative amount");
}

TEST_F(BookDeathTest, AnUnknownAccount) {
  EXPECT_DEATH(book_.Post({.from = mint_, .to = AccountId(99), .amount = Credits(1)}),
               "unknown account");
  EXPECT_DEATH(book_.Post({.from = AccountId(), .to = ads_, .amount = Credits(1)}),
               "unknown account");
}

TEST_F(BookDeathTest, AnAccountOfAnUnknownCurrency) {
  EXPECT_DEATH(book_.Open("team:x", CurrencyId(7), Floor::kZero), "unknown currency");
}

TEST_F(BookDeathTest, ASmallBalanceBeyond64Bits) {
  book_.Post({.from = issue_, .to = purse_, .amount = Credits(INT64_MAX)});
  book_.Post({.from = issue_, .to = purse_, .amount = Credits(1)});
  EXPECT_DEATH(static_cast<void>(book_.SmallBalance(purse_)), "64 bits");
}

}  // namespace
}  // namespace qmarket
