// The event log on a real broker.
#include "events/kafka/kafka_log.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/event_log.h"
#include "events/kafka/transactional_producer.h"
#include "tests/events_kafka/broker.h"

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kDurable = EventLog::Durability::kDurable;
constexpr std::size_t kAll = 1U << 20U;

class KafkaLogTest : public BrokerTest {
 protected:
  std::unique_ptr<KafkaLog> MustOpen() {
    absl::StatusOr<std::unique_ptr<KafkaLog>> log = KafkaLog::Open(config, topics);
    EXPECT_TRUE(log.ok()) << log.status();
    return log.ok() ? *std::move(log) : nullptr;
  }

  // All records from `from` on, and where the log goes on.
  static LogBatch ReadToEnd(KafkaLog& log, std::uint64_t from) {
    LogBatch all;
    all.next_offset = from;
    while (!all.at_end) {
      absl::StatusOr<LogBatch> batch = log.Read(all.next_offset, kAll, kAll);
      EXPECT_TRUE(batch.ok()) << batch.status();
      if (!batch.ok()) break;
      for (LogRecord& record : batch->records)
        all.records.push_back(std::move(record));
      all.next_offset = batch->next_offset;
      all.at_end = batch->at_end;
    }
    return all;
  }

  static std::vector<std::string> BytesOf(const LogBatch& batch) {
    std::vector<std::string> bytes;
    for (const LogRecord& record : batch.records)
      bytes.push_back(record.bytes);
    return bytes;
  }
};

TEST_F(KafkaLogTest, GivesBackWhatWasAppended) {
  const std::unique_ptr<KafkaLog> log = MustOpen();
  EXPECT_THAT(ReadToEnd(*log, 0).records, IsEmpty());
  const std::int64_t before_ms = absl::ToUnixMillis(absl::Now());
  const absl::StatusOr<AppendedRange> range =
      log->Append({"a", "", std::string("\0\xff", 2)}, kDurable);
  ASSERT_TRUE(range.ok()) << range.status();
  EXPECT_EQ(range->first, 0U);
  EXPECT_EQ(range->end, 3U);
  const LogBatch batch = ReadToEnd(*log, 0);
  EXPECT_THAT(BytesOf(batch), ElementsAre("a", "", std::string("\0\xff", 2)));
  EXPECT_EQ(batch.next_offset, 3U);
  EXPECT_GE(batch.records[0].append_time_ms, before_ms - 1000);
  EXPECT_EQ(*log->EndOffset(), 3U);
  EXPECT_THAT(BytesOf(ReadToEnd(*log, 2)), ElementsAre(std::string("\0\xff", 2)));
}

TEST_F(KafkaLogTest, ReadsInPiecesAndFromAnyOffset) {
  const std::unique_ptr<KafkaLog> log = MustOpen();
  std::vector<std::string> records;
  for (int i = 0; i < 1000; ++i)
    records.push_back(absl::StrCat("record ", i));
  ASSERT_TRUE(log->Append(records, kDurable).ok());
  std::uint64_t next = 0;
  while (next < 1000) {
    const absl::StatusOr<LogBatch> batch = log->Read(next, 7, kAll);
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_LE(batch->records.size(), 7U);
    for (const LogRecord& record : batch->records)
      EXPECT_EQ(record.bytes, records[record.offset]);
    next = batch->next_offset;
  }
  for (const std::uint64_t from : {999U, 0U, 500U, 501U, 3U}) {
    const absl::StatusOr<LogBatch> batch = log->Read(from, 1, kAll);
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_EQ(batch->records.size(), 1U);
    EXPECT_EQ(batch->records[0].bytes, records[from]);
  }
  EXPECT_EQ(BytesOf(*log->Read(0, kAll, 100)).size(), 13U);  // about 100 bytes
}

TEST_F(KafkaLogTest, FindsByTimeOfAppending) {
  const std::unique_ptr<KafkaLog> log = MustOpen();
  ASSERT_TRUE(log->Append({"a", "b"}, kDurable).ok());
  absl::SleepFor(absl::Milliseconds(50));
  ASSERT_TRUE(log->Append({"c"}, kDurable).ok());
  const std::int64_t time_ms = ReadToEnd(*log, 2).records.at(0).append_time_ms;
  EXPECT_EQ(*log->FindByTime(time_ms), 2U);
  EXPECT_EQ(*log->FindByTime(0), 0U);
  EXPECT_EQ(*log->FindByTime(time_ms + 1), 3U);
}

