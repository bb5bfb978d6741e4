// Events as JSON: what is read, and what each bad text is told.

#include "events/event_json.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/field_rules.h"
#include "rapidcheck/gtest.h"
#include "tests/events/samples.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

// An event around a payload.
std::string Around(const std::string& type, const std::string& payload) {
  return R"({"event_id": "e1", "time_ms": 5, "payload_type": ")" + type + R"(", "payload": )" +
         payload + "}";
}

std::string Bid(const std::string& more) {
  return Around("BidPlaced", R"({"bid": "b", "team": "t", "resource": "r")" + more + "}");
}

TEST(EventJson, ReadsTheFormOfTheContract) {
  const absl::StatusOr<Event> event =
      ParseEvent(R"({"event_id": "b7c1…", "time_ms": 1767225600000})");
  EXPECT_FALSE(event.ok());  // the dots are no ASCII, and there is no payload
  const absl::StatusOr<Event> whole = ParseEvent(
      R"({"event_id": "b7c1", "time_ms": 1767225600000, "actor": "user:ana", "source": "slurm",
          "payload_type": "BidPlaced",
          "payload": {"bid": "job-9181", "team": "vision", "resource": "h100", "chips": 64}})");
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(*whole, (Event{"b7c1", 1'767'225'600'000, "user:ana", "slurm",
                           BidPlaced{"job-9181", "vision", "h100", 64}}));
}

TEST(EventJson, KeysMayComeInAnyOrder) {
  const absl::StatusOr<Event> event = ParseEvent(
      R"({"payload": {"resource": "r", "chips": 4, "team": "t", "bid": "b"}, "time_ms": 5,
          "payload_type": "BidPlaced", "event_id": "e1"})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(*event, (Event{"e1", 5, "", "", BidPlaced{"b", "t", "r", 4}}));
}

TEST(EventJson, ReadsWhatItWrites) {
  for (const Event& event : SampleEvents()) {
    const std::string json = EventToJson(event);
    EXPECT_EQ(json.find('\n'), std::string::npos);
    const absl::StatusOr<Event> back = ParseEvent(json);
    ASSERT_TRUE(back.ok()) << json << "\n" << back.status();
    EXPECT_EQ(*back, event);
  }
}

RC_GTEST_PROP(EventJsonProperty, ReadsWhatItWrites, ()) {
  const Event event = *ValidEvents();
  RC_ASSERT(!CheckForm(event).has_value());
  RC_ASSERT(!CheckRanges(event).has_value());
  const absl::StatusOr<Event> back = ParseEvent(EventToJson(event));
  if (!back.ok()) RC_LOG() << back.status() << "\n" << EventToJson(event);
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == event);
}

RC_GTEST_PROP(EventJsonProperty, WhatIsReadIsWithinTheRules, ()) {
  // Any event as JSON is read just where the rules hold.
  const Event event = *AnyEvents();
  const bool valid = !CheckForm(event).has_value() && !CheckRanges(event).has_value();
  RC_ASSERT(ParseEvent(EventToJson(event)).ok() == valid);
}

TEST(EventJson, LeavesOutDefaults) {
  EXPECT_EQ(EventToJson({"e", 0, "", "", SupplyChanged{"r", "", 0, ""}}),
            R"({"event_id": "e", "time_ms": 0, "payload_type": "SupplyChanged", )"
            R"("payload": {"resource": "r", "chips": 0}})");
  EXPECT_EQ(
      EventToJson({"e", 0, "", "", MarketConfigured{}}),
      R"({"event_id": "e", "time_ms": 0, "payload_type": "MarketConfigured", "payload": {}})");
}

TEST(EventJson, EscapesText) {
  EXPECT_EQ(EventToJson({"e", 0, "a\"\\\n\x01\x7f\xc3\xa4", "\xff", ClockTicked{}}),
            R"({"event_id": "e", "time_ms": 0, "actor": "a\"\\\n\u0001\u007Fä", )"
            "\"source\": \"\xef\xbf\xbd\", "
            R"("payload_type": "ClockTicked", "payload": {}})");
}

TEST(EventJson, ReadsTheEndsOfRanges) {
  for (const char* more :
       {R"(, "chips": 1)", R"(, "chips": 1000000)", R"(, "chips": 4, "min_chips": 0)",
        R"(, "chips": 4, "limit_price_micros": -1)", R"(, "chips": 4, "priority": -2147483648)",
        R"(, "chips": 4, "priority": 2147483647)",
        R"(, "chips": 4, "limit_price_micros": 1000000000000)",
        R"(, "chips": 4, "priority": -0)"}) {
    EXPECT_TRUE(ParseEvent(Bid(more)).ok()) << more;
  }
}

struct BadText {
  std::string json;
  std::string expected;
};

void ExpectRefused(const std::vector<BadText>& texts) {
  for (const BadText& text : texts) {
    const absl::StatusOr<Event> event = ParseEvent(text.json);
    ASSERT_FALSE(event.ok()) << text.json.substr(0, 200);
    EXPECT_EQ(event.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(event.status().message()), HasSubstr(text.expected))
        << text.json.substr(0, 200);
    EXPECT_LT(event.status().message().size(), 500U) << "messages stay short";
  }
}

