// The topics of a market, one partition each.
//
//   absl::StatusOr<MarketTopics> topics = TopicsOfMarket("qmarket", "main");
//   topics->events    // "qmarket.main.events"
//
// Pure functions.
#ifndef QMARKET_EVENTS_KAFKA_MARKET_TOPICS_H_
#define QMARKET_EVENTS_KAFKA_MARKET_TOPICS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace qmarket {

inline constexpr char kDefaultTopicPrefix[] = "qmarket";

struct MarketTopics {
  std::string prefix;
  std::string market;
  std::string events;         // PREFIX.MARKET.events: the log
  std::string outcomes;       // PREFIX.MARKET.outcomes: what it led to
  std::string outcomes_json;  // PREFIX.MARKET.outcomes.json: the same for readers of JSON
};

// Errors: InvalidArgument, the prefix or the market has other characters than A-Z a-z 0-9 . _ -, is
// empty, or the topics' names would have more than 249.
[[nodiscard]] absl::StatusOr<MarketTopics> TopicsOfMarket(absl::string_view prefix,
                                                          absl::string_view market);

// The market whose events are in the topic; none where it is no such topic.
[[nodiscard]] std::optional<std::string> MarketOfEventsTopic(absl::string_view prefix,
                                                             absl::string_view topic);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_MARKET_TOPICS_H_
