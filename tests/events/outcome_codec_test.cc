// The canonical bytes of outcomes: what they are, and that nothing else is read as them.

#include "events/outcome_codec.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "rapidcheck/gtest.h"
#include "tests/events/samples.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

std::string Hex(const Outcome& outcome) {
  return absl::BytesToHexString(EncodeOutcomes({outcome}));
}

std::string Text(absl::string_view text) {
  return absl::BytesToHexString(text);
}

// The bytes stand in digests that were published: they never change.
TEST(OutcomeCodec, TheBytesAreFixed) {
  EXPECT_EQ(Text(EncodeOutcomes({})), "0100");
  EXPECT_EQ(Hex(QuotaChanged{"ab", "r", -1, 300, 64, 0}),
            "01"
            "01"
            "01"
            "02" +
                Text("ab") + "01" + Text("r") +
                "01"
                "ac02"
                "8001"
                "00");
  EXPECT_EQ(Hex(BidFilled{"b", "t", "r", 1, 2, 3}),
            "01"
            "01"
            "02"
            "01" +
                Text("b") + "01" + Text("t") + "01" + Text("r") +
                "02"
                "04"
                "06");
  EXPECT_EQ(Hex(BidPreempted{"b", "t", "r", 1, 2, "why", 3}),
            "01"
            "01"
            "03"
            "01" +
                Text("b") + "01" + Text("t") + "01" + Text("r") +
                "02"
                "04"
                "03" +
                Text("why") + "06");
  EXPECT_EQ(Hex(CreditsPosted{PostingKind::kLapse, "", "a", "b", 63, 0, -64}),
            "01"
            "01"
            "04"
            "07"
            "00"
            "01" +
                Text("a") + "01" + Text("b") +
                "7e"
                "00"
                "7f");
  EXPECT_EQ(Hex(EventRejected{"e", RejectionCode::kHoldsNoChips, "m"}),
            "01"
            "01"
            "05"
            "01" +
                Text("e") +
                "0f"
                "01" +
                Text("m"));
  EXPECT_EQ(Hex(EventLate{"e", 1, 2}),
            "01"
            "01"
            "06"
            "01" +
                Text("e") +
                "02"
                "04");
  EXPECT_EQ(
      Hex(MarketCleared{
          "r", 1, 2, std::nullopt, 3, 4, 5, {PoolCleared{"p", 7, std::nullopt, 8, 9, 10, 11}}}),
      "01"
      "01"
      "00"
      "01" +
          Text("r") +
          "01"
          "04"
          "00"
          "06"
          "08"
          "0a"
          "01"
          "01" +
          Text("p") +
          "01"
          "0e"
          "00"
          "10"
          "12"
          "14"
          "16");
  EXPECT_EQ(Hex(EventLate{"", std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max()}),
            "01"
            "01"
            "06"
            "00"
            "ffffffffffffffffff01"
            "feffffffffffffffff01");
}

TEST(OutcomeCodec, EveryTypeComesBack) {
  const std::vector<Outcome> outcomes = SampleOutcomes();
  const absl::StatusOr<std::vector<Outcome>> back = DecodeOutcomes(EncodeOutcomes(outcomes));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, outcomes);
}

RC_GTEST_PROP(OutcomeCodecProperty, AnyOutcomesComeBack, ()) {
  const auto outcomes =
      *rc::gen::resize(5, rc::gen::container<std::vector<Outcome>>(AnyOutcomes()));
  const std::string bytes = EncodeOutcomes(outcomes);
  const absl::StatusOr<std::vector<Outcome>> back = DecodeOutcomes(bytes);
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == outcomes);
}

// What is read is written as it was: no two texts of bytes mean the same.
RC_GTEST_PROP(OutcomeCodecProperty, DamagedBytesAreOtherOutcomesOrNone, ()) {
  const auto outcomes =
      *rc::gen::resize(3, rc::gen::container<std::vector<Outcome>>(AnyOutcomes()));
  std::string bytes = EncodeOutcomes(outcomes);
  const auto place = *rc::gen::inRange<std::size_t>(0, bytes.size());
  bytes[place] = *rc::gen::arbitrary<char>();
  const absl::StatusOr<std::vector<Outcome>> back = DecodeOutcomes(bytes);
  if (back.ok()) RC_ASSERT(EncodeOutcomes(*back) == bytes);
}

RC_GTEST_PROP(OutcomeCodecProperty, GarbageIsRefusedOrCanonical, ()) {
  const std::string bytes = "\x01" + *rc::gen::arbitrary<std::string>();
  const absl::StatusOr<std::vector<Outcome>> outcomes = DecodeOutcomes(bytes);
  if (outcomes.ok()) RC_ASSERT(EncodeOutcomes(*outcomes) == bytes);
}

TEST(OutcomeCodec, EveryCutAndEveryMoreIsRefused) {
  const std::string bytes = EncodeOutcomes(SampleOutcomes());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const absl::Status status = DecodeOutcomes(bytes.substr(0, size)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << size;
  }
  EXPECT_FALSE(DecodeOutcomes(bytes + std::string(1, '\0')).ok());
}

TEST(OutcomeCodec, BadBytesAreNamed) {
  struct Bad {
    std::string hex;
    std::string expected;
  };

  const std::vector<Bad> all = {
      {"", "damaged at byte 0 of 0"},
      {"0200", "outcomes have format 2, this program knows 1"},
      {"8100", "damaged at byte 0"},                        // a longer form of 1
      {"010107", "damaged at byte 3"},                      // no type 7
      {"01018000", "damaged at byte 2"},                    // a longer form of 0
      {"0101ffffffffffffffffff02", "damaged at byte 2"},    // more than 64 bits
      {"0101ffffffffffffffffffff01", "damaged at byte 2"},  // more than ten bytes
      {"010104080000000000", "damaged at byte 3"},          // no kind of posting 8
      {"01010500"
       "1000",
       "damaged at byte 4"},  // no code 16
      {"010106ffffffffffffffffff01"
       "0000",
       "damaged at byte 3"},                             // a text of 2^64-1 bytes
      {"01ffffffffffffffffff01", "damaged at byte 11"},  // 2^64-1 outcomes
      {"010100"
       "00"
       "00"
       "00"
       "02",
       "damaged at byte 6"},  // a flag of 2
      {"010100"
       "00"
       "00"
       "00"
       "00"
       "00"
       "00"
       "00"
       "ffffffffffffffffff01",
       "damaged at byte 20"},  // 2^64-1 pools
  };
  for (const Bad& bad : all) {
    const absl::Status status = DecodeOutcomes(absl::HexStringToBytes(bad.hex)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << bad.hex;
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.expected)) << bad.hex;
  }
}

TEST(OutcomeCodec, AppendsToWhatIsThere) {
  std::string bytes = "x";
  AppendOutcomes(SampleOutcomes(), bytes);
  EXPECT_EQ(bytes, "x" + EncodeOutcomes(SampleOutcomes()));
}

TEST(OutcomeNames, AreTheContractsWords) {
  EXPECT_STREQ(RejectionCodeName(RejectionCode::kMalformed), "malformed");
  EXPECT_STREQ(RejectionCodeName(RejectionCode::kIdReused), "id_reused");
  EXPECT_STREQ(RejectionCodeName(RejectionCode::kTimeInFuture), "time_in_future");
  EXPECT_STREQ(RejectionCodeName(RejectionCode::kHoldsNoChips), "holds_no_chips");
  EXPECT_STREQ(PostingKindName(PostingKind::kIncome), "income");
  EXPECT_STREQ(PostingKindName(PostingKind::kLapse), "lapse");
}

}  // namespace
}  // namespace qmarket
