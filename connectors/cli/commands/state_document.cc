#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/commands/held_chips.h"
#include "connectors/cli/commands/state_report.h"
#include "connectors/cli/table.h"
#include "connectors/cli/text.h"
#include "events/fingerprint.h"

// What programs get of a state: the JSON document of the contract, and the same in CSV.
namespace qmarket {
namespace {

// The settings in force, by their names in the contract.
std::vector<std::pair<const char*, std::int64_t>> Settings(const MarketConfigured& settings) {
  return {{"cycle_ms", settings.cycle_ms},
          {"settlement_ms", settings.settlement_ms},
          {"min_affordable_ms", settings.min_affordable_ms},
          {"keep_affordable_ms", settings.keep_affordable_ms},
          {"entry_margin_percent", settings.entry_margin_percent},
          {"purse_hours", settings.purse_hours},
          {"rules_version", settings.rules_version}};
}

// The fields of each thing, in the order of the document: `field(name, value)` for each. Both forms
// walk these lists.

template <typename Field>
void FieldsOf(const TeamView& team, const Field& field) {
  field("balance_micros", Int128{team.balance_micros});
  field("charged_micros", team.charged_micros);
  field("minted_micros", team.minted_micros);
  field("uncollected_micros", team.uncollected_micros);
  field("pool", team.pool);
  field("income_micros_per_hour", Int128{team.income_micros_per_hour});
  field("income_leverage_percent", Int128{team.income_leverage_percent});
  field("burn_micros_per_hour", static_cast<Int128>(team.burn_micros_per_hour));
  field("enter_cap_micros_per_hour", static_cast<Int128>(team.enter_cap_micros_per_hour));
  field("keep_cap_micros_per_hour", static_cast<Int128>(team.keep_cap_micros_per_hour));
}

template <typename Field>
void FieldsOf(const PoolView& pool, const Field& field) {
  std::optional<std::string> rate;
  if (pool.exchange_rate.has_value()) {
    rate = FractionText(pool.exchange_rate->numerator, pool.exchange_rate->denominator);
  }
  field("exchange_rate", rate);
  field("purse_micros", Int128{pool.purse_micros});
  field("uncollected_micros", pool.uncollected_micros);
  field("market_weight_micros_per_hour", Int128{pool.market_weight_micros_per_hour});
  field("lend_idle", pool.lend_idle);
}

template <typename Field>
void FieldsOf(const ResourceView& resource, const Field& field) {
  field("reference_price_micros", resource.reference_price_micros);
  field("supply", Int128{resource.supply});
  field("allocated", Int128{resource.allocated});
  field("shared", Int128{resource.shared});
}

template <typename Field>
void FieldsOf(const ResourcePoolView& pool, const Field& field) {
  field("price_micros", pool.price_micros);
  field("owned", Int128{pool.owned});
  field("reference_price_micros", pool.reference_price_micros);
  field("lent", Int128{pool.lent});
  field("wanted", Int128{pool.demand});
}

template <typename Field>
void FieldsOf(const BidView& bid, const Field& field) {
  field("state", std::string(BidStateName(bid.state)));
  field("chips", Int128{bid.chips});
  field("paid", Int128{bid.paid});
  field("team", bid.team);
  field("resource", bid.resource);
  field("wanted", Int128{bid.wanted});
  field("min_chips", Int128{bid.min_chips});
  field("limit_price_micros", bid.limit_price_micros);
  field("priority", Int128{bid.priority});
  field("opportunistic", bid.opportunistic);
  field("standby", bid.standby);
  field("set_aside", bid.set_aside);
  field("place", Int128{bid.place});
  field("reservation_price_micros", bid.reservation_price_micros);
}

// The chips of each resource that a team has.
std::map<std::string, HeldChips> QuotasOf(const HeldByName& holdings, const std::string& team) {
  const auto found = holdings.find(team);
  return found == holdings.end() ? std::map<std::string, HeldChips>() : found->second;
}

// Opens the object of a thing and writes its fields; the caller closes it.
template <typename View>
void BeginThing(const std::string& name, const View& view, JsonWriter& json) {
  json.Key(name).BeginObject();
  FieldsOf(view, [&json](const char* field, const auto& value) { json.Field(field, value); });
}

template <typename View>
void WriteThings(const char* part, const std::vector<View>& views, std::string View::*name,
                 JsonWriter& json) {
  json.Key(part).BeginObject();
  for (const View& view : views) {
    BeginThing(view.*name, view, json);
    json.EndObject();
  }
  json.EndObject();
}

void WriteTeams(const StateReport& report, JsonWriter& json) {
  const HeldByName holdings = HeldByTeams(report);
  json.Key("teams").BeginObject();
  for (const TeamView& team : report.teams) {
    BeginThing(team.team, team, json);
    json.Key("quotas").BeginObject();
    for (const auto& [resource, holding] : QuotasOf(holdings, team.team))
      json.Field(resource, holding.chips);
    json.EndObject().EndObject();
  }
  json.EndObject();
}

void WriteResources(const StateReport& report, JsonWriter& json) {
  json.Key("resources").BeginObject();
  for (const ResourceView& resource : report.resources) {
    BeginThing(resource.resource, resource, json);
    WriteThings("pools", resource.pools, &ResourcePoolView::pool, json);
    json.EndObject();
  }
  json.EndObject();
}

// Records of one value each.
class CsvWriter {
 public:
  explicit CsvWriter(Output& out) : out_(out) { out_.Write("part,name,field,value\n"); }

