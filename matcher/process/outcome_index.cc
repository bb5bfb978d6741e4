#include "matcher/process/outcome_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/outcome.h"
#include "events/outcome_codec.h"
#include "ledger/store/commit.h"

namespace qmarket {
namespace {

// No name of the contract has it.
constexpr char kSeparator = '\x01';

struct Thing {
  IndexKind kind;
  std::string name;
};

// What an outcome is about; nothing for those that are found otherwise: postings are in the
// journal.
struct ThingOf {
  std::optional<Thing> operator()(const MarketCleared& cleared) const {
    return Thing{IndexKind::kResource, cleared.resource};
  }

  std::optional<Thing> operator()(const QuotaChanged& quota) const {
    return Thing{IndexKind::kQuota, QuotaIndexName(quota.team, quota.resource)};
  }

  std::optional<Thing> operator()(const BidFilled& filled) const {
    return Thing{IndexKind::kBid, filled.bid};
  }

  std::optional<Thing> operator()(const BidPreempted& preempted) const {
    return Thing{IndexKind::kBid, preempted.bid};
  }

  std::optional<Thing> operator()(const EventRejected& /*rejected*/) const {
    return Thing{IndexKind::kRejection, ""};
  }

  std::optional<Thing> operator()(const CreditsPosted& /*posted*/) const { return std::nullopt; }

  std::optional<Thing> operator()(const EventLate& /*late*/) const { return std::nullopt; }
};

}  // namespace

std::string QuotaIndexName(absl::string_view team, absl::string_view resource) {
  return absl::StrCat(team, absl::string_view(&kSeparator, 1), resource);
}

QuotaName ParseQuotaIndexName(absl::string_view name) {
  const std::size_t end = std::min(name.find(kSeparator), name.size());
  return {.team = std::string(name.substr(0, end)),
          .resource = std::string(name.substr(std::min(end + 1, name.size())))};
}

std::vector<IndexEntry> IndexOf(absl::Span<const Outcome> outcomes) {
  struct About {
    IndexEntry entry;
    const Outcome* outcome;
  };

  std::vector<About> all;
  for (const Outcome& outcome : outcomes) {
    std::optional<Thing> thing = std::visit(ThingOf{}, outcome);
    if (!thing.has_value()) continue;
    all.push_back(
        {.entry = {.kind = static_cast<std::uint8_t>(thing->kind), .name = std::move(thing->name)},
         .outcome = &outcome});
  }
  const auto key = [](const About& about) { return std::tie(about.entry.kind, about.entry.name); };
  std::ranges::stable_sort(all, [key](const About& a, const About& b) { return key(a) < key(b); });
  std::vector<IndexEntry> entries;
  std::vector<Outcome> same;
  for (std::size_t i = 0; i < all.size(); ++i) {
    same.push_back(*all[i].outcome);
    if (i + 1 < all.size() && key(all[i]) == key(all[i + 1])) continue;
    entries.push_back(std::move(all[i].entry));
    entries.back().value = EncodeOutcomes(same);
    same.clear();
  }
  return entries;
}

}  // namespace qmarket
