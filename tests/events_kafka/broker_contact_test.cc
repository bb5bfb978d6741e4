#include "events/kafka/broker_contact.h"

#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(BrokerContact, ReportsOnceThatBrokersAreAwayAndOnceThatTheyAreBack) {
  std::vector<std::string> lines;
  BrokerContact contact([&](const std::string& line) { lines.push_back(line); });
  contact.Answered();
  EXPECT_THAT(lines, IsEmpty());
  contact.Lost("Connection refused");
  contact.Lost("Connection refused");
  contact.Answered();
  contact.Answered();
  EXPECT_THAT(lines, ElementsAre(HasSubstr("Connection refused"), HasSubstr("answers again")));
}

TEST(BrokerContact, RemembersALongOutage) {
  BrokerContact contact([](const std::string&) {});
  const absl::Time start = absl::Now();
  contact.Lost("gone");
  absl::SleepFor(absl::Milliseconds(30));
  EXPECT_TRUE(contact.WasAway(absl::Milliseconds(20), start));
  EXPECT_FALSE(contact.WasAway(absl::Hours(1), start));
  contact.Answered();
  EXPECT_TRUE(contact.WasAway(absl::Milliseconds(20), start));
  EXPECT_FALSE(contact.WasAway(absl::Milliseconds(20), absl::Now()));
}

}  // namespace
}  // namespace qmarket
