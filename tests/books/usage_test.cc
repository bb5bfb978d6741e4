// Chips over time, and the rows of charges that are made of them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/books/charge_rows.h"
#include "connectors/books/usage_meter.h"

namespace qmarket {
namespace {

BidFilled Fill(std::string bid, std::string team, std::int64_t chips, std::int64_t paid,
               std::int64_t time_ms) {
  return {.bid = std::move(bid),
          .team = std::move(team),
          .resource = "h100",
          .chips = chips,
          .paid = paid,
          .time_ms = time_ms};
}

CreditsPosted Posted(PostingKind kind, std::string from, std::string to, std::int64_t amount,
                     std::int64_t time_ms, std::int64_t uncollected = 0) {
  return {.kind = kind,
          .currency = "a:b",
          .from = std::move(from),
          .to = std::move(to),
          .amount_micros = amount,
          .uncollected_micros = uncollected,
          .time_ms = time_ms};
}

TEST(UsageMeterTest, SumsChipsOverTime) {
  UsageMeter meter;
  meter.Fill(Fill("one", "x", 8, 4, 1'000));
  meter.Fill(Fill("two", "x", 2, 0, 1'500));
  meter.Fill(Fill("one", "x", 0, 0, 2'000));
  auto used = meter.TakeUpTo(3'000);
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used.at({"x", "h100"}).held_ms, Int128{8 * 1'000 + 2 * 1'500});
  EXPECT_EQ(used.at({"x", "h100"}).paid_ms, Int128{4 * 1'000});
  used = meter.TakeUpTo(3'001);
  EXPECT_EQ(used.at({"x", "h100"}).held_ms, Int128{2});
  meter.Fill(Fill("two", "x", 0, 0, 3'001));
  EXPECT_TRUE(meter.TakeUpTo(9'000).empty());
}

TEST(ChargeRowsTest, ARowForEachChargeAndForUseWithoutOne) {
  ChargeRows rows;
  rows.Take(Fill("one", "x", 8, 8, 1'000));
  rows.Take(Fill("free", "y", 3, 0, 1'000));
  EXPECT_TRUE(rows.EndOfEvent(4).empty());
  rows.Take(Posted(PostingKind::kGrant, "mint:a:b", "team:x", 5, 2'000));
  EXPECT_TRUE(rows.EndOfEvent(5).empty());
  rows.Take(Posted(PostingKind::kIncome, "mint:a:b", "team:x", 5, 3'000));
  rows.Take(Posted(PostingKind::kCharge, "team:x", "spent:a:b:h100", 70, 3'000, 30));
  // What the same event fills counts from now on.
  rows.Take(Fill("one", "x", 0, 0, 3'000));
  const std::vector<ChargeRow> settled = rows.EndOfEvent(6);
  ASSERT_EQ(settled.size(), 2U);
  EXPECT_EQ(settled[0].team, "x");
  EXPECT_EQ(settled[0].resource, "h100");
  EXPECT_EQ(settled[0].offset, 6U);
  EXPECT_EQ(settled[0].from_ms, 1'000);
  EXPECT_EQ(settled[0].to_ms, 3'000);
  EXPECT_EQ(settled[0].charged_micros, 70);
  EXPECT_EQ(settled[0].uncollected_micros, 30);
  EXPECT_EQ(settled[0].used.paid_ms, Int128{8 * 2'000});
  EXPECT_EQ(settled[1].team, "y");
  EXPECT_EQ(settled[1].charged_micros, 0);
  EXPECT_EQ(settled[1].used.held_ms, Int128{3 * 2'000});
  EXPECT_EQ(settled[1].used.paid_ms, Int128{0});

  rows.Take(Posted(PostingKind::kWeight, "issue", "purse:a:b", 5, 4'000));
  const std::vector<ChargeRow> later = rows.EndOfEvent(7);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].team, "y");
  EXPECT_EQ(later[0].from_ms, 3'000);
  EXPECT_EQ(later[0].used.held_ms, Int128{3 * 1'000});
}

}  // namespace
}  // namespace qmarket
