#include "matcher/process/outcome_index.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "events/outcome.h"
#include "events/outcome_codec.h"
#include "ledger/store/commit.h"

namespace qmarket {
namespace {

IndexEntry Entry(IndexKind kind, const std::string& name, const std::vector<Outcome>& outcomes) {
  return {.kind = static_cast<std::uint8_t>(kind), .name = name, .value = EncodeOutcomes(outcomes)};
}

TEST(OutcomeIndexTest, OneEntryForEachThing) {
  MarketCleared cleared;
  cleared.resource = "h100";
  QuotaChanged quota;
  quota.team = "vision";
  quota.resource = "h100";
  BidFilled filled;
  filled.bid = "a";
  BidPreempted preempted;
  preempted.bid = "b";
  preempted.lost = 4;
  BidFilled filled_too;
  filled_too.bid = "b";
  const CreditsPosted posted;
  const EventLate late;
  const std::vector<Outcome> outcomes = {preempted, cleared, filled_too, posted,
                                         filled,    quota,   late};
  EXPECT_EQ(IndexOf(outcomes),
            (std::vector<IndexEntry>{Entry(IndexKind::kResource, "h100", {cleared}),
                                     Entry(IndexKind::kBid, "a", {filled}),
                                     Entry(IndexKind::kBid, "b", {preempted, filled_too}),
                                     Entry(IndexKind::kQuota, "vision\x01h100", {quota})}));
}

TEST(OutcomeIndexTest, RejectionsHaveNoName) {
  EventRejected rejected;
  rejected.event_id = "e";
  rejected.code = RejectionCode::kBidEnded;
  EXPECT_EQ(IndexOf({rejected}),
            (std::vector<IndexEntry>{Entry(IndexKind::kRejection, "", {rejected})}));
}

TEST(OutcomeIndexTest, NothingOfNothing) {
  EXPECT_TRUE(IndexOf({}).empty());
}

TEST(OutcomeIndexTest, QuotaNamesComeBack) {
  // Names of teams and resources may hold all of these.
  const QuotaName name = ParseQuotaIndexName(QuotaIndexName("a/b:c@d", "h100@us-east.1"));
  EXPECT_EQ(name.team, "a/b:c@d");
  EXPECT_EQ(name.resource, "h100@us-east.1");
  EXPECT_EQ(ParseQuotaIndexName("no separator").team, "no separator");
  EXPECT_EQ(ParseQuotaIndexName("no separator").resource, "");
}

}  // namespace
}  // namespace qmarket
