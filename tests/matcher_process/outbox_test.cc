#include "matcher/process/outbox.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/event.h"
#include "events/event_codec.h"
#include "events/event_log.h"
#include "events/outcome.h"
#include "events/outcome_codec.h"
#include "events/outcome_wire.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "matcher/process/engine.h"
#include "tests/support/memory_log.h"
#include "tests/support/temp_folder.h"
#include "tests/workload/workload.h"

namespace qmarket {
namespace {

using testing::ElementsAreArray;

// A store of a small market, and all its outcomes as records.
class OutboxTest : public testing::Test {
 protected:
  void SetUp() override {
    MakeWorkload(
        {.seed = 5,
         .events = 600,
         .bids = 200,
         .teams = 20,
         .pools = 4,
         .resources = 2,
         .ticks = 20,
         .mean_bid_minutes = 60},
        [this](const Event& event) {
          ASSERT_TRUE(log_.Append({EncodeEvent(event)}, EventLog::Durability::kBuffered).ok());
        });
    ASSERT_TRUE(log_.Append({"poison"}, EventLog::Durability::kBuffered).ok());
    absl::StatusOr<std::unique_ptr<LedgerStore>> store =
        LedgerStore::Open(folder_.path(), LedgerStore::Mode::kReadWrite,
                          {.log_identity = "memory", .rules_version = kRulesVersion});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    const absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Open(log_, store_.get(), {});
    ASSERT_TRUE(engine.ok()) << engine.status();
    ASSERT_TRUE((*engine)->Follow(UINT64_MAX).ok());
    end_ = (*engine)->next_offset();
    const auto take = [this](std::uint64_t offset, absl::string_view canonical) {
      const std::vector<Outcome> outcomes = *DecodeOutcomes(canonical);
      for (std::uint32_t index = 0; index < outcomes.size(); ++index)
        all_.push_back(EncodeOutcomeRecord(offset, index, outcomes[index]));
      return true;
    };
    ASSERT_TRUE(store_->Outcomes({}, take).ok());
    ASSERT_GT(all_.size(), 200U);
  }

  static std::vector<std::string> ValuesOf(const OutboxBatch& batch) {
    std::vector<std::string> values;
    for (const KeyedRecord& record : batch.records)
      values.push_back(record.value);
    return values;
  }

  // The record of the outcomes' topic that holds the outcome.
  LogRecord RecordOf(std::size_t n) const { return {.offset = n, .bytes = all_[n]}; }

  TempFolder folder_;
  MemoryLog log_;
  std::unique_ptr<LedgerStore> store_;
  std::uint64_t end_ = 0;
  std::vector<std::string> all_;
  MarketTopics topics_ = *TopicsOfMarket("qmarket", "main");
};

TEST_F(OutboxTest, GivesAllOutcomesInOrder) {
  const absl::StatusOr<OutboxBatch> batch = Outbox(*store_, topics_, false).Next({}, end_);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT(ValuesOf(*batch), ElementsAreArray(all_));
  EXPECT_EQ(batch->next.offset, end_);
  EXPECT_EQ(batch->records[0].topic, "qmarket.main.outcomes");
}

// However it is cut, and also in the middle of an offset, nothing is left out and nothing twice.
TEST_F(OutboxTest, PiecesOfAnySizeAreTheWhole) {
  for (const OutboxLimits limits : {OutboxLimits{.records = 1}, OutboxLimits{.records = 7},
                                    OutboxLimits{.bytes = 1}, OutboxLimits{.bytes = 1000}}) {
    const Outbox outbox(*store_, topics_, false, limits);
    std::vector<std::string> values;
    OutcomePlace place;
    while (place.offset < end_) {
      const absl::StatusOr<OutboxBatch> batch = outbox.Next(place, end_);
      ASSERT_TRUE(batch.ok()) << batch.status();
      ASSERT_LE(batch->records.size(), limits.records);
      for (std::string& value : ValuesOf(*batch))
        values.push_back(std::move(value));
      place = batch->next;
    }
    EXPECT_THAT(values, ElementsAreArray(all_));
  }
}

// What a matcher does that takes over: it goes on behind the topic's last outcome, whichever.
TEST_F(OutboxTest, GoesOnBehindAnyOutcome) {
  const Outbox outbox(*store_, topics_, false);
  for (std::size_t n = 0; n < all_.size(); n += 13) {
    const absl::StatusOr<OutcomePlace> last = Outbox::PlaceOf(RecordOf(n));
    ASSERT_TRUE(last.ok()) << last.status();
    EXPECT_TRUE(outbox.Check(RecordOf(n)).ok());
    const absl::StatusOr<OutboxBatch> rest =
        outbox.Next({.offset = last->offset, .index = last->index + 1}, end_);
    ASSERT_TRUE(rest.ok()) << rest.status();
    EXPECT_THAT(ValuesOf(*rest),
                ElementsAreArray(all_.begin() + static_cast<std::ptrdiff_t>(n) + 1, all_.end()));
  }
}

TEST_F(OutboxTest, TheMirrorIsTheSameInJson) {
  const absl::StatusOr<OutboxBatch> batch = Outbox(*store_, topics_, true).Next({}, end_);
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->records.size(), 2 * all_.size());
  for (std::size_t n = 0; n < all_.size(); ++n) {
    const KeyedRecord& mirror = batch->records[2 * n + 1];
    const OutcomeRecord outcome = *DecodeOutcomeRecord(all_[n]);
    EXPECT_EQ(batch->records[2 * n].value, all_[n]);
    EXPECT_EQ(mirror.topic, "qmarket.main.outcomes.json");
    EXPECT_EQ(mirror.key, batch->records[2 * n].key);
    EXPECT_EQ(mirror.value, OutcomeToJson(outcome.offset, outcome.index, outcome.outcome));
  }
}

TEST_F(OutboxTest, NoticesATopicOfAnotherLog) {
  const Outbox outbox(*store_, topics_, false);
  const OutcomeRecord first = *DecodeOutcomeRecord(all_[0]);
  const std::string other = EncodeOutcomeRecord(first.offset, first.index,
                                                EventRejected{.event_id = "x", .message = "other"});
  EXPECT_EQ(outbox.Check({.bytes = other}).code(), absl::StatusCode::kFailedPrecondition);
  const std::string more = EncodeOutcomeRecord(first.offset, 1000, first.outcome);
  EXPECT_EQ(outbox.Check({.bytes = more}).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(outbox.Check({.bytes = "poison"}).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace qmarket
