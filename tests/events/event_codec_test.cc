// Events as FlatBuffers records: round trips, and records that are bad in every way.

#include "events/event_codec.h"

#include <cstdint>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/events_generated.h"
#include "rapidcheck/gtest.h"
#include "tests/events/samples.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

TEST(EventCodec, EveryTypeComesBack) {
  for (const Event& event : SampleEvents()) {
    const absl::StatusOr<Event> back = DecodeEvent(EncodeEvent(event));
    ASSERT_TRUE(back.ok()) << event.event_id << ": " << back.status();
    EXPECT_EQ(*back, event) << event.event_id;
  }
}

RC_GTEST_PROP(EventCodecProperty, AnyEventComesBack, ()) {
  const Event event = *AnyEvents();
  const absl::StatusOr<Event> back = DecodeEvent(EncodeEvent(event));
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == event);
}

TEST(EventCodec, DefaultsAreNotStored) {
  Event short_bid{"e", 1, "", "", BidPlaced{"b", "t", "r", 4}};
  Event long_bid = short_bid;
  std::get<BidPlaced>(long_bid.payload).priority = 1;
  EXPECT_LT(EncodeEvent(short_bid).size(), EncodeEvent(long_bid).size());
}

TEST(EventCodec, AnAmendmentKeepsWhatIsNotNamed) {
  BidAmended amended;
  amended.bid = "b";
  amended.min_chips = 0;
  const Event event{"e", 1, "", "", amended};
  const absl::StatusOr<Event> back = DecodeEvent(EncodeEvent(event));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(std::get<BidAmended>(back->payload), amended);
}

TEST(EventCodec, EveryCutIsRefused) {
  const Event event = SampleEvents()[5];
  const std::string record = EncodeEvent(event);
  constexpr std::size_t kPadding = 3;  // at the end, and read by nobody
  for (std::size_t size = 0; size < record.size(); ++size) {
    const absl::StatusOr<Event> read = DecodeEvent(record.substr(0, size));
    if (!read.ok()) continue;
    EXPECT_EQ(*read, event) << "cut to " << size << " bytes";
    EXPECT_GE(size + kPadding, record.size()) << "cut to " << size << " bytes";
  }
}

TEST(EventCodec, EveryFlippedBitIsReadOrRefused) {
  const std::string record = EncodeEvent(SampleEvents()[5]);
  int refused = 0;
  for (std::size_t bit = 0; bit < record.size() * 8; ++bit) {
    std::string damaged = record;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    if (!DecodeEvent(damaged).ok()) ++refused;
  }
  EXPECT_GT(refused, 100);
}

TEST(EventCodec, ARecordMayLieAtAnyAddress) {
  const Event event = SampleEvents()[9];
  const std::string record = EncodeEvent(event);
  for (std::size_t shift = 0; shift < 16; ++shift) {
    const std::string memory = std::string(shift, 'x') + record;
    const absl::StatusOr<Event> back = DecodeEvent(absl::string_view(memory).substr(shift));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, event);
  }
}

struct BadRecord {
  std::string about;
  std::string bytes;
  std::string expected;
};

TEST(EventCodec, WhatIsNoEventIsRefused) {
  std::string other_identifier = EncodeEvent(SampleEvents()[0]);
  other_identifier.replace(4, 4, "QMOC");
  std::string far_root = EncodeEvent(SampleEvents()[0]);
  far_root.replace(0, 4, "\xff\xff\xff\x7f");
  const std::vector<BadRecord> records = {
      {"empty", "", "of 0 bytes, has no file identifier QMEV"},
      {"text", "hello, world, this is no event", "no file identifier QMEV"},
      {"JSON", R"({"event_id": "a"})", "no file identifier QMEV"},
      {"an outcome", other_identifier, "no file identifier QMEV"},
      {"a root far away", far_root, "not a whole event"},
      {"10 MB", std::string(10 << 20, 'x'), "has 10485760 bytes, expected at most 2097152"},
      {"10 MB of zeros", std::string(10 << 20, '\0'), "expected at most"},
  };
  for (const BadRecord& record : records) {
    const absl::StatusOr<Event> event = DecodeEvent(record.bytes);
    ASSERT_FALSE(event.ok()) << record.about;
    EXPECT_EQ(event.status().code(), absl::StatusCode::kInvalidArgument) << record.about;
    EXPECT_THAT(std::string(event.status().message()), HasSubstr(record.expected)) << record.about;
    EXPECT_EQ(ReadEventId(record.bytes), "") << record.about;
  }
}

