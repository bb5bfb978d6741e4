#include "matcher/process/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/event.h"
#include "events/event_codec.h"
#include "events/event_log.h"
#include "events/fingerprint.h"
#include "events/int128.h"
#include "events/outcome.h"
#include "events/outcome_codec.h"
#include "ledger/core/book.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "matcher/process/outcome_index.h"
#include "tests/support/memory_log.h"
#include "tests/support/temp_folder.h"
#include "tests/workload/workload.h"

namespace qmarket {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kAll = UINT64_MAX;

// A log of a small busy market, with poison in it.
void FillLog(MemoryLog& log) {
  const WorkloadSize size = {.seed = 3,
                             .events = 2100,
                             .bids = 900,
                             .teams = 20,
                             .pools = 4,
                             .resources = 2,
                             .ticks = 30,
                             .mean_bid_minutes = 600};
  std::uint64_t made = 0;
  MakeWorkload(size, [&](const Event& event) {
    log.set_append_time_ms(event.time_ms);
    std::vector<std::string> records = {EncodeEvent(event)};
    if (++made % 100 == 0) records.push_back(absl::StrCat("poison ", made));
    EXPECT_TRUE(log.Append(records, EventLog::Durability::kBuffered).ok());
  });
}

std::unique_ptr<LedgerStore> OpenStore(const std::string& dir) {
  absl::StatusOr<std::unique_ptr<LedgerStore>> store =
      LedgerStore::Open(dir, LedgerStore::Mode::kReadWrite,
                        {.log_identity = "memory", .rules_version = kRulesVersion});
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

std::unique_ptr<Engine> OpenEngine(EventLog& log, LedgerStore* store, EngineOptions options = {}) {
  absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Open(log, store, std::move(options));
  EXPECT_TRUE(engine.ok()) << engine.status();
  return *std::move(engine);
}

// All that a store says, as text.
std::string Contents(const LedgerStore& store) {
  std::string text = absl::StrCat("digest ", ToHex(store.state().digest), "\n");
  const std::vector<StoredAccount> accounts = *store.Accounts();
  for (const StoredAccount& account : accounts) {
    absl::StrAppend(&text, account.name, ":");
    EXPECT_TRUE(store
                    .BalanceHistory(account.id, {},
                                    [&](const BalancePoint& point) {
                                      absl::StrAppend(&text, " ", point.offset, "=",
                                                      ToString(point.balance));
                                      return true;
                                    })
                    .ok());
    text += "\n";
  }
  const auto add = [&](std::uint64_t offset, absl::string_view bytes) {
    absl::StrAppend(&text, offset, " ", ToHex(FingerprintOf(bytes)), "\n");
    return true;
  };
  EXPECT_TRUE(store.Outcomes({}, add).ok());
  for (std::uint8_t kind = 0; kind < 8; ++kind) {
    const std::vector<std::string> names = *store.IndexNames(kind);
    for (const std::string& name : names) {
      absl::StrAppend(&text, name, "\n");
      EXPECT_TRUE(store.IndexHistory(kind, name, {}, add).ok());
    }
  }
  return text;
}

class EngineTest : public testing::Test {
 protected:
  EngineTest() { FillLog(log_); }

  TempFolder folder_;
  MemoryLog log_;
};

TEST_F(EngineTest, TheSameForAnyBatchSize) {
  const std::unique_ptr<Engine> bare = OpenEngine(log_, nullptr);
  ASSERT_EQ(*bare->Follow(kAll), log_.records().size());
  ASSERT_NE(bare->digest(), Digest{});
  std::optional<std::string> expected;
  for (const std::size_t batch : std::vector<std::size_t>{1, 7, 100, 100'000}) {
    const std::unique_ptr<LedgerStore> store = OpenStore(folder_ / absl::StrCat("store", batch));
    const std::unique_ptr<Engine> engine =
        OpenEngine(log_, store.get(), {.max_batch_records = batch, .sync_records = 3 * batch});
    ASSERT_EQ(*engine->Follow(kAll), log_.records().size());
    EXPECT_EQ(engine->digest(), bare->digest());
    EXPECT_EQ(store->state().digest, bare->digest());
    EXPECT_EQ(store->state().next_offset, *log_.EndOffset());
    const std::string contents = Contents(*store);
    if (!expected.has_value()) expected = contents;
    EXPECT_TRUE(contents == *expected) << "with batches of " << batch;
  }
}

TEST_F(EngineTest, TheSameForAnyStops) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  const std::unique_ptr<Engine> bare = OpenEngine(log_, nullptr);
  ASSERT_TRUE(bare->Follow(kAll).ok());
  std::uint64_t end = 0;
  while (end < log_.records().size()) {
    end = std::min<std::uint64_t>(end + random() % 400, log_.records().size());
    const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
    const std::unique_ptr<Engine> engine =
        OpenEngine(log_, store.get(), {.max_batch_records = 1 + random() % 50});
    EXPECT_EQ(engine->next_offset(), store->state().next_offset);
    ASSERT_TRUE(engine->Follow(end).ok());
    EXPECT_EQ(engine->next_offset(), end);
  }
  const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
  EXPECT_EQ(store->state().digest, bare->digest());
  const std::unique_ptr<LedgerStore> whole = OpenStore(folder_ / "whole");
  ASSERT_TRUE(OpenEngine(log_, whole.get())->Follow(kAll).ok());
  EXPECT_TRUE(Contents(*store) == Contents(*whole));
}

TEST_F(EngineTest, TheStoreHasTheMarketsBalances) {
  const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
  const std::unique_ptr<Engine> engine = OpenEngine(log_, store.get());
  ASSERT_TRUE(engine->Follow(kAll).ok());
  int paid = 0;
  for (const TeamView& team : engine->market().Teams()) {
    const std::vector<StoredAccount> found = *store->FindAccounts(absl::StrCat("team:", team.team));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(*store->BalanceAt(found[0].id, kAll) == team.balance_micros) << team.team;
    if (team.charged_micros > 0) ++paid;
  }
  EXPECT_GT(paid, 0) << "the workload makes nobody pay";
}

TEST_F(EngineTest, MovesTheStoreOnOnlyByWholeSteps) {
  std::map<std::uint64_t, Digest> digests;
  const std::unique_ptr<Engine> bare = OpenEngine(log_, nullptr, {.max_batch_records = 1});
  digests[0] = bare->digest();
  while (*bare->FollowBatch(kAll) > 0)
    digests[bare->next_offset()] = bare->digest();
  const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
  const std::unique_ptr<Engine> engine = OpenEngine(log_, store.get(), {.max_batch_records = 13});
  while (*engine->FollowBatch(kAll) > 0) {
    EXPECT_EQ(store->state().digest, digests.at(store->state().next_offset));
  }
}

TEST_F(EngineTest, ReadsAcrossHoles) {
  for (LogRecord& record : log_.records())
    record.offset *= 3;
  log_.records().erase(log_.records().begin());
  const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
  {
    const std::unique_ptr<Engine> engine = OpenEngine(log_, store.get(), {.max_batch_records = 10});
    ASSERT_TRUE(engine->Follow(500).ok());
    EXPECT_EQ(engine->next_offset(), 500U);
    ASSERT_TRUE(engine->Follow(kAll).ok());
  }
  EXPECT_EQ(store->state().next_offset, *log_.EndOffset());
  EXPECT_TRUE(Engine::Open(log_, store.get(), {}).ok());
}

// A log that another one appends to right after each look at it.
class BusyLog : public MemoryLog {
 public:
  absl::StatusOr<LogBatch> Read(std::uint64_t from, std::size_t max_records,
                                std::size_t max_bytes) override {
    absl::StatusOr<LogBatch> batch = MemoryLog::Read(from, max_records, max_bytes);
    Grow();
    return batch;
  }

  absl::StatusOr<std::uint64_t> EndOffset() override {
    absl::StatusOr<std::uint64_t> end = MemoryLog::EndOffset();
    Grow();
    return end;
  }

 private:
  void Grow() {
    if (--left_ < 0) return;
    Event tick;
    tick.event_id = absl::StrCat("busy-", left_);
    tick.payload = ClockTicked{};
    const std::vector<std::string> records = {EncodeEvent(tick)};
    EXPECT_TRUE(Append(records, Durability::kBuffered).ok());
  }

  int left_ = 20;
};

TEST_F(EngineTest, MayBeAppendedToBetweenTwoLooks) {
  BusyLog log;
  const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
  const std::unique_ptr<Engine> engine = OpenEngine(log, store.get());
  for (int look = 0; look < 30; ++look)
    ASSERT_TRUE(engine->FollowBatch(kAll).ok());
  EXPECT_EQ(engine->next_offset(), 20U);
}

TEST_F(EngineTest, PoisonIsRejectedAndFoundAgain) {
  const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
  ASSERT_TRUE(OpenEngine(log_, store.get())->Follow(kAll).ok());
  std::size_t malformed = 0;
  const absl::Status status =
      store->IndexHistory(static_cast<std::uint8_t>(IndexKind::kRejection), "", {},
                          [&](std::uint64_t offset, absl::string_view bytes) {
                            const std::vector<Outcome> outcomes = *DecodeOutcomes(bytes);
                            const auto& rejected = std::get<EventRejected>(outcomes.at(0));
                            if (rejected.code != RejectionCode::kMalformed) return true;
                            ++malformed;
                            EXPECT_THAT(log_.records()[offset].bytes, HasSubstr("poison"));
                            return true;
                          });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(malformed, 21U);
}

TEST_F(EngineTest, TheIndexHasThePriceInForceAtAnyOffset) {
  const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
  std::map<std::string, std::map<std::uint64_t, Outcome>> cleared;
  EngineOptions options;
  options.on_durable = [&](absl::Span<const AppliedStep> steps) {
    for (const AppliedStep& step : steps) {
      for (const Outcome& outcome : step.outcomes) {
        const auto* market = std::get_if<MarketCleared>(&outcome);
        if (market != nullptr) cleared[market->resource][step.offset] = outcome;
      }
    }
  };
  ASSERT_TRUE(OpenEngine(log_, store.get(), options)->Follow(kAll).ok());
  ASSERT_EQ(cleared.size(), 2U);
  EXPECT_EQ(*store->IndexNames(static_cast<std::uint8_t>(IndexKind::kResource)),
            (std::vector<std::string>{cleared.begin()->first, cleared.rbegin()->first}));
  for (const auto& [resource, prices] : cleared) {
    for (const auto& [offset, outcome] : prices) {
      for (const std::uint64_t at : {offset, offset + 1}) {
        const std::optional<IndexHit> hit =
            *store->IndexAt(static_cast<std::uint8_t>(IndexKind::kResource), resource, at);
        ASSERT_TRUE(hit.has_value());
        EXPECT_EQ(hit->offset, offset);
        EXPECT_EQ(*DecodeOutcomes(hit->value), std::vector<Outcome>{outcome});
      }
    }
  }
}

TEST_F(EngineTest, GivesEveryStepOnceAndInOrder) {
  const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
  std::vector<std::uint64_t> offsets;
  EngineOptions options = {.max_batch_records = 10, .sync_records = 35};
  options.on_durable = [&](absl::Span<const AppliedStep> steps) {
    for (const AppliedStep& step : steps)
      offsets.push_back(step.offset);
  };
  const std::uint64_t half = log_.records().size() / 2;
  ASSERT_TRUE(OpenEngine(log_, store.get(), options)->Follow(half).ok());
  ASSERT_TRUE(OpenEngine(log_, store.get(), options)->Follow(kAll).ok());
  ASSERT_EQ(offsets.size(), log_.records().size());
  for (std::size_t i = 0; i < offsets.size(); ++i)
    EXPECT_EQ(offsets[i], i);
}

TEST_F(EngineTest, AppendAndApplyGivesWhatAReplayOfItsLogGives) {
  std::vector<Event> events;
  for (const LogRecord& record : log_.records()) {
    const absl::StatusOr<Event> event = DecodeEvent(record.bytes);
    if (event.ok()) events.push_back(*event);
  }
  MemoryLog log;
  const std::unique_ptr<LedgerStore> store = OpenStore(folder_.path());
  std::vector<AppliedStep> steps;
  {
    const std::unique_ptr<Engine> engine = OpenEngine(log, store.get(), {.max_batch_records = 100});
    for (std::size_t i = 0; i < events.size(); ++i) {
      log.set_append_time_ms(events[i].time_ms);
      const absl::StatusOr<std::vector<AppliedStep>> some =
          engine->AppendAndApply(absl::MakeConstSpan(&events[i], 1));
      ASSERT_TRUE(some.ok());
      ASSERT_EQ(some->size(), 1U);
      EXPECT_EQ((*some)[0].offset, i);
      steps.push_back((*some)[0]);
    }
    EXPECT_EQ(log.syncs(), 0);
    ASSERT_TRUE(engine->Flush().ok());
    EXPECT_EQ(log.syncs(), 1);
  }
  EXPECT_EQ(store->state().next_offset, events.size());
  std::vector<AppliedStep> replayed;
  EngineOptions options;
  options.on_durable = [&](absl::Span<const AppliedStep> some) {
    replayed.insert(replayed.end(), some.begin(), some.end());
  };
  const std::unique_ptr<Engine> replay = OpenEngine(log, nullptr, options);
  ASSERT_TRUE(replay->Follow(kAll).ok());
  EXPECT_EQ(replay->digest(), store->state().digest);
  ASSERT_EQ(replayed.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_EQ(replayed[i].outcomes, steps[i].outcomes);
}

// A store that has applied the first 400 records of the log.
class OtherLogTest : public EngineTest {
 protected:
  void SetUp() override { ASSERT_TRUE(OpenEngine(log_, store_.get())->Follow(400).ok()); }

  absl::Status Open() { return Engine::Open(log_, store_.get(), {}).status(); }

  std::unique_ptr<LedgerStore> store_ = OpenStore(folder_.path());
};

TEST_F(OtherLogTest, TheRightOneOpens) {
  EXPECT_TRUE(Open().ok());
  log_.records().resize(400);
  EXPECT_TRUE(Open().ok());
}

TEST_F(OtherLogTest, AShorterLog) {
  log_.records().resize(399);
  const absl::Status status = Open();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), testing::AllOf(HasSubstr("399"), HasSubstr("400")));
}

TEST_F(OtherLogTest, AnotherLastRecord) {
  log_.records()[399].append_time_ms += 1;
  const absl::Status status = Open();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(),
              testing::AllOf(HasSubstr("not the one that the ledger's store was made from"),
                             HasSubstr("offset 399")));
}

TEST_F(OtherLogTest, AMissingLastRecord) {
  log_.records().erase(log_.records().begin() + 399);
  const absl::Status status = Open();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), testing::AllOf(HasSubstr("398"), HasSubstr("399")));
}

TEST_F(OtherLogTest, AnEarlierRecordWithOtherOutcomes) {
  log_.records()[200].bytes = "no event";
  const absl::Status status = Open();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("digest"));
}

TEST_F(OtherLogTest, ARebuildCanBeGivenUp) {
  EngineOptions options = {.max_batch_records = 100};
  std::vector<std::uint64_t> seen;
  options.on_rebuild = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_EQ(all, 400U);
    seen.push_back(done);
    return done < 200;
  };
  EXPECT_EQ(Engine::Open(log_, store_.get(), options).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{100, 200}));
}

}  // namespace
}  // namespace qmarket
