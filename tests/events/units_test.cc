// Checked integers and units: exact where they fit, and the end of the process where they do not.

#include "events/units.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"

#include "events/int128.h"
#include "rapidcheck/gtest.h"

namespace qmarket {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Int128, Text) {
  EXPECT_EQ(ToString(Uint128{0}), "0");
  EXPECT_EQ(ToString(Int128{-1}), "-1");
  EXPECT_EQ(ToString(kMaxUint128), "340282366920938463463374607431768211455");
  EXPECT_EQ(ToString(kMaxInt128), "170141183460469231731687303715884105727");
  EXPECT_EQ(ToString(-kMaxInt128 - 1), "-170141183460469231731687303715884105728");
}

TEST(Int128, ProductsAndSumsToTheEnd) {
  constexpr Uint128 kTop = Uint128{1} << 64;
  EXPECT_EQ(CheckedMul(kTop, kTop - 1), kTop * (kTop - 1));
  EXPECT_EQ(CheckedMul(kMaxUint128, 1), kMaxUint128);
  EXPECT_EQ(CheckedMul(0, kMaxUint128), Uint128{0});
  EXPECT_EQ(CheckedAdd(kMaxUint128 - 1, 1), kMaxUint128);
  EXPECT_EQ(ToInt64(static_cast<Uint128>(kMost)), kMost);
  EXPECT_EQ(ToUint128(0), Uint128{0});
}

TEST(Int128DeathTest, WhatDoesNotFitEndsTheProcess) {
  constexpr Uint128 kTop = Uint128{1} << 64;
  EXPECT_DEATH(static_cast<void>(CheckedMul(kTop, kTop)), "product does not fit in 128 bits");
  EXPECT_DEATH(static_cast<void>(CheckedMul(kMaxUint128, 2)), "product does not fit");
  EXPECT_DEATH(static_cast<void>(CheckedAdd(kMaxUint128, 1)), "sum does not fit in 128 bits");
  EXPECT_DEATH(static_cast<void>(FloorDiv(1, 0)), "division by zero");
  EXPECT_DEATH(static_cast<void>(ToInt64(static_cast<Uint128>(kMost) + 1)), "64 bits");
  EXPECT_DEATH(static_cast<void>(ToUint128(-1)), "must not be negative");
}

// Of 64 and of 128 bits alike: they are divided in two ways.
RC_GTEST_PROP(Int128Property, DivisionRoundsDownAndUp, ()) {
  const auto part =
      rc::gen::oneOf(rc::gen::just(std::uint64_t{0}), rc::gen::arbitrary<std::uint64_t>());
  const Uint128 a = (Uint128{*part} << 64) | *part;
  const Uint128 b = ((Uint128{*part} << 64) | *part) + 1;
  RC_PRE(b != 0);
  const Uint128 floor = FloorDiv(a, b);
  const Uint128 remainder = a - floor * b;
  RC_ASSERT(remainder < b);
  RC_ASSERT(CeilDiv(a, b) == floor + (remainder == 0 ? 0 : 1));
}

TEST(Units, AddUpAndCompare) {
  EXPECT_EQ((Credits(3) + Credits(4)).value(), 7);
  EXPECT_EQ((Credits(3) - Credits(4)).value(), -1);
  EXPECT_LT(Price(1), Price(2));
  EXPECT_EQ(Chips().value(), 0);
  EXPECT_NE(PoolId(), PoolId(0));
}

TEST(UnitsDeathTest, AnOverflowEndsTheProcess) {
  EXPECT_DEATH(static_cast<void>(Credits(kMost) + Credits(1)), "a sum overflows");
  EXPECT_DEATH(static_cast<void>(Credits(kLeast) - Credits(1)), "a difference overflows");
}

}  // namespace
}  // namespace qmarket
