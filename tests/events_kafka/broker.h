// The broker of the tests, and topics of their own on it.
#ifndef QMARKET_TESTS_EVENTS_KAFKA_BROKER_H_
#define QMARKET_TESTS_EVENTS_KAFKA_BROKER_H_

#include <cstdlib>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#include "events/kafka/kafka_config.h"
#include "events/kafka/market_topics.h"
#include "events/kafka/topic_admin.h"

namespace qmarket {

// Skips where there is no broker; else `config` reaches it, and `topics` are new.
class BrokerTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* const brokers = std::getenv("QMARKET_KAFKA_BROKERS");
    if (brokers == nullptr || *brokers == '\0') {
      GTEST_SKIP() << "QMARKET_KAFKA_BROKERS names no broker; tools/kafka starts one";
    }
    config.brokers = brokers;
    topics = NewTopics();
    if (HasFatalFailure()) return;
    const auto made = CreateTopics(config, topics, {});
    ASSERT_TRUE(made.ok()) << made.status();
    ASSERT_TRUE(TopicProblem(*made, "make").ok()) << TopicProblem(*made, "make");
  }

  // Names that no other run has.
  static MarketTopics NewTopics() {
    std::random_device random;
    return *TopicsOfMarket("qmarket", absl::StrCat("test-", absl::Hex(random()),
                                                   absl::Hex(random(), absl::kZeroPad8)));
  }

  KafkaConfig config;
  MarketTopics topics;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_EVENTS_KAFKA_BROKER_H_
