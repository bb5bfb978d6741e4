#include "matcher/core/image.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "ledger/core/book.h"
#include "matcher/core/cycle.h"
#include "matcher/core/image_archive.h"
#include "matcher/core/image_fields.h"
#include "matcher/core/known_events.h"
#include "matcher/core/market.h"
#include "matcher/core/market_state.h"

namespace qmarket {
namespace {

std::uint32_t CountOf(std::size_t size) {
  return static_cast<std::uint32_t>(size);
}

ImageCounts CountsOf(const MarketState& state) {
  return {.pools = CountOf(state.pools.size()),
          .teams = CountOf(state.teams.size()),
          .resources = CountOf(state.resources.size()),
          .bids = CountOf(state.bid_names.size()),
          .accounts = CountOf(state.book.accounts().size()),
          .currencies = CountOf(state.book.currencies().size())};
}

// --- Bids: those that have ended in the past pieces, the others in the present ---

struct ImageBid {
  BidId id;
  std::string name;
  std::uint64_t offset = 0;  // where it was placed
  StandingBid bid;
};

template <typename Archive>
void Fields(Archive& archive, Like<ImageBid> auto& bid) {
  archive(bid.id, bid.name, bid.offset, bid.bid);
}

ImageBid BidOf(const MarketState& state, BidId id) {
  return {.id = id,
          .name = state.bid_names[id],
          .offset = state.bid_offsets[id],
          .bid = state.standing.bids[id]};
}

// What a past piece holds.
struct Past {
  std::uint64_t known_before = 0;  // in the pieces before it
  std::uint64_t ended_before = 0;
  std::vector<KnownEvent> known_events;
  std::vector<ImageBid> ended_bids;
};

std::vector<ImageBid> StandingBids(const MarketState& state) {
  std::vector<ImageBid> bids;
  for (std::size_t i = 0; i < state.bid_names.size(); ++i) {
    const BidId id = IdVector<BidId, StandingBid>::IdAt(i);
    if (!state.standing.bids[id].ended) bids.push_back(BidOf(state, id));
  }
  return bids;
}

// Puts all bids in their places. False where one is missing or there twice.
bool SetBids(std::vector<ImageBid> bids, MarketState& state) {
  std::vector<const ImageBid*> by_id(bids.size(), nullptr);
  for (const ImageBid& bid : bids) {
    if (bid.id.index() >= by_id.size() || by_id[bid.id.index()] != nullptr) return false;
    by_id[bid.id.index()] = &bid;
  }
  for (const ImageBid* bid : by_id) {
    if (state.bid_names.Find(bid->name).has_value()) return false;
    state.bid_names.Add(bid->name);
    state.bid_offsets.Add(bid->offset);
    state.standing.bids.Add(bid->bid);
  }
  return true;
}

// --- The book ---

template <typename Archive>
void Write(Archive& archive, const Book& book) {
  for (const std::string& name : book.currencies())
    archive(name);
  for (const Account& account : book.accounts())
    archive(account.name, account.currency, account.floor, account.balance);
}

// False where it breaks the rules of a book.
bool Read(ImageReader& archive, const ImageCounts& counts, Book& book) {
  book = Book();
  for (std::uint32_t i = 0; archive.ok() && i < counts.currencies; ++i) {
    std::string name;
    archive(name);
    book.AddCurrency(std::move(name));
  }
  std::vector<Int128> sums(book.currencies().size());
  for (std::uint32_t i = 0; archive.ok() && i < counts.accounts; ++i) {
    Account account;
    archive(account.name, account.currency, account.floor, account.balance);
    if (!archive.ok()) break;
    if (account.floor > Floor::kZero) return false;
    if (account.floor == Floor::kZero && account.balance < 0) return false;
    sums[account.currency.index()] += account.balance;
    book.Restore(std::move(account));
  }
  for (const Int128 sum : sums) {
    if (sum != 0) return false;
  }
  return archive.ok();
}

// --- Names ---

template <typename IdType>
void WriteNames(ImageWriter& archive, const Names<IdType>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    archive(names[IdVector<IdType, std::string>::IdAt(i)]);
}

template <typename IdType>
bool ReadNames(ImageReader& archive, std::uint32_t count, Names<IdType>& names) {
  for (std::uint32_t i = 0; archive.ok() && i < count; ++i) {
    std::string name;
    archive(name);
    if (!archive.ok() || names.Find(name).has_value()) return false;
    names.Add(name);
  }
  return archive.ok();
}

// --- The whole ---

// Every table has a place for all that is in the tables it belongs to.
bool IsConsistent(const MarketState& state, const ImageCounts& counts) {
  const auto has = [](const auto& table, std::uint32_t count) { return table.size() == count; };
  bool same = has(state.pools, counts.pools) && has(state.standing.pools, counts.pools) &&
              has(state.teams, counts.teams) && has(state.standing.teams, counts.teams) &&
              has(state.resources, counts.resources) &&
              has(state.standing.resources, counts.resources) &&
              has(state.resources_by_name, counts.resources);
  for (const Pool& pool : state.pools)
    same = same && has(pool.resources, counts.resources);
  for (const Resource& resource : state.resources)
    same = same && has(resource.stated_owned, counts.pools);
  for (const ResourceTable& table : state.standing.resources)
    same = same && has(table.cells, counts.pools);
  return same;
}

absl::Status NoImage(const std::string& what) {
  return absl::DataLossError(absl::StrCat("no image of a market: ", what));
}

absl::Status ReadPast(absl::string_view bytes, KnownEvents& known_events,
                      std::vector<ImageBid>& ended) {
  ImageReader archive(bytes);
  ImageCounts counts;
  counts.pools = counts.teams = counts.resources = counts.bids = UINT32_MAX;  // checked at the end
  archive.Expect(counts);
  Past past;
  archive(past.known_before, past.ended_before, past.known_events, past.ended_bids);
  if (!archive.finished()) return NoImage("a piece of its past is cut or damaged");
  if (past.known_before != known_events.events().size() || past.ended_before != ended.size()) {
    return NoImage("a piece of its past does not follow on the one before it");
  }
  for (const KnownEvent& event : past.known_events)
    known_events.Add(event);
  if (known_events.events().size() != past.known_before + past.known_events.size()) {
    return NoImage("an event id is there twice");
  }
  for (ImageBid& bid : past.ended_bids)
    ended.push_back(std::move(bid));
  return absl::OkStatus();
}

bool AreKnown(const StandingBid& bid, const ImageCounts& counts) {
  return bid.team.index() < counts.teams && bid.resource.index() < counts.resources;
}

}  // namespace

ImageMark Market::image_mark() const {
  return {.known_events = known_events_->events().size(), .ended_bids = state_->ended_bids.size()};
}

std::string Market::PastImage(const ImageMark& since) const {
  Past past;
  past.known_before = since.known_events;
  past.ended_before = since.ended_bids;
  const absl::Span<const KnownEvent> known = known_events_->events().subspan(since.known_events);
  past.known_events.assign(known.begin(), known.end());
  for (const BidId id : absl::MakeConstSpan(state_->ended_bids).subspan(since.ended_bids))
    past.ended_bids.push_back(BidOf(*state_, id));
  ImageWriter archive;
  archive(past.known_before, past.ended_before, past.known_events, past.ended_bids);
  return archive.Take();
}

std::string Market::PresentImage() const {
  const MarketState& state = *state_;
  const ImageCounts counts = CountsOf(state);
  const ImageMark mark = image_mark();
  ImageWriter archive;
  archive(counts, std::uint64_t{mark.known_events}, std::uint64_t{mark.ended_bids});
  WriteNames(archive, state.pool_names);
  WriteNames(archive, state.team_names);
  WriteNames(archive, state.resource_names);
  Write(archive, state.book);
  archive(StandingBids(state), state);
  return archive.Take();
}

absl::StatusOr<Market> Market::FromImage(absl::Span<const absl::string_view> past,
                                         absl::string_view present) {
  Market market;
  MarketState& state = *market.state_;
  std::vector<ImageBid> bids;
  for (const absl::string_view piece : past) {
    if (absl::Status read = ReadPast(piece, *market.known_events_, bids); !read.ok()) return read;
  }
  for (const ImageBid& bid : bids)
    state.ended_bids.push_back(bid.id);
  ImageReader archive(present);
  ImageCounts counts;
  std::uint64_t known = 0;
  std::uint64_t ended = 0;
  archive(counts, known, ended);
  if (!archive.ok() || known != market.known_events_->events().size() || ended != bids.size()) {
    return NoImage("its past and its present do not go together");
  }
  archive.Expect(counts);
  if (!ReadNames(archive, counts.pools, state.pool_names) ||
      !ReadNames(archive, counts.teams, state.team_names) ||
      !ReadNames(archive, counts.resources, state.resource_names)) {
    return NoImage("its names are damaged");
  }
  if (!Read(archive, counts, state.book)) return NoImage("its accounts are damaged");
  std::vector<ImageBid> standing;
  archive(standing, state);
  if (!archive.finished()) return NoImage("it is cut or damaged");
  for (ImageBid& bid : standing)
    bids.push_back(std::move(bid));
  for (const ImageBid& bid : bids) {
    if (!AreKnown(bid.bid, counts)) return NoImage("a bid is of a team that is not there");
  }
  if (bids.size() != counts.bids || !SetBids(std::move(bids), state)) {
    return NoImage("its bids are not all there");
  }
  if (!IsConsistent(state, counts)) return NoImage("its tables do not go together");
  LinkRuns(state.standing);
  return market;
}

}  // namespace qmarket
