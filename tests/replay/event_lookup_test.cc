#include "replay/event_lookup.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/embedded_log.h"
#include "events/event.h"
#include "events/event_codec.h"
#include "tests/support/memory_log.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

// Counts what is read.
class CountingLog : public MemoryLog {
 public:
  absl::StatusOr<LogBatch> Read(std::uint64_t from, std::size_t max_records,
                                std::size_t max_bytes) override {
    absl::StatusOr<LogBatch> batch = MemoryLog::Read(from, max_records, max_bytes);
    ++reads;
    if (batch.ok()) records_read += batch->records.size();
    return batch;
  }

  int reads = 0;
  std::size_t records_read = 0;
};

Event EventNumber(std::uint64_t number) {
  return {.event_id = absl::StrCat("e", number),
          .time_ms = 1'000 + static_cast<std::int64_t>(number),
          .actor = absl::StrCat("actor", number),
          .source = "test",
          .payload = BudgetGranted{.team = "vision", .amount_micros = 1, .memo = ""}};
}

void Fill(EventLog& log, std::uint64_t events) {
  std::vector<std::string> records;
  for (std::uint64_t i = 0; i < events; ++i) {
    records.push_back(EncodeEvent(EventNumber(i)));
  }
  ASSERT_TRUE(log.Append(records, EventLog::Durability::kBuffered).ok());
}

TEST(EventLookupTest, SaysAllOfAnEvent) {
  MemoryLog log;
  log.set_append_time_ms(5'000);
  Fill(log, 3);
  EventLookup lookup(log);
  const auto head = lookup.At(1);
  ASSERT_TRUE(head.ok()) << head.status();
  EXPECT_EQ(*head, (EventHead{.offset = 1,
                              .event_id = "e1",
                              .time_ms = 1'001,
                              .append_time_ms = 5'000,
                              .actor = "actor1",
                              .source = "test",
                              .payload_type = "BudgetGranted"}));
}

TEST(EventLookupTest, ReadsForwardOnceWhereOffsetsGrow) {
  CountingLog log;
  constexpr std::uint64_t kEvents = 20'000;
  Fill(log, kEvents);
  EventLookup lookup(log);
  for (std::uint64_t offset = 0; offset < kEvents; offset += 7) {
    const auto head = lookup.At(offset);
    ASSERT_TRUE(head.ok()) << head.status();
    ASSERT_EQ(head->event_id, absl::StrCat("e", offset));
    ASSERT_EQ(lookup.At(offset)->offset, offset);  // the same again costs nothing
  }
  EXPECT_EQ(log.records_read, kEvents);
  EXPECT_LT(log.reads, 40);
}

TEST(EventLookupTest, JumpsToAFarOffset) {
  CountingLog log;
  Fill(log, 100'000);
  EventLookup lookup(log);
  for (const std::uint64_t offset : {0U, 50'000U, 99'999U, 3U}) {
    ASSERT_EQ(lookup.At(offset)->event_id, absl::StrCat("e", offset));
  }
  EXPECT_EQ(log.reads, 4);
  EXPECT_LT(log.records_read, 300);
}

TEST(EventLookupTest, AnswersInAnyOrder) {
  CountingLog log;
  Fill(log, 5'000);
  EventLookup lookup(log);
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(absl::StrCat("seed ", kSeed));
  std::mt19937 random(kSeed);
  for (int i = 0; i < 1'000; ++i) {
    const std::uint64_t offset = random() % 5'000;
    ASSERT_EQ(lookup.At(offset)->event_id, absl::StrCat("e", offset));
  }
}

TEST(EventLookupTest, NotFoundInAHoleAndBehindTheEnd) {
  MemoryLog log;
  Fill(log, 10);
  log.records().erase(log.records().begin() + 4);
  EventLookup lookup(log);
  EXPECT_TRUE(absl::IsNotFound(lookup.At(4).status()));
  EXPECT_THAT(lookup.At(4).status().message(), HasSubstr("no record at offset 4"));
  EXPECT_TRUE(absl::IsNotFound(lookup.At(10).status()));
  EXPECT_TRUE(absl::IsNotFound(lookup.At(11).status()));
  EXPECT_TRUE(absl::IsNotFound(lookup.At(UINT64_MAX).status()));
  EXPECT_EQ(lookup.At(5)->event_id, "e5");
}

TEST(EventLookupTest, ARecordThatIsNoEventHasNoId) {
  MemoryLog log;
  log.set_append_time_ms(7);
  ASSERT_TRUE(log.Append({{"poison"}}, EventLog::Durability::kDurable).ok());
  EventLookup lookup(log);
  const auto head = lookup.At(0);
  ASSERT_TRUE(head.ok()) << head.status();
  EXPECT_EQ(*head, (EventHead{.offset = 0, .append_time_ms = 7}));
}

TEST(EventLookupTest, WorksOnTheEmbeddedLog) {
  const TempFolder folder;
  auto log = EmbeddedLog::Open(folder / "log", EmbeddedLog::Mode::kReadWrite);
  ASSERT_TRUE(log.ok()) << log.status();
  Fill(**log, 3'000);
  EventLookup lookup(**log);
  for (const std::uint64_t offset : {0U, 100U, 2'999U, 5U}) {
    const auto head = lookup.At(offset);
    ASSERT_TRUE(head.ok()) << head.status();
    EXPECT_EQ(head->event_id, absl::StrCat("e", offset));
  }
  EXPECT_TRUE(absl::IsNotFound(lookup.At(3'000).status()));
  EXPECT_TRUE(absl::IsNotFound(lookup.At(9'000).status()));
}

}  // namespace
}  // namespace qmarket
