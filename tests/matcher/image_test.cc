// A market made from its image is the market that it was made of, and goes on as it does.

#include "matcher/core/image.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

#include "events/outcome_codec.h"
#include "matcher/core/market.h"
#include "tests/matcher/random_log.h"

namespace qmarket {
namespace {

constexpr std::size_t kEvents = 300;
constexpr std::uint64_t kLogs = 40;

// The bytes of a step, to compare.
std::string BytesOf(const Step& step) {
  std::string bytes = step.outcomes.empty() ? "" : EncodeOutcomes(step.outcomes);
  for (const Posting& posting : step.postings) {
    bytes += std::to_string(posting.from.index()) + ">" + std::to_string(posting.to.index()) + ":" +
             std::to_string(posting.amount.value()) + ";";
  }
  return bytes;
}

// The past pieces of a market, as checkpoints keep them, and the present.
struct Pieces {
  std::vector<std::string> past;
  std::string present;

  [[nodiscard]] absl::StatusOr<Market> Read() const {
    const std::vector<absl::string_view> views(past.begin(), past.end());
    return Market::FromImage(views, present);
  }
};

// The image after the first `events` of a log, with its past in pieces of `piece` events.
Pieces ImageAfter(const std::vector<Input>& log, std::size_t events, std::size_t piece) {
  Market market;
  Pieces pieces;
  ImageMark mark;
  for (std::size_t i = 0; i < events; ++i) {
    market.Apply(log[i]);
    if ((i + 1) % piece != 0 && i + 1 != events) continue;
    pieces.past.push_back(market.PastImage(mark));
    mark = market.image_mark();
  }
  if (pieces.past.empty()) pieces.past.push_back(market.PastImage({}));
  pieces.present = market.PresentImage();
  return pieces;
}

TEST(ImageTest, AMarketFromItsImageGoesOnAsTheOther) {
  const std::uint64_t seed = TestSeed();
  std::mt19937_64 random(seed);
  for (std::uint64_t i = 0; i < kLogs && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed + i));
    const std::vector<Input> log = RandomLog(seed + i, kEvents);
    const std::size_t at = random() % (kEvents + 1);
    absl::StatusOr<Market> again = ImageAfter(log, at, 1 + random() % kEvents).Read();
    ASSERT_TRUE(again.ok()) << again.status();
    Market market;
    for (std::size_t k = 0; k < at; ++k)
      market.Apply(log[k]);
    ASSERT_EQ(again->PresentImage(), market.PresentImage());
    ASSERT_EQ(again->PastImage({}), market.PastImage({}));
    for (std::size_t k = at; k < log.size(); ++k) {
      ASSERT_EQ(BytesOf(again->Apply(log[k])), BytesOf(market.Apply(log[k]))) << "at " << k;
    }
    EXPECT_EQ(again->PresentImage(), market.PresentImage());
  }
}

TEST(ImageTest, ACloneForTrialsGoesOnAsTheOtherAndLeavesItAlone) {
  const std::uint64_t seed = TestSeed();
  std::size_t compared = 0;
  for (std::uint64_t i = 0; i < kLogs && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed + i));
    const std::vector<Input> log = RandomLog(seed + i, kEvents);
    Market market;
    for (std::size_t k = 0; k < kEvents / 2; ++k)
      market.Apply(log[k]);
    const std::string before = market.PresentImage();
    Market trial = market.CloneForTrial();
    std::vector<std::string> steps;
    for (std::size_t k = kEvents / 2; k < kEvents; ++k)
      steps.push_back(BytesOf(trial.Apply(log[k])));
    ASSERT_EQ(market.PresentImage(), before);
    // Repeats of events before the clone are news to it, and lead elsewhere from there on.
    for (std::size_t k = 0; k < steps.size(); ++k, ++compared) {
      if (BytesOf(market.Apply(log[kEvents / 2 + k])) != steps[k]) break;
    }
  }
  EXPECT_GT(compared, kLogs);
}

TEST(ImageTest, WhatIsNoImageIsRefused) {
  const std::vector<Input> log = RandomLog(7, kEvents);
  const Pieces whole = ImageAfter(log, kEvents, 100);
  ASSERT_TRUE(whole.Read().ok());
  for (std::size_t size = 0; size < whole.present.size(); size += 1 + size / 50) {
    Pieces cut = whole;
    cut.present.resize(size);
    EXPECT_FALSE(cut.Read().ok()) << size;
  }
  Pieces longer = whole;
  longer.present += '\0';
  EXPECT_FALSE(longer.Read().ok());
  Pieces swapped = whole;
  std::swap(swapped.past[0], swapped.past[1]);
  EXPECT_FALSE(swapped.Read().ok());
  Pieces missing = whole;
  missing.past.pop_back();
  EXPECT_FALSE(missing.Read().ok());
  Pieces twice = whole;
  twice.past.push_back(whole.past.back());
  EXPECT_FALSE(twice.Read().ok());
  EXPECT_FALSE(Pieces().Read().ok());
}

// A changed byte may make another market, but never more than that.
TEST(ImageTest, ChangedBytesDoNoHarm) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const Pieces whole = ImageAfter(RandomLog(seed, kEvents), kEvents, 100);
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    Pieces changed = whole;
    std::string& piece = random() % 2 == 0 ? changed.present : changed.past[random() % 3];
    if (piece.empty()) continue;
    piece[random() % piece.size()] ^= static_cast<char>(1U << (random() % 8));
    if (!changed.Read().ok()) ++refused;
  }
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace qmarket
