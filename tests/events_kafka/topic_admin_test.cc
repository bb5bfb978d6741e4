#include "events/kafka/topic_admin.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/events_kafka/broker.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

using TopicAdminTest = BrokerTest;

TEST_F(TopicAdminTest, MakesWhatIsMissingAndLeavesTheRest) {
  const MarketTopics fresh = NewTopics();
  const auto none = CheckTopics(config, fresh, {});
  ASSERT_TRUE(none.ok()) << none.status();
  ASSERT_EQ(none->size(), 2U);
  EXPECT_FALSE((*none)[0].exists);
  EXPECT_EQ(TopicProblem(*none, "make").code(), absl::StatusCode::kNotFound);
  const auto made = CreateTopics(config, fresh, {});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE((*made)[0].created && (*made)[1].created);
  const auto again = CreateTopics(config, fresh, {.replication = 0, .mirror_json = true});
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->size(), 3U);
  EXPECT_FALSE((*again)[0].created || (*again)[1].created);
  EXPECT_TRUE((*again)[2].created);
  for (const TopicReport& report : *again)
    EXPECT_TRUE(report.ok()) << report.topic;
  EXPECT_TRUE(TopicProblem(*again, "make").ok());
}

TEST_F(TopicAdminTest, AnImpossibleReplicationIsRefused) {
  const auto made = CreateTopics(config, NewTopics(), {.replication = 99, .mirror_json = false});
  EXPECT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument) << made.status();
}

TEST(TopicProblem, NamesTheFirstThatIsRequiredAndWrong) {
  std::vector<TopicReport> reports = {
      {.topic = "t",
       .exists = true,
       .created = false,
       .settings = {{"replication.factor", "1", "at least 3", false, false},
                    {"retention.ms", "604800000", "-1", false, true}}}};
  EXPECT_FALSE(reports[0].ok());
  const absl::Status status = TopicProblem(reports, "make");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("retention.ms=604800000, expected -1"));
  reports[0].settings.pop_back();
  EXPECT_TRUE(reports[0].ok());
  EXPECT_TRUE(TopicProblem(reports, "make").ok());
}

}  // namespace
}  // namespace qmarket
