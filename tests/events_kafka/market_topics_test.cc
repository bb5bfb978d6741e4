#include "events/kafka/market_topics.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace qmarket {
namespace {

TEST(MarketTopics, AreNamedByPrefixAndMarket) {
  const auto topics = TopicsOfMarket("qmarket", "eu-1");
  ASSERT_TRUE(topics.ok()) << topics.status();
  EXPECT_EQ(topics->market, "eu-1");
  EXPECT_EQ(topics->events, "qmarket.eu-1.events");
  EXPECT_EQ(topics->outcomes, "qmarket.eu-1.outcomes");
  EXPECT_EQ(topics->outcomes_json, "qmarket.eu-1.outcomes.json");
}

TEST(MarketTopics, RefusesWhatKafkaDoesNotTake) {
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a/b"),
                                  std::string("ü"), std::string(240, 'a')}) {
    EXPECT_EQ(TopicsOfMarket("qmarket", name).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(TopicsOfMarket(name, "main").status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(MarketTopics, AMarketIsFoundByItsEvents) {
  EXPECT_EQ(MarketOfEventsTopic("a.b", "a.b.c.d.events"), "c.d");
  for (const char* topic : {"a.b.c.outcomes", "a.c.events", "a.b.events", "a.b..events", ""}) {
    const std::optional<std::string> market = MarketOfEventsTopic("a.b", topic);
    EXPECT_FALSE(market.has_value()) << topic << " gives " << *market;
  }
}

}  // namespace
}  // namespace qmarket
