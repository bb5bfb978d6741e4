#include "connectors/simulate/csv.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// All rows of the columns a and b, or the message of the first error.
std::vector<std::string> Rows(const std::string& text) {
  CsvReader csv("f.csv", text);
  const absl::Status header = csv.ReadHeader({"a", "b"});
  if (!header.ok()) return {std::string(header.message())};
  std::vector<std::string> rows;
  for (;;) {
    const absl::StatusOr<bool> more = csv.Next();
    if (!more.ok()) {
      rows.emplace_back(more.status().message());
      return rows;
    }
    if (!*more) return rows;
    rows.push_back(std::string(csv.cell(0)) + "|" + std::string(csv.cell(1)));
  }
}

TEST(CsvTest, FindsColumnsByNameAndIgnoresOthers) {
  EXPECT_THAT(Rows("x,b,a\n1,2,3\n4,5,6\n"), ElementsAre("3|2", "6|5"));
}

TEST(CsvTest, ToleratesLineEndsMarksQuotesAndBlankLines) {
  EXPECT_THAT(Rows("\xEF\xBB\xBF"
                   "a,b\r\n1,2\r\n\r\n\"3\",\"x \"\"y\"\", z\"\r\n5,"),
              ElementsAre("1|2", "3|x \"y\", z", "5|"));
}

TEST(CsvTest, KeepsLineEndsInsideQuotes) {
  EXPECT_THAT(Rows("a,b\n1,\"two\nlines\"\n3,4,5\n"),
              ElementsAre("1|two\nlines", "f.csv:4: 3 cells; expected 2 as in the header"));
}

TEST(CsvTest, SaysWhichColumnIsMissingOrThereTwice) {
  EXPECT_THAT(Rows("a,c\n"), ElementsAre("f.csv:1: column b is missing; expected at least a,b"));
  EXPECT_THAT(Rows("a,b,a\n"), ElementsAre("f.csv:1: column a stands in the header twice"));
  EXPECT_THAT(Rows("").front(), HasSubstr("expected a header line"));
  EXPECT_THAT(Rows("\n\n").front(), HasSubstr("expected a header line"));
}

TEST(CsvTest, RefusesBrokenRows) {
  EXPECT_THAT(Rows("a,b\n1\n"), ElementsAre("f.csv:2: 1 cells; expected 2 as in the header"));
  EXPECT_THAT(Rows("a,b\n1,\"2\n").back(), HasSubstr("f.csv:2: a quote that is not closed"));
  EXPECT_THAT(Rows("a,b\n1,\"2\"3\n").back(), HasSubstr("text after a closing quote"));
  EXPECT_THAT(Rows("a,b\n1,2\"\n").back(), HasSubstr("a quote inside a cell"));
  EXPECT_THAT(Rows(std::string("a,b\n1,\0\n", 8)).back(), HasSubstr("a zero byte"));
  EXPECT_THAT(Rows(std::string("a,b\n1,\"\0\"\n", 10)).back(), HasSubstr("a zero byte"));
}

CsvReader OneCell(const std::string& cell) {
  CsvReader csv("f.csv", "n,unused\n" + cell + ",\n");
  EXPECT_TRUE(csv.ReadHeader({"n"}, {"more"}).ok());
  EXPECT_TRUE(*csv.Next());
  return csv;
}

TEST(CsvTest, ReadsWholeNumbersStrictly) {
  EXPECT_EQ(*OneCell("42").Integer(0, 0, 42), 42);
  EXPECT_EQ(*OneCell("-1").Integer(0, -1, 42), -1);
  for (const char* bad :
       {"", " 1", "1 ", "+1", "1.0", "0x10", "1e3", "43", "-1", "99999999999999999999", "one"}) {
    const absl::StatusOr<std::int64_t> number = OneCell(bad).Integer(0, 0, 42);
    ASSERT_FALSE(number.ok()) << bad;
    EXPECT_EQ(number.status().message(), "f.csv:2: column n: \"" + std::string(bad) +
                                             "\": expected a whole number from 0 to 42");
  }
}

TEST(CsvTest, ReadsDecimalsExactly) {
  EXPECT_EQ(*OneCell("12.5").Decimal(0, 3, 0, 20'000), 12'500);
  EXPECT_EQ(*OneCell("12").Decimal(0, 3, 0, 20'000), 12'000);
  EXPECT_EQ(*OneCell("0.0010000").Decimal(0, 3, 0, 20'000), 1);
  for (const char* bad : {"", ".5", "5.", "1.2.3", "-1", "0.0001", "20.001", "1,5", "nan", "1e1"}) {
    EXPECT_FALSE(OneCell("\"" + std::string(bad) + "\"").Decimal(0, 3, 0, 20'000).ok()) << bad;
  }
  EXPECT_THAT(OneCell("x").Decimal(0, 3, 1, 20'500).status().message(),
              HasSubstr("expected a number from 0.001 to 20.5 with at most 3 decimals"));
}

TEST(CsvTest, AbsentOptionalColumnsAreEmpty) {
  const CsvReader csv = OneCell("1");
  EXPECT_FALSE(csv.has(1));
  EXPECT_EQ(csv.cell(1), "");
}

// No text makes the reader crash or go on for ever. Every byte string of a small alphabet.
TEST(CsvTest, SurvivesAnyShortText) {
  const std::string alphabet = "a,\"\n\r";
  std::size_t rows = 0;
  std::vector<std::string> texts = {""};
  for (int length = 0; length < 7; ++length) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      for (const char c : alphabet) {
        longer.push_back(text + c);
        rows += Rows("a,b\n" + longer.back()).size();
      }
    }
    texts = std::move(longer);
  }
  EXPECT_GT(rows, 0U);
}

}  // namespace
}  // namespace qmarket
