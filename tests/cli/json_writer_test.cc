#include "connectors/cli/json_writer.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace qmarket {
namespace {

TEST(JsonWriter, WritesOneLine) {
  JsonWriter json(JsonWriter::Layout::kOneLine);
  json.BeginObject()
      .Field("a", 1)
      .Key("b")
      .BeginArray()
      .Value(true)
      .Null()
      .Value("x")
      .EndArray()
      .Key("c")
      .BeginObject()
      .EndObject()
      .Field("d", std::optional<std::int64_t>())
      .EndObject();
  EXPECT_EQ(json.Take(), R"({"a": 1, "b": [true, null, "x"], "c": {}, "d": null})"
                         "\n");
}

TEST(JsonWriter, IndentsDocuments) {
  JsonWriter json;
  json.BeginObject().Key("a").BeginArray().Value(1).Value(2).EndArray().Field("b", "c").EndObject();
  EXPECT_EQ(json.Take(), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": \"c\"\n}\n");
}

TEST(JsonWriter, KeepsWholeNumbersExact) {
  JsonWriter json(JsonWriter::Layout::kOneLine);
  json.BeginArray()
      .Value(std::numeric_limits<std::int64_t>::min())
      .Value(std::numeric_limits<std::uint64_t>::max())
      .Value(kMaxInt128)
      .Value(-kMaxInt128 - 1)
      .Value(kMaxUint128)
      .EndArray();
  EXPECT_EQ(json.Take(),
            "[-9223372036854775808, 18446744073709551615, "
            "170141183460469231731687303715884105727, -170141183460469231731687303715884105728, "
            "340282366920938463463374607431768211455]\n");
}

std::string Quoted(absl::string_view text) {
  JsonWriter json(JsonWriter::Layout::kOneLine);
  json.Value(text);
  return json.Take();
}

TEST(JsonWriter, EscapesText) {
  EXPECT_EQ(Quoted("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\u000a\\u0001\"\n");
  EXPECT_EQ(Quoted("é€😀"), "\"é€😀\"\n");
}

TEST(JsonWriter, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(Quoted("\xFF"), "\"\xEF\xBF\xBD\"\n");
  EXPECT_EQ(Quoted("a\xC3"), "\"a\xEF\xBF\xBD\"\n");                                // cut short
  EXPECT_EQ(Quoted("\xC0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"\n");                  // overlong
  EXPECT_EQ(Quoted("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"\n");  // a surrogate
}

TEST(JsonWriterDeathTest, StopsOnMisuse) {
  EXPECT_DEATH(JsonWriter().BeginObject().Value(1), "a value without its key");
  EXPECT_DEATH(JsonWriter().BeginArray().EndObject(), "an end out of place");
  EXPECT_DEATH(JsonWriter().BeginArray().Key("a"), "a key out of place");
}

}  // namespace
}  // namespace qmarket