TEST(BadEventJson, NoJson) {
  ExpectRefused({
      {"", "byte 1: no JSON"},
      {" ", "no JSON"},
      {"hello", "no JSON"},
      {"{", "no JSON"},
      {"{}}", "no JSON"},
      {Bid(R"(, "chips": 4)") + "x", "no JSON"},
      {Bid(R"(, "chips": 4)") + "{}", "no JSON"},
      {Bid(R"(, "chips": 4,)"), "no JSON"},
      {Bid(R"(, chips: 4)"), "no JSON"},
      {Bid(R"(, 'chips': 4)"), "no JSON"},
      {Bid(R"(, "chips": 4 /* four */)"), "no JSON"},
      {Bid("// four\n"), "no JSON"},
      {Bid(R"(, "chips": 04)"), "no JSON"},
      {Bid(R"(, "chips": +4)"), "no JSON"},
      {Bid(R"(, "chips": 0x4)"), "no JSON"},
      {Bid(R"(, "chips": NaN)"), "no JSON"},
      {Bid(R"(, "chips": 1e999)"), "no JSON"},
      {Bid(R"(, "chips")"), "no JSON"},
      {"\xef\xbb\xbf" + Bid(R"(, "chips": 4)"), "byte order mark"},
      {R"({"event_id": "a)"
       "\n"
       R"("})",
       "control character"},
      {R"({"event_id": "\x"})", "no JSON"},
      {"{\"event_id\": \"\xff\"}", "UTF-8"},
      {"{\"event_id\": \"\xc0\x80\"}", "UTF-8"},
      {"{\"event_id\": \"\xed\xa0\x80\"}", "UTF-8"},
      {R"({"event_id": "\ud800"})", "surrogate"},
      {R"({"event_id": "\udc00"})", "surrogate"},
      {std::string("{\"event_id\": \"a\"\0}", 17), "no JSON"},
      {std::string(100, 'a'), "no JSON"},
  });
}

