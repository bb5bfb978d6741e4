#include "events/kafka/record_headers.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/event.h"
#include "events/event_codec.h"
#include "events/outcome.h"
#include "events/outcome_wire.h"

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> Pairs(const std::vector<RecordHeader>& headers) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const RecordHeader& header : headers)
    pairs.emplace_back(header.name, header.value);
  return pairs;
}

TEST(RecordHeaders, OfAnEvent) {
  const std::string bytes = EncodeEvent({.event_id = "e-1",
                                         .time_ms = 1'767'225'600'007,
                                         .actor = "user:ana",
                                         .source = "slurm/eu 1|",
                                         .payload = ClockTicked{}});
  EXPECT_THAT(Pairs(HeadersOfEvent("main", bytes)),
              ElementsAre(Pair("ce_specversion", "1.0"), Pair("ce_id", "e-1"),
                          Pair("ce_source", "/qmarket/main/slurm/eu%201%7C"),
                          Pair("ce_type", "qmarket.event.ClockTicked"),
                          Pair("ce_time", "2026-01-01T00:00:00.007Z"),
                          Pair("content-type", "application/vnd.qmarket.event+flatbuffers")));
}

TEST(RecordHeaders, OfBytesThatAreNoEvent) {
  EXPECT_THAT(Pairs(HeadersOfEvent("main", "poison")),
              ElementsAre(Pair("content-type", "application/vnd.qmarket.event+flatbuffers")));
}

TEST(RecordHeaders, OfAnOutcome) {
  const OutcomeRecord record = {
      .offset = 7, .index = 2, .outcome = BidFilled{.bid = "b", .team = "t", .resource = "h100"}};
  EXPECT_THAT(
      Pairs(HeadersOfOutcome("main", record, 1'767'225'600'000, kJsonContentType)),
      ElementsAre(Pair("ce_specversion", "1.0"), Pair("ce_id", "7-2"),
                  Pair("ce_source", "/qmarket/main"), Pair("ce_type", "qmarket.outcome.BidFilled"),
                  Pair("ce_time", "2026-01-01T00:00:00.000Z"),
                  Pair("content-type", "application/json")));
}

}  // namespace
}  // namespace qmarket
