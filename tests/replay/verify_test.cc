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
#include "replay/rebuild.h"
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
    auto verified = VerifyStore(source, *store_, {}, [](std::uint64_t) {});
    EXPECT_TRUE(verified.ok()) << verified.status();
    return verified.ok() ? verified->difference : std::nullopt;
  }

  // The same of the stretch from `first` to `last`, from a market that is replayed up to there.
  Verified VerifyStretch(const std::vector<Event>& events, std::uint64_t first,
                         std::uint64_t last) {
    MemoryLog log;
    Fill(log, events);
    Stretch stretch = {.first = first, .last = last};
    LogSource before(log, 0, first);
    EXPECT_TRUE(ApplyAll(before, stretch.start, [](std::uint64_t) {}).ok());
    LogSource source(log, first, log.EndOffset().value());
    auto verified = VerifyStore(source, *store_, std::move(stretch), [](std::uint64_t) {});
    EXPECT_TRUE(verified.ok()) << verified.status();
    return verified.ok() ? *verified : Verified();
  }

  // What differs of the records themselves.
  std::optional<Difference> CompareRecords(MemoryLog& log) {
    auto difference = VerifyRecords(log, *store_, {}, [](std::uint64_t) {});
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
  EXPECT_EQ(difference->object, "outcome 0");
  EXPECT_THAT(difference->recorded, HasSubstr("5000"));
  EXPECT_THAT(difference->replayed, HasSubstr("6000"));
  EXPECT_THAT(DescribeDifference(*difference), HasSubstr("outcome 0: recorded {"));
}

TEST_F(VerifyStoreTest, NamesAnOutcomeThatIsMissing) {
  Record(SmallMarket());
  std::vector<Event> quiet = SmallMarket();
  quiet[4].payload = SupplyChanged{.resource = "a100", .owner = "", .chips = 1, .reason = ""};
  const std::optional<Difference> difference = Verify(quiet);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->offset, 4U);
  EXPECT_EQ(difference->replayed, "nothing");
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
  EXPECT_THAT(difference->recorded, HasSubstr("applied up to offset 16"));
  EXPECT_TRUE(Verify({}).has_value());
}

TEST_F(VerifyStoreTest, FindsRecordsOfAnOffsetThatTheLogDoesNotHave) {
  Record(SmallMarket());
  MemoryLog log;
  Fill(log, SmallMarket());
  log.records().erase(log.records().begin() + 4);
  LogSource source(log, 0, 17);
  const auto verified = VerifyStore(source, *store_, {}, [](std::uint64_t) {});
  ASSERT_TRUE(verified.ok() && verified->difference.has_value());
  EXPECT_EQ(verified->difference->offset, 4U);
  EXPECT_EQ(verified->difference->replayed, "nothing");
}

TEST_F(VerifyStoreTest, TakesAStretchAlone) {
  Record(SmallMarket());
  const Verified all = VerifyStretch(SmallMarket(), 0, 16);
  EXPECT_FALSE(all.difference.has_value());
  EXPECT_EQ(all.events, 17U);
  EXPECT_EQ(all.digest, store_->state().digest);
  for (std::uint64_t first = 0; first < 17; ++first) {
    for (std::uint64_t last = first; last < 17; ++last) {
      const Verified verified = VerifyStretch(SmallMarket(), first, last);
      EXPECT_FALSE(verified.difference.has_value()) << DescribeDifference(*verified.difference);
      EXPECT_EQ(verified.events, last - first + 1);
      EXPECT_EQ(verified.last, last);
    }
  }
}

// What differs before a stretch is seen where it has an effect within.
TEST_F(VerifyStoreTest, AStretchSaysNothingOfWhatIsAfterIt) {
  Record(SmallMarket());
  std::vector<Event> events = SmallMarket();
  std::get<BudgetGranted>(events[4].payload).amount_micros = 6'000;
  EXPECT_FALSE(VerifyStretch(events, 0, 3).difference.has_value());
  EXPECT_TRUE(VerifyStretch(events, 0, 4).difference.has_value());
  const Verified later = VerifyStretch(events, 5, 8);
  ASSERT_TRUE(later.difference.has_value());
  EXPECT_GE(later.difference->offset, 5U);
}

TEST_F(VerifyStoreTest, RecordsAreThoseThatWereApplied) {
  Record(SmallMarket());
  MemoryLog log;
  Fill(log, SmallMarket());
  EXPECT_FALSE(CompareRecords(log).has_value());
}

// A memo changes no outcome, and its record is another one all the same.
TEST_F(VerifyStoreTest, FindsARecordThatWasEditedWithoutEffect) {
  Record(SmallMarket());
  std::vector<Event> events = SmallMarket();
  std::get<BudgetGranted>(events[4].payload).memo = "for the quarter";
  EXPECT_FALSE(Verify(events).has_value());
  MemoryLog log;
  Fill(log, events);
  const std::optional<Difference> difference = CompareRecords(log);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->offset, 4U);
}

TEST_F(VerifyStoreTest, FindsARecordThatIsMissing) {
  Record(SmallMarket());
  for (const std::ptrdiff_t missing : {std::ptrdiff_t{4}, std::ptrdiff_t{16}}) {
    MemoryLog log;
    Fill(log, SmallMarket());
    log.records().erase(log.records().begin() + missing);
    const std::optional<Difference> difference = CompareRecords(log);
    ASSERT_TRUE(difference.has_value());
    EXPECT_EQ(difference->offset, static_cast<std::uint64_t>(missing));
  }
}

}  // namespace
}  // namespace qmarket
