// A market as bytes: what a checkpoint holds of it.
//
//   ImageMark mark = market.image_mark();
//   ... events are applied ...
//   std::string past = market.PastImage(mark);      // what was added for good since then
//   std::string present = market.PresentImage();    // all that may still change
//   absl::StatusOr<Market> again = Market::FromImage({older_past, past}, present);
//
// The past only ever grows: the ids of events that were seen, and the bids that have ended. So a
// series of images has each piece of it once, and is as long as the history, not its square. The
// past pieces are given to FromImage in their order, from the beginning (ImageMark{}) on.
//
// A market made from its image goes on as the one that it was made of: the same inputs give the
// same steps. Equal markets have equal bytes. FromImage refuses what is no image; bytes that were
// changed on purpose may still make a market that never was: whoever stores images adds checksums,
// and an audit compares them with a replay. docs/formats-checkpoint.md has the bytes.
#ifndef QMARKET_MATCHER_CORE_IMAGE_H_
#define QMARKET_MATCHER_CORE_IMAGE_H_

#include <cstddef>
#include <cstdint>

namespace qmarket {

// Goes up with every change of the bytes.
inline constexpr std::uint32_t kImageVersion = 1;

// How much past there was.
struct ImageMark {
  std::size_t known_events = 0;
  std::size_t ended_bids = 0;

  friend bool operator==(const ImageMark&, const ImageMark&) = default;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_IMAGE_H_