// Records as another program could make them, field by field.
class ForeignRecord {
 public:
  using Offset = flatbuffers::Offset<void>;

  Offset Text(const char* text) { return {builder_.CreateString(text).o}; }

  flatbuffers::FlatBufferBuilder& builder() { return builder_; }

  void StartTable() { start_ = builder_.StartTable(); }

  Offset EndTable() { return {builder_.EndTable(start_)}; }

  // A bid that lacks nothing, but for its chips where `chips` is false.
  Offset Bid(bool chips) {
    const Offset bid = Text("b");
    const Offset team = Text("t");
    const Offset resource = Text("r");
    StartTable();
    builder_.AddOffset(fbs::BidPlaced::VT_BID, bid);
    builder_.AddOffset(fbs::BidPlaced::VT_TEAM, team);
    builder_.AddOffset(fbs::BidPlaced::VT_RESOURCE, resource);
    if (chips) builder_.AddElement<std::uint32_t>(fbs::BidPlaced::VT_CHIPS, 4);
    return EndTable();
  }

  static constexpr std::uint8_t kBidPlaced = 6;

  // Finishes an event around `payload`; add_more() adds fields to it.
  template <typename AddMore>
  std::string Event(Offset payload, std::uint8_t type, AddMore add_more) {
    const Offset id = Text("id-1");
    StartTable();
    builder_.AddOffset(fbs::Event::VT_EVENT_ID, id);
    builder_.AddOffset(fbs::Event::VT_PAYLOAD, payload);
    builder_.AddElement(fbs::Event::VT_PAYLOAD_TYPE, type);
    add_more();
    builder_.Finish(EndTable(), fbs::EventIdentifier());
    return {reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize()};
  }

  std::string Event(Offset payload, std::uint8_t type) {
    return Event(payload, type, [this] { AddTime(); });
  }

  void AddTime() { builder_.AddElement<std::int64_t>(fbs::Event::VT_TIME_MS, 1); }

  static flatbuffers::voffset_t Slot(flatbuffers::voffset_t id) {
    return flatbuffers::FieldIndexToOffset(id);
  }

 private:
  flatbuffers::FlatBufferBuilder builder_;
  flatbuffers::uoffset_t start_ = 0;
};

void ExpectRefused(const std::string& record, const std::string& expected,
                   const std::string& event_id) {
  const absl::StatusOr<Event> event = DecodeEvent(record);
  ASSERT_FALSE(event.ok()) << expected;
  EXPECT_EQ(event.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(event.status().message()), HasSubstr(expected));
  EXPECT_EQ(ReadEventId(record), event_id);
}

TEST(ForeignEvents, AWholeOneIsRead) {
  ForeignRecord record;
  const absl::StatusOr<Event> event =
      DecodeEvent(record.Event(record.Bid(true), ForeignRecord::kBidPlaced));
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(*event, (Event{"id-1", 1, "", "", BidPlaced{"b", "t", "r", 4}}));
}

TEST(ForeignEvents, AMissingNumberIsNotZero) {
  ForeignRecord record;
  ExpectRefused(record.Event(record.Bid(false), ForeignRecord::kBidPlaced),
                "BidPlaced.chips is missing", "id-1");
}

TEST(ForeignEvents, AMissingTimeIsNotZero) {
  ForeignRecord record;
  ExpectRefused(record.Event(record.Bid(true), ForeignRecord::kBidPlaced, [] {}),
                "Event.time_ms is missing", "id-1");
}

TEST(ForeignEvents, AMissingTextIsNotEmpty) {
  ForeignRecord record;
  record.StartTable();
  const ForeignRecord::Offset bid = record.EndTable();
  ExpectRefused(record.Event(bid, ForeignRecord::kBidPlaced), "a required field is missing", "");
}

TEST(ForeignEvents, AnEmptyTextIsAnEvent) {
  // Its form is bad, which is for CheckForm to say.
  ForeignRecord record;
  const ForeignRecord::Offset bid = record.Text("");
  record.StartTable();
  record.builder().AddElement(fbs::BidWithdrawn::VT_BID, record.builder().ReferTo(bid.o));
  const ForeignRecord::Offset withdrawn = record.EndTable();
  EXPECT_TRUE(DecodeEvent(record.Event(withdrawn, 8)).ok());
}

TEST(ForeignEvents, AnUnknownPayloadTypeIsOfANewerSchema) {
  for (const int type : {13, 14, 255}) {
    ForeignRecord record;
    const ForeignRecord::Offset bid = record.Bid(true);
    ExpectRefused(record.Event(bid, static_cast<std::uint8_t>(type)),
                  "newer schema: this version does not know payload type " + std::to_string(type),
                  "id-1");
  }
}

