// Outcomes for others: records, keys and JSON.

#include "events/outcome_wire.h"

#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/event_codec.h"
#include "events/outcomes_generated.h"
#include "rapidcheck/gtest.h"
#include "tests/events/samples.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

TEST(OutcomeWire, EveryTypeComesBack) {
  std::uint32_t index = 0;
  for (const Outcome& outcome : SampleOutcomes()) {
    const absl::StatusOr<OutcomeRecord> back =
        DecodeOutcomeRecord(EncodeOutcomeRecord(17, index, outcome));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, (OutcomeRecord{17, index, outcome}));
    ++index;
  }
}

RC_GTEST_PROP(OutcomeWireProperty, AnyOutcomeComesBack, ()) {
  const OutcomeRecord record{*rc::gen::arbitrary<std::uint64_t>(),
                             *rc::gen::arbitrary<std::uint32_t>(), *AnyOutcomes()};
  const absl::StatusOr<OutcomeRecord> back =
      DecodeOutcomeRecord(EncodeOutcomeRecord(record.offset, record.index, record.outcome));
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == record);
}

TEST(OutcomeWire, EveryFlippedBitIsReadOrRefused) {
  const std::string record = EncodeOutcomeRecord(17, 3, SampleOutcomes()[0]);
  int refused = 0;
  for (std::size_t bit = 0; bit < record.size() * 8; ++bit) {
    std::string damaged = record;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    if (!DecodeOutcomeRecord(damaged).ok()) ++refused;
  }
  EXPECT_GT(refused, 100);
}

TEST(OutcomeWire, WhatIsNoOutcomeIsRefused) {
  const std::string event = EncodeEvent(SampleEvents()[0]);
  for (const std::string& bytes : {std::string(), std::string("text that is no outcome"), event,
                                   std::string(kMaxOutcomeBytes + 1, '\0')}) {
    const absl::Status status = DecodeOutcomeRecord(bytes).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_THAT(std::string(DecodeOutcomeRecord(event).status().message()),
              HasSubstr("no file identifier QMOC"));
}

// An EventRejected with the code `code`.
std::string Rejection(std::uint8_t code) {
  std::string bytes =
      EncodeOutcomeRecord(1, 0, EventRejected{"e", RejectionCode::kHoldsNoChips, "m"});
  auto* outcome = flatbuffers::GetMutableRoot<flatbuffers::Table>(bytes.data());
  auto* rejected = outcome->GetPointer<flatbuffers::Table*>(fbs::Outcome::VT_PAYLOAD);
  rejected->SetField<std::uint8_t>(fbs::EventRejected::VT_CODE, code, 0);
  return bytes;
}

TEST(OutcomeWire, AnUnknownCodeIsOfANewerSchema) {
  EXPECT_TRUE(DecodeOutcomeRecord(Rejection(15)).ok());
  for (const std::uint8_t code : std::vector<std::uint8_t>{16, 255}) {
    EXPECT_THAT(std::string(DecodeOutcomeRecord(Rejection(code)).status().message()),
                HasSubstr("newer schema: this version does not know the value " +
                          std::to_string(code) + " of an enum"));
  }
}

TEST(OutcomeWire, PoolsThatOverlapCannotFillTheMemory) {
  // A long name that a great many pools point to.
  flatbuffers::FlatBufferBuilder builder;
  const auto name = builder.CreateString(std::string(100'000, 'x'));
  flatbuffers::uoffset_t start = builder.StartTable();
  builder.AddOffset(fbs::PoolCleared::VT_POOL, name);
  const flatbuffers::Offset<fbs::PoolCleared> pool(builder.EndTable(start));
  const std::vector<flatbuffers::Offset<fbs::PoolCleared>> pools(100'000, pool);
  const auto list = builder.CreateVector(pools);
  start = builder.StartTable();
  builder.AddOffset(fbs::MarketCleared::VT_RESOURCE, name);
  builder.AddOffset(fbs::MarketCleared::VT_POOLS, list);
  const flatbuffers::Offset<void> cleared(builder.EndTable(start));
  start = builder.StartTable();
  builder.AddOffset(fbs::Outcome::VT_PAYLOAD, cleared);
  builder.AddElement<std::uint8_t>(fbs::Outcome::VT_PAYLOAD_TYPE, 1);
  builder.Finish(flatbuffers::Offset<void>(builder.EndTable(start)), fbs::OutcomeIdentifier());
  const absl::string_view bytes(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                                builder.GetSize());
  EXPECT_THAT(std::string(DecodeOutcomeRecord(bytes).status().message()), HasSubstr("overlap"));
}

TEST(OutcomeJson, WritesEveryField) {
  EXPECT_EQ(OutcomeToJson(7, 1, QuotaChanged{"t", "r", 0, 0, 0, 0}),
            R"({"offset": 7, "index": 1, "payload_type": "QuotaChanged", "payload": )"
            R"({"team": "t", "resource": "r", "chips": 0, "cycle": 0, "time_ms": 0, )"
            R"("valid_until_ms": 0}})");
  EXPECT_EQ(OutcomeToJson(7, 0, EventRejected{"", RejectionCode::kIdReused, "no"}),
            R"({"offset": 7, "index": 0, "payload_type": "EventRejected", "payload": )"
            R"({"event_id": "", "offset": 7, "code": "id_reused", "message": "no"}})");
  EXPECT_EQ(
      OutcomeToJson(
          7, 0,
          MarketCleared{
              "r", 1, 2, std::nullopt, 0, 0, 0, {PoolCleared{"p", 5, std::nullopt, 0, 0, 0, 0}}}),
      R"({"offset": 7, "index": 0, "payload_type": "MarketCleared", "payload": )"
      R"({"resource": "r", "cycle": 1, "time_ms": 2, "supply": 0, "shared_supply": 0, )"
      R"("allocated": 0, "pools": [{"pool": "p", "price_micros": 5, )"
      R"("owned": 0, "lent": 0, "paid": 0, "allocated": 0}]}})");
}

TEST(OutcomeKey, IsTheTeamElseTheResource) {
  std::vector<std::string> keys;
  for (const Outcome& outcome : SampleOutcomes())
    keys.push_back(OutcomeKey(outcome));
  EXPECT_EQ(keys, (std::vector<std::string>{"h100", "vision", "vision", "rank", "vision", "", ""}));
  EXPECT_EQ(OutcomeKey(CreditsPosted{PostingKind::kIncome, "p", "mint:p", "team:t", 1, 0, 0}), "t");
  EXPECT_EQ(OutcomeKey(CreditsPosted{PostingKind::kTransfer, "p", "team:a", "team:b", 1, 0, 0}),
            "a");
  EXPECT_EQ(OutcomeKey(CreditsPosted{PostingKind::kWeight, "", "issue", "purse:p", 1, 0, 0}), "");
}

}  // namespace
}  // namespace qmarket
