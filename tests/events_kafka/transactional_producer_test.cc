#include "events/kafka/transactional_producer.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#include "events/event_log.h"
#include "events/kafka/last_record.h"
#include "tests/events_kafka/broker.h"

namespace qmarket {
namespace {

class TransactionalProducerTest : public BrokerTest {
 protected:
  std::unique_ptr<TransactionalProducer> MustOpen() {
    auto producer = TransactionalProducer::Open(config, topics.market, {topics.outcomes}, stop_);
    EXPECT_TRUE(producer.ok()) << producer.status();
    return producer.ok() ? *std::move(producer) : nullptr;
  }

  absl::Status Commit(TransactionalProducer& producer, const std::string& value, int count = 1) {
    std::vector<KeyedRecord> records;
    for (int i = 1; i <= count; ++i)
      records.push_back({topics.outcomes, "key", i < count ? absl::StrCat(i) : value, {}});
    return producer.Commit(records);
  }

  std::string LastValue() {
    const absl::StatusOr<std::optional<LogRecord>> last =
        ReadLastRecord(config, topics.outcomes, stop_);
    EXPECT_TRUE(last.ok()) << last.status();
    return last.ok() && last->has_value() ? (*last)->bytes : "none";
  }

 private:
  const std::atomic<bool> stop_ = false;
};

TEST_F(TransactionalProducerTest, CommitsAndTheLastRecordIsFound) {
  EXPECT_EQ(LastValue(), "none");
  const std::unique_ptr<TransactionalProducer> producer = MustOpen();
  ASSERT_TRUE(Commit(*producer, "a").ok());
  EXPECT_EQ(LastValue(), "a");
  ASSERT_TRUE(Commit(*producer, "b", 5000).ok());
  EXPECT_EQ(LastValue(), "b");
}

TEST_F(TransactionalProducerTest, ALaterOneFencesAnEarlierOne) {
  const std::unique_ptr<TransactionalProducer> first = MustOpen();
  ASSERT_TRUE(Commit(*first, "a").ok());
  const std::unique_ptr<TransactionalProducer> second = MustOpen();
  const absl::Status fenced = Commit(*first, "zombie");
  EXPECT_EQ(fenced.code(), absl::StatusCode::kAborted) << fenced;
  EXPECT_EQ(LastValue(), "a");
  EXPECT_TRUE(Commit(*second, "b").ok());
  EXPECT_EQ(Commit(*first, "zombie").code(), absl::StatusCode::kAborted);
  EXPECT_EQ(LastValue(), "b");
}

TEST_F(TransactionalProducerTest, TheLastRecordLiesBeforeManyMarkers) {
  const std::unique_ptr<TransactionalProducer> producer = MustOpen();
  ASSERT_TRUE(Commit(*producer, "a").ok());
  // Those that are fenced in the middle leave markers, and records that were aborted.
  for (int i = 0; i < 5; ++i)
    MustOpen();
  EXPECT_EQ(LastValue(), "a");
}

}  // namespace
}  // namespace qmarket