TEST_F(KafkaLogTest, WaitsForARecord) {
  const std::unique_ptr<KafkaLog> log = MustOpen();
  EXPECT_FALSE(*log->WaitFor(0, absl::Milliseconds(100)));
  std::thread writer([this] { EXPECT_TRUE(MustOpen()->Append({"a"}, kDurable).ok()); });
  EXPECT_TRUE(*log->WaitFor(0, absl::Seconds(30)));
  writer.join();
  EXPECT_THAT(BytesOf(ReadToEnd(*log, 0)), ElementsAre("a"));
}

TEST_F(KafkaLogTest, TransactionsLeaveHoles) {
  const std::unique_ptr<KafkaLog> log = MustOpen();
  // The brokers mark the end of a transaction some time after it is committed.
  const auto wait_for_end = [&](std::uint64_t end) {
    for (int i = 0; i < 300 && *log->EndOffset() < end; ++i)
      absl::SleepFor(absl::Milliseconds(100));
    EXPECT_EQ(*log->EndOffset(), end);
  };
  ASSERT_TRUE(log->Append({"a"}, kDurable).ok());
  const std::atomic<bool> stop = false;
  const auto producer = TransactionalProducer::Open(config, topics.market, {topics.events}, stop);
  ASSERT_TRUE(producer.ok()) << producer.status();
  const std::vector<KeyedRecord> tick = {{topics.events, "", "tick", {}}};
  ASSERT_TRUE((*producer)->Commit(tick).ok());
  wait_for_end(3);
  ASSERT_TRUE(log->Append({"b"}, kDurable).ok());
  const LogBatch batch = ReadToEnd(*log, 0);
  EXPECT_THAT(BytesOf(batch), ElementsAre("a", "tick", "b"));
  EXPECT_EQ(batch.records.back().offset, 3U);  // the end of the transaction is at 2
  ASSERT_TRUE((*producer)->Commit(tick).ok());
  wait_for_end(6);
  const LogBatch rest = ReadToEnd(*log, batch.next_offset);
  EXPECT_THAT(BytesOf(rest), ElementsAre("tick"));
  EXPECT_EQ(rest.next_offset, 6U);  // behind the hole at the end
}

TEST_F(KafkaLogTest, NamesItselfByClusterAndTopic) {
  const std::unique_ptr<KafkaLog> log = MustOpen();
  EXPECT_THAT(log->Identity(), testing::MatchesRegex("kafka:.+/" + topics.events));
  EXPECT_EQ(log->Identity(), MustOpen()->Identity());
}

TEST_F(KafkaLogTest, SaysWhatIsLost) {
  const std::unique_ptr<KafkaLog> log = MustOpen();
  ASSERT_TRUE(log->Append({"a"}, kDurable).ok());
  absl::Status beyond;
  for (int i = 0; i < 20 && beyond.ok(); ++i)
    beyond = log->Read(5, kAll, kAll).status();
  EXPECT_EQ(beyond.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(beyond.message()), HasSubstr("ends at offset 1, and offset 5"));
}

TEST_F(KafkaLogTest, AMissingTopicIsSaidWithWhatToDo) {
  const MarketTopics none = NewTopics();
  const absl::Status status = KafkaLog::Open(config, none).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("qmarket topics create"));
}

TEST_F(KafkaLogTest, ALargeRecordIsRefusedAndASmallOneIsNot) {
  const std::unique_ptr<KafkaLog> log = MustOpen();
  EXPECT_TRUE(log->Append({std::string(10 << 20, 'x')}, kDurable).ok());
  const absl::Status status = log->Append({std::string(21 << 20, 'x')}, kDurable).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_TRUE(log->Append({"small"}, kDurable).ok());
  EXPECT_EQ(ReadToEnd(*log, 0).records.size(), 2U);
}

TEST(KafkaLog, NoBrokerIsUnavailable) {
  KafkaConfig config = {.brokers = "127.0.0.1:1", .timeout = absl::Milliseconds(500)};
  const absl::Status status = KafkaLog::Open(config, *TopicsOfMarket("qmarket", "x")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("127.0.0.1:1"));
}

TEST(KafkaLog, PropertiesThatAreWrongAreNamed) {
  for (const char* key : {"no.such.property", "isolation.level", "bootstrap.servers"}) {
    const KafkaConfig config = {.brokers = "127.0.0.1:1", .properties = {{key, "secret"}}};
    const absl::Status status = KafkaLog::Open(config, *TopicsOfMarket("qmarket", "x")).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(key));
    EXPECT_THAT(std::string(status.message()), testing::Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace qmarket