TEST(BadEventJson, NoObject) {
  ExpectRefused({
      {"null", "the event is null, expected an object"},
      {"7", "the event is 7, expected an object"},
      {"7.5", "the event is the number 7.5, expected an object"},
      {R"("text")", R"(the event is "text", expected an object)"},
      {"[]", "the event is an array, expected an object"},
      {std::string(500'000, '['), "the event is an array, expected an object"},
      {"{\"payload\": " + std::string(500'000, '['), "payload is an array"},
      {"{\"payload\": {\"a\": {" + std::string(500'000, '{'), "payload.a is an object"},
      {R"({"time_ms": {"a": 1}})", "time_ms is an object, expected no nested value but payload"},
      {R"({"payload": 7})", "payload is 7, expected an object"},
      {R"({"payload": null})", "payload is null, expected an object"},
      {R"({"payload": "{}"})", R"(payload is "{}", expected an object)"},
      {Bid(R"(, "chips": [4])"), "payload.chips is an array, expected no nested value"},
  });
}

TEST(BadEventJson, FieldsThatAreMissingOrTooMany) {
  ExpectRefused({
      {"{}", "payload_type is missing, expected one of PoolConfigured, TeamConfigured, "},
      {R"({"payload_type": "ClockTicked"})", "payload is missing, expected an object"},
      {R"({"payload_type": "ClockTocked", "payload": {}})",
       R"(payload_type is "ClockTocked", expected one of PoolConfigured, )"},
      {R"({"payload_type": "clockticked", "payload": {}})", "expected one of PoolConfigured"},
      {R"({"payload_type": "NONE", "payload": {}})", R"(payload_type is "NONE")"},
      {R"({"payload_type": 12, "payload": {}})", "payload_type is 12, expected one of"},
      {R"({"payload_type": "ClockTicked", "payload": {}, "time_ms": 5})",
       "event_id is missing, expected 1 to 128 bytes of printable ASCII"},
      {R"({"payload_type": "ClockTicked", "payload": {}, "event_id": "e"})",
       "time_ms is missing, expected an integer from 0 to 4102444800000"},
      {Bid(""), "BidPlaced.chips is missing, expected an integer from 1 to 1000000"},
      {Around("BidPlaced", R"({"bid": "b", "team": "t", "chips": 4})"),
       "BidPlaced.resource is missing, expected a name of 1 to 128 bytes of [A-Za-z0-9._@:/-]"},
      {Around("ClockTicked", R"({"chips": 4})"),
       R"(ClockTicked."chips" is unknown, expected no fields)"},
      {Bid(R"(, "chips": 4, "chip": 4)"),
       R"(BidPlaced."chip" is unknown, expected one of bid, team, resource, chips, min_chips, )"},
      {Bid(R"(, "chips": 4, "Chips": 4)"), R"(BidPlaced."Chips" is unknown)"},
      {Bid(R"(, "chips": 4, "": 4)"), R"(BidPlaced."" is unknown)"},
      {Bid(R"(, "chips": 4, "memo": "")"), R"(BidPlaced."memo" is unknown)"},
      {R"({"event_id": "e", "time_ms": 5, "who": "x", "payload_type": "ClockTicked", )"
       R"("payload": {}})",
       R"("who" is unknown, expected one of event_id, time_ms, actor, source)"},
      {Bid(R"(, "chips": 4, "chips": 4)"),
       "payload.chips is given more than once, expected it once"},
      {R"({"event_id": "e", "event_id": "e"})", "event_id is given more than once"},
      {R"({"payload": {}, "payload": {}})", "payload is given more than once"},
      {R"({"time_ms": 5, "time\u005fms": 5})", "time_ms is given more than once"},
      {R"({"payload_type": "ClockTicked", "payload_type": "ClockTicked"})",
       "payload_type is given more than once"},
  });
}

TEST(BadEventJson, TooManyFields) {
  std::string many = "{\"f\": 1";
  for (int i = 0; i < 10'000; ++i)
    many += ", \"f" + std::to_string(i) + "\": 1";
  ExpectRefused({
      {many + "}", "the event is an object with too many fields, expected at most 32"},
      {"{\"payload\": " + many + "}}", "payload is an object with too many fields"},
  });
}

TEST(BadEventJson, ValuesOfTheWrongKind) {
  const std::string expected = ", expected an integer from 1 to 1000000";
  ExpectRefused({
      {Bid(R"(, "chips": "4")"), R"(BidPlaced.chips is "4")" + expected},
      {Bid(R"(, "chips": 4.0)"), "BidPlaced.chips is the number 4.0" + expected},
      {Bid(R"(, "chips": 4e0)"), "BidPlaced.chips is the number 4e0" + expected},
      {Bid(R"(, "chips": null)"), "BidPlaced.chips is null" + expected},
      {Bid(R"(, "chips": true)"), "BidPlaced.chips is true" + expected},
      {Bid(R"(, "chips": 99999999999999999999)"),
       "BidPlaced.chips is the number 99999999999999999999" + expected},
      {Bid(R"(, "chips": 18446744073709551615)"), "is 18446744073709551615" + expected},
      {Bid(R"(, "chips": 9223372036854775808)"), "is 9223372036854775808" + expected},
      {Bid(R"(, "chips": -9223372036854775809)"), "is the number -9223372036854775809" + expected},
      {Bid(R"(, "chips": )" + std::string(1000, '9') + ""), "no JSON"},  // beyond any number
      {Bid(R"(, "chips": 4, "standby": 1)"), "BidPlaced.standby is 1, expected true or false"},
      {Bid(R"(, "chips": 4, "standby": "true")"),
       R"(BidPlaced.standby is "true", expected true or false)"},
      {Bid(R"(, "chips": 4, "standby": null)"),
       "BidPlaced.standby is null, expected true or false"},
      {Around("BidWithdrawn", R"({"bid": 7})"), "BidWithdrawn.bid is 7, expected a name"},
      {Around("BidWithdrawn", R"({"bid": "b", "reason": false})"),
       "BidWithdrawn.reason is false, expected a text in UTF-8"},
      {Around("BidAmended", R"({"bid": "b", "chips": null})"),
       "BidAmended.chips is null, expected an integer from 1 to 1000000"},
      {Around("BidAmended", R"({"bid": "b", "standby": 0})"),
       "BidAmended.standby is 0, expected true or false"},
      {R"({"event_id": 7, "time_ms": 5, "payload_type": "ClockTicked", "payload": {}})",
       "event_id is 7, expected 1 to 128 bytes"},
      {R"({"event_id": "e", "time_ms": "5", "payload_type": "ClockTicked", "payload": {}})",
       R"(time_ms is "5", expected an integer from 0 to 4102444800000)"},
      {R"({"event_id": "e", "time_ms": 5, "actor": 1, "payload_type": "ClockTicked", )"
       R"("payload": {}})",
       "actor is 1, expected a text"},
  });
}

TEST(BadEventJson, LongValuesAreShortened) {
  const std::string name(1000, 'n');
  ExpectRefused({
      {Around("BidWithdrawn", "{\"bid\": \"" + name + "\"}"), std::string(60, 'n') + "...\""},
      {Bid(R"(, "chips": 4, ")" + name + "\": 4"), std::string(60, 'n') + "...\""},
      {Bid(R"(, "chips": 4, ")" + name + R"(": 4, ")" + name + "\": 4"), "given more than once"},
      {Bid(R"(, "chips": 1.)" + std::string(1000, '5')), "5..., expected an integer"},
      {"{\"a" + name + "\x01\"}", "no JSON"},
  });
}

TEST(BadEventJson, TooLong) {
  ExpectRefused({{std::string(kMaxJsonLineBytes + 1, ' '),
                  "the text has 1048577 bytes, expected at most 1048576"}});
}

}  // namespace
}  // namespace qmarket