TEST(ForeignEvents, NoPayloadTypeIsRefused) {
  ForeignRecord record;
  const ForeignRecord::Offset bid = record.Bid(true);
  ExpectRefused(record.Event(bid, 0), "no payload_type", "id-1");
}

TEST(ForeignEvents, AnUnknownFieldOfTheEventIsOfANewerSchema) {
  ForeignRecord record;
  const ForeignRecord::Offset bid = record.Bid(true);
  ExpectRefused(record.Event(bid, ForeignRecord::kBidPlaced,
                             [&] {
                               record.AddTime();
                               record.builder().AddElement<std::uint8_t>(ForeignRecord::Slot(6), 1);
                             }),
                "newer schema: this version does not know field 6 of Event", "id-1");
}

TEST(ForeignEvents, AnUnknownFieldOfThePayloadIsOfANewerSchema) {
  ForeignRecord record;
  record.StartTable();
  record.builder().AddElement<std::uint32_t>(ForeignRecord::Slot(3), 7);
  const ForeignRecord::Offset tick = record.EndTable();
  ExpectRefused(record.Event(tick, 12),
                "newer schema: this version does not know field 3 of ClockTicked", "id-1");
}

TEST(ForeignEvents, ALongVtableWithoutEntriesIsNoNewerSchema) {
  // As builders make that write all slots of their schema.
  ForeignRecord record;
  record.StartTable();
  record.builder().AddElement<std::uint32_t>(ForeignRecord::Slot(3), 7);
  const ForeignRecord::Offset tick = record.EndTable();
  std::string bytes = record.Event(tick, 12);
  const auto* event = fbs::GetEvent(bytes.data());
  const auto* table = static_cast<const flatbuffers::Table*>(event->payload());
  const auto entry = static_cast<std::size_t>(reinterpret_cast<const char*>(table->GetVTable()) +
                                              ForeignRecord::Slot(3) - bytes.data());
  bytes[entry] = '\0';
  bytes[entry + 1] = '\0';
  const absl::StatusOr<Event> back = DecodeEvent(bytes);
  EXPECT_TRUE(back.ok()) << back.status();
}

TEST(ForeignEvents, TextsThatOverlapCannotFillTheMemory) {
  ForeignRecord record;
  const ForeignRecord::Offset text = record.Text(std::string(1000, 'x').c_str());
  record.StartTable();
  record.builder().AddOffset(fbs::BidPlaced::VT_BID, text);
  record.builder().AddOffset(fbs::BidPlaced::VT_TEAM, text);
  record.builder().AddOffset(fbs::BidPlaced::VT_RESOURCE, text);
  record.builder().AddElement<std::uint32_t>(fbs::BidPlaced::VT_CHIPS, 4);
  const ForeignRecord::Offset bid = record.EndTable();
  ExpectRefused(record.Event(bid, ForeignRecord::kBidPlaced), "overlap", "id-1");
}

TEST(CanonicalEvent, EqualExactlyWhereTheEventsAre) {
  std::vector<Event> events = SampleEvents();
  BidAmended nothing;
  nothing.bid = "b";
  BidAmended zero = nothing;
  zero.chips = 0;
  events.push_back({"e", 1, "", "", nothing});
  events.push_back({"e", 1, "", "", zero});
  events.push_back({"e", 1, "ab", "c", ClockTicked{}});
  events.push_back({"e", 1, "a", "bc", ClockTicked{}});
  events.push_back({"e", 1, "", "", BidWithdrawn{"b", ""}});
  events.push_back({"e", 1, "", "", PoolConfigured{"b", 0, false}});
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (std::size_t j = 0; j < events.size(); ++j) {
      EXPECT_EQ(CanonicalEvent(events[i]) == CanonicalEvent(events[j]), i == j) << i << ", " << j;
    }
  }
}

RC_GTEST_PROP(CanonicalEventProperty, EqualExactlyWhereTheEventsAre, ()) {
  const Event one = *AnyEvents();
  const Event other = *AnyEvents();
  RC_ASSERT((CanonicalEvent(one) == CanonicalEvent(other)) == (one == other));
  const absl::StatusOr<Event> copy = DecodeEvent(EncodeEvent(one));
  RC_ASSERT(copy.ok());
  RC_ASSERT(CanonicalEvent(*copy) == CanonicalEvent(one));
}

}  // namespace
}  // namespace qmarket
