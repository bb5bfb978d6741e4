#include "events/kafka/market_topics.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace qmarket {
namespace {

constexpr std::size_t kMaxTopicName = 249;
constexpr char kEvents[] = ".events";

bool IsLegal(absl::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return absl::ascii_isalnum(byte) || c == '.' || c == '_' || c == '-';
  });
}

}  // namespace

absl::StatusOr<MarketTopics> TopicsOfMarket(absl::string_view prefix, absl::string_view market) {
  for (const auto& [what, name] :
       {std::pair("topic prefix", prefix), std::pair("market", market)}) {
    if (IsLegal(name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(what, " \"", name, "\": expected one or more of A-Z a-z 0-9 . _ -"));
  }
  const std::string base = absl::StrCat(prefix, ".", market);
  MarketTopics topics = {.prefix = std::string(prefix),
                         .market = std::string(market),
                         .events = absl::StrCat(base, kEvents),
                         .outcomes = absl::StrCat(base, ".outcomes"),
                         .outcomes_json = absl::StrCat(base, ".outcomes.json")};
  if (topics.outcomes_json.size() > kMaxTopicName) {
    return absl::InvalidArgumentError(
        absl::StrCat("topic ", topics.outcomes_json, " has ", topics.outcomes_json.size(),
                     " characters, expected at most ", kMaxTopicName));
  }
  return topics;
}

std::optional<std::string> MarketOfEventsTopic(absl::string_view prefix, absl::string_view topic) {
  const std::string start = absl::StrCat(prefix, ".");
  const std::size_t around = start.size() + sizeof(kEvents) - 1;
  if (topic.size() <= around || !absl::StartsWith(topic, start) ||
      !absl::EndsWith(topic, kEvents)) {
    return std::nullopt;
  }
  return std::string(topic.substr(start.size(), topic.size() - around));
}

}  // namespace qmarket
