#include "connectors/cli/strict_json.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qmarket {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  return std::string(ParseStrictJson(text).status().message());
}

TEST(ParseStrictJson, ReadsJson) {
  const auto tree = ParseStrictJson(R"({"a": [1, -2, {"b": "c"}], "d": null, "e": 1.5})");
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ((*tree)["a"][2]["b"], "c");
  EXPECT_EQ((*tree)["a"].size(), 3U);
}

TEST(ParseStrictJson, NamesLineAndColumnOfBadSyntax) {
  EXPECT_THAT(ErrorOf("{\n  \"a\": }"), HasSubstr("not JSON: line 2, column 8"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("{} {}"), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("{\"a\": 1"), HasSubstr("unexpected end of input"));
  EXPECT_THAT(ErrorOf("{\"a\": NaN}"), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("{\"a\": \"\xFF\"}"), HasSubstr("UTF-8"));
}

TEST(ParseStrictJson, RefusesAKeyGivenTwice) {
  EXPECT_EQ(ErrorOf(R"({"a": 1, "a": 1})"), "a is given twice, expected each field once");
  EXPECT_EQ(ErrorOf(R"({"p": [{"x": 1}, {"x": {"y": 1, "z": 2, "y": 3}}]})"),
            "p[1].x.y is given twice, expected each field once");
}

TEST(ParseStrictJson, RefusesIntegersBeyond64Bits) {
  EXPECT_EQ(ErrorOf(R"({"p": [1, 18446744073709551616]})"),
            "p[1] is 18446744073709551616, expected an integer of at most 64 bits");
  EXPECT_EQ(ErrorOf(R"({"p": {"q": -9223372036854775809}})"),
            "p.q is -9223372036854775809, expected an integer of at most 64 bits");
  EXPECT_TRUE(ParseStrictJson("[18446744073709551615, -9223372036854775808]").ok());
}

TEST(ParseStrictJson, RefusesDeepNesting) {
  EXPECT_THAT(ErrorOf(std::string(1'000'000, '[')), HasSubstr("nested too deeply"));
}

struct Read {
  std::int64_t number = 0;
  std::string error;
};

Read ReadNumber(const std::string& text) {
  const auto tree = ParseStrictJson(text);
  JsonErrors errors;
  JsonObject object(*tree, "top", errors);
  Read read;
  read.number = object.Integer<std::int64_t>("n", {1, 10});
  object.Boolean("b", true);
  object.Finish();
  read.error = std::string(errors.status().message());
  return read;
}

TEST(JsonObject, ReadsFields) {
  const Read read = ReadNumber(R"({"n": 7, "b": false})");
  EXPECT_EQ(read.number, 7);
  EXPECT_EQ(read.error, "");
}

TEST(JsonObject, NamesPathValueAndExpectation) {
  EXPECT_EQ(ReadNumber(R"({"n": 11})").error, "top.n is 11, expected an integer from 1 to 10");
  EXPECT_EQ(ReadNumber(R"({"n": 2.0})").error, "top.n is 2.0, expected an integer from 1 to 10");
  EXPECT_EQ(ReadNumber(R"({"n": "2"})").error, "top.n is \"2\", expected an integer from 1 to 10");
  EXPECT_EQ(ReadNumber(R"({"n": true})").error, "top.n is true, expected an integer from 1 to 10");
  EXPECT_EQ(ReadNumber(R"({"n": null})").error, "top.n is null, expected an integer from 1 to 10");
  EXPECT_EQ(ReadNumber("{}").error, "top.n is missing, expected a value: the field is required");
  EXPECT_EQ(ReadNumber(R"({"n": 1, "b": 0})").error, "top.b is 0, expected true or false");
  EXPECT_EQ(ReadNumber(R"({"n": 1, "m": 2})").error,
            "top.m is an unknown field, expected one of n, b");
  EXPECT_EQ(ReadNumber("[]").error, "top is [], expected an object");
}

TEST(JsonValueText, CutsLongValues) {
  EXPECT_LT(JsonValueText(std::string(10'000, 'x')).size(), 100U);
}

}  // namespace
}  // namespace qmarket
