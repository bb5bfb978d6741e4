#include "events/kafka/kafka_config.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::FieldsAre;

class KafkaConfigTest : public testing::Test {
 protected:
  absl::StatusOr<std::vector<KafkaProperty>> Read(const std::string& text) {
    const std::string path = folder_.path() + "/kafka.properties";
    std::ofstream(path) << text;
    return ReadKafkaProperties(path);
  }

 private:
  TempFolder folder_;
};

TEST_F(KafkaConfigTest, LinesAreKeysAndValues) {
  const auto properties = Read(
      "# how to reach the cluster\n"
      "security.protocol=SASL_SSL\n"
      "\n"
      "  sasl.password = a=b # c \r\n");
  ASSERT_TRUE(properties.ok()) << properties.status();
  EXPECT_THAT(*properties, ElementsAre(FieldsAre("security.protocol", "SASL_SSL"),
                                       FieldsAre("sasl.password", "a=b # c")));
}

TEST_F(KafkaConfigTest, ErrorsNameFileAndLine) {
  struct Case {
    const char* text;
    const char* message;
  };

  for (const Case& c : {Case{"\nnonsense\n", "kafka.properties:2: no \"=\"; expected key=value"},
                        Case{"=x", "kafka.properties:1: no key before \"=\"; expected key=value"},
                        Case{"a=1\na=2", "kafka.properties:2: a is given twice"}}) {
    const absl::Status status = Read(c.text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), EndsWith(c.message));
  }
}

TEST(KafkaConfig, AMissingFileIsAnError) {
  EXPECT_EQ(ReadKafkaProperties("/nowhere/x").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace qmarket
