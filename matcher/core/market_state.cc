#include "matcher/core/market_state.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace qmarket {

MarketState::MarketState()
    : reference_currency(book.AddCurrency("")),
      issue(book.Open("issue", reference_currency, Floor::kNone)) {
  standing.entry_margin_percent = settings.entry_margin_percent;
}

const Holding* MarketState::FindHolding(TeamId team, ResourceId resource) const {
  const auto& holdings = teams[team].holdings;
  const auto found = std::ranges::find(holdings, resource, &Holding::resource);
  return found == holdings.end() ? nullptr : &*found;
}

Holding& MarketState::HoldingOf(TeamId team, ResourceId resource) {
  std::vector<Holding>& holdings = teams[team].holdings;
  const auto found = std::ranges::find(holdings, resource, &Holding::resource);
  if (found != holdings.end()) return *found;
  const std::string& name = resource_names[resource];
  const auto after = std::ranges::find_if(
      holdings, [&](const Holding& holding) { return resource_names[holding.resource] > name; });
  return *holdings.insert(after, Holding{.resource = resource,
                                         .held = Chips(0),
                                         .paid = Chips(0),
                                         .published = Chips(0),
                                         .charge = Accrual(time.value_or(TimeMs(0)))});
}

ResourceId MarketState::ResourceNamed(const std::string& name) {
  if (const auto known = resource_names.Find(name)) return *known;
  const ResourceId id = resource_names.Add(name);
  const auto after = std::ranges::find_if(
      resources_by_name, [&](ResourceId other) { return resource_names[other] > name; });
  resources_by_name.insert(after, id);
  Resource resource;
  resource.stated_owned.Resize(pools.size());
  resources.Add(std::move(resource));
  ResourceTable table;
  table.cells.Resize(pools.size());
  standing.resources.Add(std::move(table));
  for (Pool& pool : pools) {
    pool.resources.Add(PoolResource{
        .paid = Chips(0), .spent = std::nullopt, .outflow = Accrual(time.value_or(TimeMs(0)))});
  }
  return id;
}

std::string AccountName(absl::string_view kind, absl::string_view owner) {
  return absl::StrCat(kind, ":", owner);
}

}  // namespace qmarket
