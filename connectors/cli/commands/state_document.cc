#include <cstdint>
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

  template <typename T>
  void Write(absl::string_view part, absl::string_view name, absl::string_view field,
             const std::optional<T>& value) {
    Write(part, name, field, value.has_value() ? ToString(Int128{*value}) : "");
  }

 private:
  Output& out_;
};

void WriteTeamCsv(const TeamView& team, const HeldByName& holdings, CsvWriter& csv) {
  csv.Write("teams", team.team, "pool", team.pool);
  csv.Write("teams", team.team, "income_micros_per_hour", Int128{team.income_micros_per_hour});
  csv.Write("teams", team.team, "income_leverage_percent", Int128{team.income_leverage_percent});
  csv.Write("teams", team.team, "burn_micros_per_hour",
            static_cast<Int128>(team.burn_micros_per_hour));
  csv.Write("teams", team.team, "enter_cap_micros_per_hour",
            static_cast<Int128>(team.enter_cap_micros_per_hour));
  csv.Write("teams", team.team, "keep_cap_micros_per_hour",
            static_cast<Int128>(team.keep_cap_micros_per_hour));
  const auto quotas = holdings.find(team.team);
  if (quotas == holdings.end()) return;
  for (const auto& [resource, holding] : quotas->second) {
    csv.Write("teams", team.team, absl::StrCat("quotas.", resource), Int128{holding.chips});
  }
}

void WriteBidCsv(const BidView& bid, CsvWriter& csv) {
  csv.Write("bids", bid.bid, "team", bid.team);
  csv.Write("bids", bid.bid, "resource", bid.resource);
  csv.Write("bids", bid.bid, "wanted", Int128{bid.wanted});
  csv.Write("bids", bid.bid, "min_chips", Int128{bid.min_chips});
  csv.Write("bids", bid.bid, "limit_price_micros", bid.limit_price_micros);
  csv.Write("bids", bid.bid, "priority", Int128{bid.priority});
  csv.Write("bids", bid.bid, "opportunistic", bid.opportunistic);
  csv.Write("bids", bid.bid, "standby", bid.standby);
  csv.Write("bids", bid.bid, "set_aside", bid.set_aside);
  csv.Write("bids", bid.bid, "place", Int128{bid.place});
  csv.Write("bids", bid.bid, "reservation_price_micros", bid.reservation_price_micros);
}

std::string RateText(const ExchangeRateView& rate) {
  return FractionText(rate.numerator, rate.denominator);
}

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

void WriteTeams(const StateReport& report, JsonWriter& json) {
  const HeldByName holdings = HeldByTeams(report);
  json.Key("teams").BeginObject();
  for (const TeamView& team : report.teams) {
    json.Key(team.team)
        .BeginObject()
        .Field("balance_micros", team.balance_micros)
        .Field("charged_micros", team.charged_micros)
        .Field("minted_micros", team.minted_micros)
        .Field("uncollected_micros", team.uncollected_micros)
        .Field("pool", team.pool)
        .Field("income_micros_per_hour", team.income_micros_per_hour)
        .Field("income_leverage_percent", team.income_leverage_percent)
        .Field("burn_micros_per_hour", team.burn_micros_per_hour)
        .Field("enter_cap_micros_per_hour", team.enter_cap_micros_per_hour)
        .Field("keep_cap_micros_per_hour", team.keep_cap_micros_per_hour)
        .Key("quotas")
        .BeginObject();
    if (const auto quotas = holdings.find(team.team); quotas != holdings.end()) {
      for (const auto& [resource, holding] : quotas->second)
        json.Field(resource, holding.chips);
    }
    json.EndObject().EndObject();
  }
  json.EndObject();
}

void WritePools(const StateReport& report, JsonWriter& json) {
  json.Key("pools").BeginObject();
  for (const PoolView& pool : report.pools) {
    json.Key(pool.pool).BeginObject().Key("exchange_rate");
    if (pool.exchange_rate.has_value()) {
      json.Value(RateText(*pool.exchange_rate));
    } else {
      json.Null();
    }
    json.Field("purse_micros", pool.purse_micros)
        .Field("uncollected_micros", pool.uncollected_micros)
        .Field("market_weight_micros_per_hour", pool.market_weight_micros_per_hour)
        .Field("lend_idle", pool.lend_idle)
        .EndObject();
  }
  json.EndObject();
}

