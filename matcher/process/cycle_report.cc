#include "matcher/process/cycle_report.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/outcome.h"

namespace qmarket {
namespace {

// So many resources are named in a line.
constexpr std::size_t kMaxResources = 6;

std::string Credits(std::int64_t micros) {
  constexpr std::int64_t kMicros = 1'000'000;
  std::string text = absl::StrFormat("%d.%06d", micros / kMicros, micros % kMicros);
  while (text.back() == '0')
    text.pop_back();
  return std::string(absl::StripSuffix(text, "."));
}

std::string Describe(const MarketCleared& cleared) {
  const std::string price = cleared.reference_price_micros.has_value()
                                ? absl::StrCat(Credits(*cleared.reference_price_micros), " cr/h")
                                : "no price";
  return absl::StrCat(", ", cleared.resource, " ", price, ", ", cleared.allocated, " of ",
                      cleared.supply, " chips");
}

}  // namespace

std::string CycleReport::Add(absl::Span<const Outcome> outcomes) {
  ++events_;
  std::vector<const MarketCleared*> all;
  for (const Outcome& outcome : outcomes) {
    if (std::holds_alternative<EventRejected>(outcome)) ++rejected_;
    if (const auto* cleared = std::get_if<MarketCleared>(&outcome)) all.push_back(cleared);
  }
  if (all.empty()) return "";
  std::string line =
      absl::StrCat("cycle ", all[0]->cycle, " at ",
                   absl::FormatTime("%Y-%m-%d%ET%H:%M:%SZ", absl::FromUnixMillis(all[0]->time_ms),
                                    absl::UTCTimeZone()),
                   ": ", events_, events_ == 1 ? " event" : " events");
  if (rejected_ > 0) absl::StrAppend(&line, " (", rejected_, " rejected)");
  for (std::size_t i = 0; i < all.size() && i < kMaxResources; ++i)
    line += Describe(*all[i]);
  if (all.size() > kMaxResources) {
    absl::StrAppend(&line, ", and ", all.size() - kMaxResources, " resources more");
  }
  events_ = 0;
  rejected_ = 0;
  return line;
}

}  // namespace qmarket