  void Write(absl::string_view part, absl::string_view name, absl::string_view field,
             absl::string_view value) {
    out_.Write(
        absl::StrCat(part, ",", CsvField(name), ",", CsvField(field), ",", CsvField(value), "\n"));
  }

  void Write(absl::string_view part, absl::string_view name, absl::string_view field,
             Int128 value) {
    Write(part, name, field, ToString(value));
  }

  void Write(absl::string_view part, absl::string_view name, absl::string_view field, bool value) {
    Write(part, name, field, value ? "true" : "false");
  }

  void Write(absl::string_view part, absl::string_view name, absl::string_view field,
             const char* value) {
    Write(part, name, field, absl::string_view(value));
  }

  void Write(absl::string_view part, absl::string_view name, absl::string_view field,
             const std::string& value) {
    Write(part, name, field, absl::string_view(value));
  }

  template <typename T>
  void Write(absl::string_view part, absl::string_view name, absl::string_view field,
             const std::optional<T>& value) {
    if (value.has_value()) {
      Write(part, name, field, Text(*value));
    } else {
      Write(part, name, field, "");
    }
  }

  // The fields of a thing, their names behind `prefix`.
  template <typename View>
  void WriteThing(absl::string_view part, const std::string& name, const std::string& prefix,
                  const View& view) {
    FieldsOf(view, [&](const char* field, const auto& value) {
      Write(part, name, prefix + field, value);
    });
  }

 private:
  static std::string Text(std::int64_t value) { return ToString(Int128{value}); }

  static std::string Text(std::uint64_t value) { return ToString(Int128{value}); }

  static const std::string& Text(const std::string& value) { return value; }

  Output& out_;
};

void WriteLists(const StateReport& report, JsonWriter& json) {
  json.Key("rejected").BeginArray();
  for (const RejectedEvent& rejected : report.rejected) {
    json.BeginObject()
        .Field("event_id", rejected.event_id)
        .Field("offset", rejected.offset)
        .Field("code", RejectionCodeName(rejected.code))
        .EndObject();
  }
  json.EndArray().Key("preempted").BeginArray();
  for (const PreemptedBid& preempted : report.preempted) {
    json.BeginObject()
        .Field("bid", preempted.bid)
        .Field("offset", preempted.offset)
        .Field("reason", preempted.reason)
        .EndObject();
  }
  json.EndArray();
}

}  // namespace

void WriteReport(const StateReport& report, JsonWriter& json) {
  json.BeginObject()
      .Field("offset", report.offset)
      .Field("time_ms", report.time_ms)
      .Field("digest", ToHex(report.digest))
      .Field("cycles", report.cycles)
      .Key("settings")
      .BeginObject();
  for (const auto& [name, value] : Settings(report.settings))
    json.Field(name, value);
  json.EndObject();
  WriteTeams(report, json);
  WriteThings("pools", report.pools, &PoolView::pool, json);
  WriteResources(report, json);
  WriteThings("bids", report.bids, &BidView::bid, json);
  WriteLists(report, json);
  json.EndObject();
}

void PrintReportCsv(const StateReport& report, Output& out) {
  CsvWriter csv(out);
  csv.Write("state", "", "offset", report.offset);
  csv.Write("state", "", "time_ms", report.time_ms);
  csv.Write("state", "", "digest", ToHex(report.digest));
  csv.Write("state", "", "cycles", Int128{report.cycles});
  for (const auto& [name, value] : Settings(report.settings))
    csv.Write("settings", "", name, Int128{value});
  const HeldByName holdings = HeldByTeams(report);
  for (const TeamView& team : report.teams) {
    csv.WriteThing("teams", team.team, "", team);
    for (const auto& [resource, holding] : QuotasOf(holdings, team.team))
      csv.Write("teams", team.team, absl::StrCat("quotas.", resource), Int128{holding.chips});
  }
  for (const PoolView& pool : report.pools)
    csv.WriteThing("pools", pool.pool, "", pool);
  for (const ResourceView& resource : report.resources) {
    csv.WriteThing("resources", resource.resource, "", resource);
    for (const ResourcePoolView& pool : resource.pools) {
      csv.WriteThing("resources", resource.resource, absl::StrCat("pools.", pool.pool, "."), pool);
    }
  }
  for (const BidView& bid : report.bids)
    csv.WriteThing("bids", bid.bid, "", bid);
  for (const RejectedEvent& rejected : report.rejected) {
    csv.Write("rejected", rejected.event_id, "offset", Int128{rejected.offset});
    csv.Write("rejected", rejected.event_id, "code", RejectionCodeName(rejected.code));
  }
  for (const PreemptedBid& preempted : report.preempted) {
    csv.Write("preempted", preempted.bid, "offset", Int128{preempted.offset});
    csv.Write("preempted", preempted.bid, "reason", preempted.reason);
  }
}

}  // namespace qmarket