void WriteResources(const StateReport& report, JsonWriter& json) {
  json.Key("resources").BeginObject();
  for (const ResourceView& resource : report.resources) {
    json.Key(resource.resource)
        .BeginObject()
        .Field("reference_price_micros", resource.reference_price_micros)
        .Field("supply", resource.supply)
        .Field("allocated", resource.allocated)
        .Field("shared", resource.shared)
        .Key("pools")
        .BeginObject();
    for (const ResourcePoolView& pool : resource.pools) {
      json.Key(pool.pool)
          .BeginObject()
          .Field("price_micros", pool.price_micros)
          .Field("owned", pool.owned)
          .Field("reference_price_micros", pool.reference_price_micros)
          .Field("lent", pool.lent)
          .Field("wanted", pool.demand)
          .EndObject();
    }
    json.EndObject().EndObject();
  }
  json.EndObject();
}

void WriteBids(const StateReport& report, JsonWriter& json) {
  json.Key("bids").BeginObject();
  for (const BidView& bid : report.bids) {
    json.Key(bid.bid)
        .BeginObject()
        .Field("state", BidStateName(bid.state))
        .Field("chips", bid.chips)
        .Field("paid", bid.paid)
        .Field("team", bid.team)
        .Field("resource", bid.resource)
        .Field("wanted", bid.wanted)
        .Field("min_chips", bid.min_chips)
        .Field("limit_price_micros", bid.limit_price_micros)
        .Field("priority", bid.priority)
        .Field("opportunistic", bid.opportunistic)
        .Field("standby", bid.standby)
        .Field("set_aside", bid.set_aside)
        .Field("place", bid.place)
        .Field("reservation_price_micros", bid.reservation_price_micros)
        .EndObject();
  }
  json.EndObject();
}

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
  WritePools(report, json);
  WriteResources(report, json);
  WriteBids(report, json);
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
    csv.Write("teams", team.team, "balance_micros", Int128{team.balance_micros});
    csv.Write("teams", team.team, "charged_micros", team.charged_micros);
    csv.Write("teams", team.team, "minted_micros", team.minted_micros);
    csv.Write("teams", team.team, "uncollected_micros", team.uncollected_micros);
    WriteTeamCsv(team, holdings, csv);
  }
  for (const PoolView& pool : report.pools) {
    csv.Write("pools", pool.pool, "exchange_rate",
              pool.exchange_rate.has_value() ? RateText(*pool.exchange_rate) : "");
    csv.Write("pools", pool.pool, "purse_micros", Int128{pool.purse_micros});
    csv.Write("pools", pool.pool, "uncollected_micros", pool.uncollected_micros);
    csv.Write("pools", pool.pool, "market_weight_micros_per_hour",
              Int128{pool.market_weight_micros_per_hour});
    csv.Write("pools", pool.pool, "lend_idle", pool.lend_idle);
  }
  for (const ResourceView& resource : report.resources) {
    csv.Write("resources", resource.resource, "reference_price_micros",
              resource.reference_price_micros);
    csv.Write("resources", resource.resource, "supply", Int128{resource.supply});
    csv.Write("resources", resource.resource, "allocated", Int128{resource.allocated});
    csv.Write("resources", resource.resource, "shared", Int128{resource.shared});
    for (const ResourcePoolView& pool : resource.pools) {
      const std::string prefix = absl::StrCat("pools.", pool.pool, ".");
      csv.Write("resources", resource.resource, prefix + "price_micros", pool.price_micros);
      csv.Write("resources", resource.resource, prefix + "owned", Int128{pool.owned});
      csv.Write("resources", resource.resource, prefix + "reference_price_micros",
                pool.reference_price_micros);
      csv.Write("resources", resource.resource, prefix + "lent", Int128{pool.lent});
      csv.Write("resources", resource.resource, prefix + "wanted", Int128{pool.demand});
    }
  }
  for (const BidView& bid : report.bids) {
    csv.Write("bids", bid.bid, "state", BidStateName(bid.state));
    csv.Write("bids", bid.bid, "chips", Int128{bid.chips});
    csv.Write("bids", bid.bid, "paid", Int128{bid.paid});
    WriteBidCsv(bid, csv);
  }
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
