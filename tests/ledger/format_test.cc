#include "ledger/store/format.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/bytes.h"
#include "ledger/store/commit.h"
#include "ledger/store/state.h"
#include "rapidcheck/gtest.h"

namespace qmarket::store_format {
namespace {

std::string Hex(const std::string& bytes) {
  return absl::BytesToHexString(bytes);
}

// What docs/formats-store.md shows: stores on disk must stay readable.
TEST(FormatTest, KeysAreAsDocumented) {
  EXPECT_EQ(Hex(FormatKey()), "46");
  EXPECT_EQ(Hex(StateKey()), "53");
  EXPECT_EQ(Hex(CurrencyKey(CurrencyId(2))), "4300000002");
  EXPECT_EQ(Hex(AccountKey(AccountId(258))), "4100000102");
  EXPECT_EQ(Hex(AccountNameKey("ab", CurrencyId(1))), "4e61620000000001");
  EXPECT_EQ(Hex(BalancePrefix(AccountId(258))), "4200000102");
  EXPECT_EQ(Hex(JournalPrefix()), "4a");
  EXPECT_EQ(Hex(OutcomePrefix()), "4f");
  EXPECT_EQ(Hex(TimePrefix()), "54");
  EXPECT_EQ(Hex(OffsetTimePrefix()), "55");
  EXPECT_EQ(Hex(IndexPrefix(3, "ab")), "4903616200");
}

TEST(FormatTest, ABlockIsAsDocumented) {
  std::string balance;
  AppendBalance(balance, -100);
  EXPECT_EQ(Hex(balance), "c701");
  BlockBuilder builder;
  builder.Add(300, balance);
  builder.Add(305, "z");
  const BlockBuilder::Block block = builder.Finish(BalancePrefix(AccountId(1)));
  EXPECT_EQ(Hex(block.key), "4200000001000000000000012c");
  // The last four bytes are zlib.crc32(key + entries) of Python.
  EXPECT_EQ(Hex(block.value), "0002c70105017ae66826f1");
}

TEST(FormatTest, PostingsAreAsDocumented) {
  std::string bytes;
  AppendPostings(bytes, {{AccountId(1), AccountId(300), Credits(5), 7}});
  EXPECT_EQ(Hex(bytes), "01ac020a07");
}

TEST(FormatTest, ADifferentKeySpoilsTheChecksum) {
  BlockBuilder builder;
  builder.Add(1, "value");
  const BlockBuilder::Block block = builder.Finish(JournalPrefix());
  EXPECT_TRUE(DecodeBlock(block.key, block.value).ok());
  std::string other = block.key;
  other.back() = '\x02';
  EXPECT_EQ(DecodeBlock(other, block.value).status().code(), absl::StatusCode::kDataLoss);
}

TEST(FormatTest, BalancesOfAnySizeComeBack) {
  const Int128 most = kMaxInt128;
  for (const Int128 balance : {Int128{0}, Int128{1}, Int128{-1}, Int128{63}, Int128{64}, most,
                               -most, -most - 1, static_cast<Int128>(INT64_MIN)}) {
    std::string bytes;
    AppendBalance(bytes, balance);
    const absl::StatusOr<Int128> decoded = DecodeBalance(bytes);
    ASSERT_TRUE(decoded.ok());
    EXPECT_TRUE(*decoded == balance) << ToString(balance);
  }
}

TEST(FormatTest, AStateComesBack) {
  StoreState state = {.log_identity = "some log",
                      .rules_version = 3,
                      .next_offset = std::numeric_limits<std::uint64_t>::max(),
                      .last_offset = 77,
                      .currencies = 4,
                      .accounts = 1000};
  state.digest.fill(9);
  state.last_record_hash.fill(8);
  EXPECT_EQ(*DecodeState(EncodeState(state)), state);
  state.last_offset.reset();
  EXPECT_EQ(*DecodeState(EncodeState(state)), state);
}

RC_GTEST_PROP(FormatProperty, EntriesComeBack, (const std::vector<std::string>& values)) {
  RC_PRE(!values.empty());
  BlockBuilder builder;
  std::vector<std::uint64_t> positions;
  std::uint64_t position = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  for (const std::string& value : values) {
    builder.Add(position, value);
    positions.push_back(position);
    position += *rc::gen::inRange<std::uint64_t>(1, 1'000);
  }
  const BlockBuilder::Block block = builder.Finish("T");
  const absl::StatusOr<std::vector<Entry>> entries = DecodeBlock(block.key, block.value);
  RC_ASSERT(entries.ok());
  RC_ASSERT(entries->size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT((*entries)[i].position == positions[i]);
    RC_ASSERT((*entries)[i].value == values[i]);
  }
}

// Any one byte that changes, and any cut, is noticed.
RC_GTEST_PROP(FormatProperty, DamageIsNoticed, (const std::vector<std::string>& values)) {
  RC_PRE(!values.empty());
  BlockBuilder builder;
  for (std::size_t i = 0; i < values.size(); ++i) {
    builder.Add(i, values[i]);
  }
  const BlockBuilder::Block block = builder.Finish("J");
  const std::size_t place = *rc::gen::inRange<std::size_t>(0, block.value.size());
  std::string changed = block.value;
  changed[place] = static_cast<char>(changed[place] ^ *rc::gen::inRange(1, 256));
  RC_ASSERT(!DecodeBlock(block.key, changed).ok());
  RC_ASSERT(!DecodeBlock(block.key, block.value.substr(0, place)).ok());
}

// Bytes of any kind are refused or read, and never read past.
RC_GTEST_PROP(FormatProperty, AnyBytesAreSafe, (const std::string& bytes)) {
  static_cast<void>(DecodeState(bytes));
  static_cast<void>(DecodeAccount(bytes));
  static_cast<void>(DecodeAccountId(bytes));
  static_cast<void>(DecodeBalance(bytes));
  static_cast<void>(DecodePostings(bytes));
  static_cast<void>(DecodeNumber(bytes));
  static_cast<void>(DecodeVersion(bytes));
  static_cast<void>(DecodeBlock("J12345678", bytes));
  static_cast<void>(DecodeBlock(bytes, bytes));
}

TEST(FormatTest, NumbersThatDoNotFitAreRefused) {
  const std::string ten_bytes_too_large(10, '\xff');
  EXPECT_FALSE(DecodeNumber(ten_bytes_too_large).ok());
  EXPECT_FALSE(DecodeBalance(std::string(19, '\xff')).ok());
  EXPECT_FALSE(DecodeNumber("").ok());
  EXPECT_FALSE(DecodeNumber(std::string("\x01\x01")).ok());
}

using FormatDeathTest = testing::Test;

TEST_F(FormatDeathTest, PositionsMustGrow) {
  BlockBuilder builder;
  builder.Add(5, "a");
  EXPECT_DEATH(builder.Add(5, "b"), "must grow");
}

}  // namespace
}  // namespace qmarket::store_format
