#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/event_codec.h"
#include "events/event_json.h"
#include "events/event_log.h"
#include "replay/input_source.h"
#include "replay/rebuild.h"

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kStart = 1'767'225'600'000;

Event MakeEvent(const std::string& id, std::int64_t time_ms, Payload payload) {
  return {.event_id = id, .time_ms = time_ms, .actor = "", .source = "", .payload = payload};
}

// A pool, a team, supply, a bid, and a tick a minute.
std::vector<Event> SmallMarket(int ticks) {
  std::vector<Event> events;
  const auto add = [&](std::int64_t time_ms, const Payload& payload) {
    events.push_back(MakeEvent(absl::StrCat("e", events.size()), time_ms, payload));
  };
  add(kStart, PoolConfigured{.pool = "search", .market_weight_micros_per_hour = 1'000'000});
  add(kStart, TeamConfigured{.team = "vision", .pool = "search", .income_micros_per_hour = 1'000});
  add(kStart, SupplyChanged{.resource = "h100", .owner = "", .chips = 4, .reason = ""});
  add(kStart, BidPlaced{.bid = "b", .team = "vision", .resource = "h100", .chips = 4});
  for (int i = 1; i <= ticks; ++i)
    add(kStart + i * 60'000, ClockTicked{});
  return events;
}

std::string Lines(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events)
    absl::StrAppend(&text, EventToJson(event), "\n");
  return text;
}

absl::StatusOr<StateReport> RebuildLines(const std::string& text, const Moment& moment) {
  std::istringstream stream(text);
  EventLineReader reader(stream, "test");
  LineSource source(reader);
  return RebuildAt(source, moment, Replica(), [](std::uint64_t) {});
}

// A log in memory whose offsets are given; it hands out at most `batch` records at a time.
class MemoryLog : public EventLog {
 public:
  explicit MemoryLog(std::size_t batch) : batch_(batch) {}

  void Put(std::uint64_t offset, std::int64_t append_time_ms, std::string bytes) {
    records_.push_back({offset, append_time_ms, std::move(bytes)});
  }

  absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> /*records*/,
                                       Durability /*durability*/) override {
    return absl::UnimplementedError("Append");
  }

  absl::Status Sync() override { return absl::OkStatus(); }

  absl::StatusOr<LogBatch> Read(std::uint64_t from, std::size_t max_records,
                                std::size_t /*max_bytes*/) override {
    if (from == fail_at_) return absl::DataLossError("the record is damaged");
    LogBatch batch;
    batch.next_offset = from;
    for (const LogRecord& record : records_) {
      if (record.offset < from) continue;
      if (batch.records.size() == std::min(batch_, max_records)) return batch;
      batch.records.push_back(record);
      batch.next_offset = record.offset + 1;
    }
    batch.at_end = true;
    return batch;
  }

  absl::StatusOr<std::uint64_t> FindByTime(std::int64_t /*append_time_ms*/) override { return 0; }

  absl::StatusOr<std::uint64_t> EndOffset() override { return records_.back().offset + 1; }

  absl::StatusOr<bool> WaitFor(std::uint64_t /*from*/, absl::Duration /*timeout*/) override {
    return false;
  }

  std::string Identity() const override { return "memory"; }

  void FailAt(std::uint64_t offset) { fail_at_ = offset; }

 private:
  std::size_t batch_;
  std::vector<LogRecord> records_;
  std::optional<std::uint64_t> fail_at_;
};

TEST(RebuildAt, NothingGivesAnEmptyReport) {
  const auto report = RebuildLines("", {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->offset.has_value());
  EXPECT_FALSE(report->time_ms.has_value());
  EXPECT_EQ(report->digest, Digest{});
  EXPECT_THAT(report->teams, IsEmpty());
}

TEST(RebuildAt, ReportsTheState) {
  const auto report = RebuildLines(Lines(SmallMarket(6)), {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->offset, 9U);
  EXPECT_EQ(report->time_ms, kStart + 6 * 60'000);
  EXPECT_NE(report->digest, Digest{});
  ASSERT_THAT(report->teams, SizeIs(1));
  EXPECT_GT(report->teams[0].balance_micros, 0);
  ASSERT_THAT(report->bids, SizeIs(1));
  EXPECT_EQ(report->bids[0].chips, 4);
  ASSERT_THAT(report->resources, SizeIs(1));
  EXPECT_EQ(report->resources[0].supply, 4);
}

TEST(RebuildAt, HasNoResourcesBeforeTheFirstCycle) {
  const auto report = RebuildLines(Lines(SmallMarket(0)), {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->resources, IsEmpty());
  EXPECT_THAT(report->bids, SizeIs(1));
}

TEST(RebuildAt, StopsAfterAnOffset) {
  const std::vector<Event> events = SmallMarket(6);
  for (std::uint64_t offset = 0; offset < events.size(); ++offset) {
    const std::vector<Event> part(events.begin(),
                                  events.begin() + static_cast<std::ptrdiff_t>(offset) + 1);
    const auto whole = RebuildLines(Lines(events), {.offset = offset, .time_ms = std::nullopt});
    const auto cut = RebuildLines(Lines(part), {});
    ASSERT_TRUE(whole.ok() && cut.ok());
    EXPECT_EQ(whole->offset, offset);
    EXPECT_EQ(whole->digest, cut->digest);
    EXPECT_EQ(whole->time_ms, cut->time_ms);
  }
}

TEST(RebuildAt, SaysWhereAnOffsetIsNotThereYet) {
  const Moment moment = {.offset = 100, .time_ms = std::nullopt};
  EXPECT_EQ(RebuildLines(Lines(SmallMarket(1)), moment).status(),
            absl::OutOfRangeError("there is no offset 100 yet: the last is 4"));
  EXPECT_EQ(RebuildLines("", moment).status(),
            absl::OutOfRangeError("there is no offset 100 yet: there are no events"));
}

TEST(RebuildAt, StopsBeforeWhatTookEffectLater) {
  const std::string lines = Lines(SmallMarket(6));
  const auto at = [&](std::int64_t time_ms) {
    return RebuildLines(lines, {.offset = std::nullopt, .time_ms = time_ms});
  };
  EXPECT_FALSE(at(kStart - 1)->offset.has_value());
  EXPECT_EQ(at(kStart)->offset, 3U);
  EXPECT_EQ(at(kStart + 59'999)->offset, 3U);
  EXPECT_EQ(at(kStart + 60'000)->offset, 4U);
  EXPECT_EQ(at(kStart + 360'000)->offset, 9U);
  EXPECT_EQ(at(kStart + 999'000'000)->offset, 9U);
}

// Rejected events have no effective time: those that claim to be later do not end the rebuilding,
// and are in the report when they stand before its last offset.
TEST(RebuildAt, GoesOnAfterRejectedEventsThatClaimToBeLater) {
  std::vector<Event> events = SmallMarket(3);
  const std::int64_t later = kStart + 10'000'000;
  const auto bad = [&](int i) {
    return MakeEvent(absl::StrCat("bad", i), later, BidWithdrawn{.bid = "none", .reason = ""});
  };
  events.insert(events.begin() + 5, {bad(1), bad(2)});  // after the first tick
  events.push_back(bad(3));
  const std::string lines = Lines(events);
  const auto at_two = RebuildLines(lines, {.offset = std::nullopt, .time_ms = kStart + 120'000});
  ASSERT_TRUE(at_two.ok());
  EXPECT_EQ(at_two->offset, 7U);
  EXPECT_EQ(at_two->time_ms, kStart + 120'000);
  EXPECT_THAT(at_two->rejected, SizeIs(2));
  const auto same = RebuildLines(lines, {.offset = 7, .time_ms = std::nullopt});
  EXPECT_EQ(at_two->digest, same->digest);
  const auto at_one = RebuildLines(lines, {.offset = std::nullopt, .time_ms = kStart + 60'000});
  EXPECT_EQ(at_one->offset, 6U);
  EXPECT_THAT(at_one->rejected, SizeIs(2));
  const auto at_end = RebuildLines(lines, {.offset = std::nullopt, .time_ms = kStart + 180'000});
  EXPECT_EQ(at_end->offset, 9U);
  EXPECT_THAT(at_end->rejected, SizeIs(3));
}

TEST(RebuildAt, NamesTheBadLine) {
  const std::string lines = Lines(SmallMarket(2)) + "{\"event_id\": 7}\n";
  EXPECT_THAT(std::string(RebuildLines(lines, {}).status().message()), HasSubstr("test:7"));
}

TEST(RebuildAt, CountsProgress) {
  std::istringstream stream(Lines(SmallMarket(2)));
  EventLineReader reader(stream, "test");
  LineSource source(reader);
  std::vector<std::uint64_t> seen;
  ASSERT_TRUE(
      RebuildAt(source, {}, Replica(), [&](std::uint64_t events) { seen.push_back(events); }).ok());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(LogSource, GivesTheSameStateAsLinesWhateverTheBatches) {
  const std::vector<Event> events = SmallMarket(6);
  const auto expected = RebuildLines(Lines(events), {});
  for (const std::size_t batch : {1U, 3U, 100U}) {
    MemoryLog log(batch);
    for (std::uint64_t i = 0; i < events.size(); ++i) {
      log.Put(i, events[i].time_ms, EncodeEvent(events[i]));
    }
    LogSource source(log, 0, log.EndOffset().value());
    Prefetcher prefetcher(source);
    const auto report = RebuildAt(prefetcher, {}, Replica(), [](std::uint64_t) {});
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->digest, expected->digest);
    EXPECT_EQ(report->offset, expected->offset);
  }
}

TEST(LogSource, PassesOverHolesAndKeepsToItsEnd) {
  const std::vector<Event> events = SmallMarket(2);
  MemoryLog log(2);
  for (std::uint64_t i = 0; i < events.size(); ++i) {
    log.Put(10 * i + 5, events[i].time_ms, EncodeEvent(events[i]));
  }
  LogSource source(log, 0, 46);
  std::vector<std::uint64_t> offsets;
  for (auto inputs = source.Next(); inputs.ok() && !inputs->empty(); inputs = source.Next()) {
    for (const Input& input : *inputs)
      offsets.push_back(input.offset);
  }
  EXPECT_THAT(offsets, ElementsAre(5, 15, 25, 35, 45));
}

TEST(LogSource, MakesPoisonARejection) {
  MemoryLog log(10);
  log.Put(0, kStart, "poison");
  log.Put(1, kStart, EncodeEvent(SmallMarket(0)[0]));
  LogSource source(log, 0, 2);
  const auto report = RebuildAt(source, {}, Replica(), [](std::uint64_t) {});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_THAT(report->rejected, SizeIs(1));
  EXPECT_EQ(report->rejected[0].code, RejectionCode::kMalformed);
  EXPECT_THAT(report->pools, SizeIs(1));
}

TEST(LogSource, RejectsWhatClaimsToBeFarAheadOfItsAppendTime) {
  MemoryLog log(10);
  log.Put(0, kStart - 5 * 60'000 - 1, EncodeEvent(SmallMarket(0)[0]));
  LogSource source(log, 0, 1);
  const auto report = RebuildAt(source, {}, Replica(), [](std::uint64_t) {});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_THAT(report->rejected, SizeIs(1));
  EXPECT_EQ(report->rejected[0].code, RejectionCode::kTimeInFuture);
}

TEST(Prefetcher, GivesTheErrorOfItsSourceAfterWhatCameBefore) {
  MemoryLog log(1);
  for (std::uint64_t i = 0; i < 3; ++i)
    log.Put(i, kStart, "poison");
  log.FailAt(2);
  LogSource source(log, 0, 3);
  Prefetcher prefetcher(source);
  EXPECT_THAT(prefetcher.Next().value(), SizeIs(1));
  EXPECT_THAT(prefetcher.Next().value(), SizeIs(1));
  EXPECT_EQ(prefetcher.Next().status(), absl::DataLossError("the record is damaged"));
}

TEST(Prefetcher, EndsWhereNobodyReadsOn) {
  MemoryLog log(1);
  for (std::uint64_t i = 0; i < 1'000; ++i)
    log.Put(i, kStart, "poison");
  LogSource source(log, 0, 1'000);
  Prefetcher prefetcher(source);
  EXPECT_THAT(prefetcher.Next().value(), SizeIs(1));
}  // its thread waits for room, and must end all the same

}  // namespace
}  // namespace qmarket
