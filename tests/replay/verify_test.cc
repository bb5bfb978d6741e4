#include "replay/verify.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/event.h"
#include "events/event_codec.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "matcher/process/engine.h"
#include "tests/support/memory_log.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kStart = 1'767'225'600'000;

std::vector<Event> SmallMarket() {
  std::vector<Event> events;
  const auto add = [&](std::int64_t time_ms, const Payload& payload) {
    events.push_back({.event_id = absl::StrCat("e", events.size()),
                      .time_ms = time_ms,
                      .actor = "",
                      .source = "",
                      .payload = payload});
  };
  add(kStart, PoolConfigured{.pool = "search", .market_weight_micros_per_hour = 1'000'000});
  add(kStart, TeamConfigured{.team = "vision", .pool = "search", .income_micros_per_hour = 1'000});
  add(kStart, SupplyChanged{.resource = "h100", .owner = "", .chips = 4, .reason = ""});
  add(kStart, BidPlaced{.bid = "b", .team = "vision", .resource = "h100", .chips = 4});
  add(kStart, BudgetGranted{.team = "vision", .amount_micros = 5'000, .memo = ""});
  for (int i = 1; i <= 12; ++i)
    add(kStart + i * 60'000, ClockTicked{});
  return events;
}

void Fill(MemoryLog& log, const std::vector<Event>& events) {
  log.set_append_time_ms(kStart + 3'600'000);
  for (const Event& event : events) {
    ASSERT_TRUE(log.Append({EncodeEvent(event)}, EventLog::Durability::kDurable).ok());
  }
}

class VerifyStoreTest : public ::testing::Test {
 protected:
  // Makes the store that the events lead to.
  void Record(const std::vector<Event>& events) {
    MemoryLog log;
    Fill(log, events);
    store_ = nullptr;
    auto store =
        LedgerStore::Open(folder_ / "store", LedgerStore::Mode::kReadWrite,
                          {.log_identity = log.Identity(), .rules_version = kRulesVersion});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    auto engine = Engine::Open(log, store_.get(), {});
    ASSERT_TRUE(engine.ok()) << engine.status();
    const auto applied = (*engine)->Follow(UINT64_MAX);
    ASSERT_TRUE(applied.ok()) << applied.status();
    ASSERT_EQ(*applied, events.size());
  }

  // What verifying these events against the store finds.
  std::optional<Difference> Verify(const std::vector<Event>& events) {
    MemoryLog log;
    Fill(log, events);
    LogSource source(log, 0, log.EndOffset().value());
    auto difference = VerifyStore(source, *store_, [](std::uint64_t) {});
    EXPECT_TRUE(difference.ok()) << difference.status();
    return difference.ok() ? *difference : std::nullopt;
  }

  TempFolder folder_;
  std::unique_ptr<LedgerStore> store_;
};

TEST_F(VerifyStoreTest, FindsNothingWhereAllIsAsRecorded) {
  Record(SmallMarket());
  EXPECT_FALSE(Verify(SmallMarket()).has_value());
}

TEST_F(VerifyStoreTest, FindsNothingInAnEmptyStore) {
  Record({});
  EXPECT_FALSE(Verify({}).has_value());
}

TEST_F(VerifyStoreTest, NamesTheFirstOutcomeThatDiffers) {
  Record(SmallMarket());
  std::vector<Event> events = SmallMarket();
  std::get<BudgetGranted>(events[4].payload).amount_micros = 6'000;
  const std::optional<Difference> difference = Verify(events);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->offset, 4U);
  EXPECT_THAT(difference->what, HasSubstr("outcome 0: recorded {"));
  EXPECT_THAT(difference->what, HasSubstr("5000"));
  EXPECT_THAT(difference->what, HasSubstr("6000"));
}

TEST_F(VerifyStoreTest, NamesAnOutcomeThatIsMissing) {
  Record(SmallMarket());
  std::vector<Event> quiet = SmallMarket();
  quiet[4].payload = SupplyChanged{.resource = "a100", .owner = "", .chips = 1, .reason = ""};
  const std::optional<Difference> difference = Verify(quiet);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->offset, 4U);
  EXPECT_THAT(difference->what, HasSubstr("replayed nothing"));
}

// What has no outcome at its own offset shows at the cycle that it changes.
TEST_F(VerifyStoreTest, FindsAnEventThatHadNoOutcomeOfItsOwn) {
  Record(SmallMarket());
  std::vector<Event> events = SmallMarket();
  std::get<SupplyChanged>(events[2].payload).chips = 5;
  const std::optional<Difference> difference = Verify(events);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->offset, 5U);
}

TEST_F(VerifyStoreTest, FindsALogThatEndsTooEarly) {
  Record(SmallMarket());
  std::vector<Event> events = SmallMarket();
  events.pop_back();
  const std::optional<Difference> difference = Verify(events);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->offset, 16U);
  EXPECT_THAT(difference->what, HasSubstr("the ledger has applied offset 16"));
  EXPECT_TRUE(Verify({}).has_value());
}

TEST_F(VerifyStoreTest, FindsRecordsOfAnOffsetThatTheLogDoesNotHave) {
  Record(SmallMarket());
  MemoryLog log;
  Fill(log, SmallMarket());
  log.records().erase(log.records().begin() + 4);
  LogSource source(log, 0, 17);
  const auto difference = VerifyStore(source, *store_, [](std::uint64_t) {});
  ASSERT_TRUE(difference.ok() && difference->has_value());
  EXPECT_EQ((*difference)->offset, 4U);
  EXPECT_THAT((*difference)->what, HasSubstr("the log has no event there"));
}

}  // namespace
}  // namespace qmarket
