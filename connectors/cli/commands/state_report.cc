#include "connectors/cli/commands/state_report.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/table.h"
#include "connectors/cli/text.h"
#include "events/fingerprint.h"

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

  template <typename T>
  void Write(absl::string_view part, absl::string_view name, absl::string_view field,
             const std::optional<T>& value) {
    Write(part, name, field, value.has_value() ? ToString(Int128{*value}) : "");
  }

 private:
  Output& out_;
};

// People look at the beginning of a list; programs get all of it.
constexpr std::size_t kMostRows = 50;

void WriteTeams(const StateReport& report, JsonWriter& json) {
  json.Key("teams").BeginObject();
  for (const TeamView& team : report.teams) {
    json.Key(team.team)
        .BeginObject()
        .Field("balance_micros", team.balance_micros)
        .Field("charged_micros", team.charged_micros)
        .Field("minted_micros", team.minted_micros)
        .Field("uncollected_micros", team.uncollected_micros)
        .EndObject();
  }
  json.EndObject();
}

std::string RateText(const ExchangeRateView& rate) {
  return absl::StrCat(ToString(rate.numerator), "/", ToString(rate.denominator));
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
        .Key("pools")
        .BeginObject();
    for (const ResourcePoolView& pool : resource.pools) {
      json.Key(pool.pool)
          .BeginObject()
          .Field("price_micros", pool.price_micros)
          .Field("owned", pool.owned)
          .EndObject();
    }
    json.EndObject().EndObject();
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

Table TeamTable(const StateReport& report) {
  Table table({{"team"},
               {"pool"},
               {"balance cr", Align::kDecimal},
               {"minted cr", Align::kDecimal},
               {"charged cr", Align::kDecimal},
               {"uncollected cr", Align::kDecimal}});
  for (const TeamView& team : report.teams) {
    table.AddRow({team.team, team.pool, CreditsNumber(Int128{team.balance_micros}),
                  CreditsNumber(team.minted_micros), CreditsNumber(team.charged_micros),
                  CreditsNumber(team.uncollected_micros)});
  }
  return table;
}

Table PoolTable(const StateReport& report) {
  Table table({{"pool"},
               {"exchange rate", Align::kRight},
               {"purse cr", Align::kDecimal},
               {"uncollected cr", Align::kDecimal}});
  for (const PoolView& pool : report.pools) {
    table.AddRow(
        {pool.pool, pool.exchange_rate.has_value() ? RateText(*pool.exchange_rate) : kNoValue,
         CreditsNumber(Int128{pool.purse_micros}), CreditsNumber(pool.uncollected_micros)});
  }
  return table;
}

Table PriceTable(const StateReport& report) {
  Table table({{"resource"},
               {"pool"},
               {"price cr/chip-h", Align::kDecimal},
               {"reference cr/chip-h", Align::kDecimal},
               {"owned", Align::kRight},
               {"supply", Align::kRight},
               {"allocated", Align::kRight}});
  for (const ResourceView& resource : report.resources) {
    for (const ResourcePoolView& pool : resource.pools) {
      table.AddRow({resource.resource, pool.pool, CreditsNumber(pool.price_micros),
                    CreditsNumber(resource.reference_price_micros), CountText(pool.owned),
                    CountText(resource.supply), CountText(resource.allocated)});
    }
  }
  return table;
}

Table BidTable(const StateReport& report) {
  Table table({{"bid"},
               {"team"},
               {"resource"},
               {"state"},
               {"chips", Align::kRight},
               {"paid", Align::kRight},
               {"wanted", Align::kRight}});
  for (const BidView& bid : report.bids) {
    if (bid.state == BidState::kEnded) continue;
    table.AddRow({bid.bid, bid.team, bid.resource, BidStateName(bid.state), CountText(bid.chips),
                  CountText(bid.paid), CountText(bid.wanted)});
  }
  return table;
}

Table RejectedTable(const StateReport& report) {
  Table table({{"offset", Align::kRight}, {"rejected event"}, {"code"}});
  for (const RejectedEvent& rejected : report.rejected) {
    table.AddRow(
        {CountText(Int128{rejected.offset}), rejected.event_id, RejectionCodeName(rejected.code)});
  }
  return table;
}

Table PreemptedTable(const StateReport& report) {
  Table table({{"offset", Align::kRight}, {"preempted bid"}, {"reason"}});
  for (const PreemptedBid& preempted : report.preempted) {
    table.AddRow({CountText(Int128{preempted.offset}), preempted.bid, preempted.reason});
  }
  return table;
}

void PrintPart(const char* what, Table table, Output& out) {
  if (table.empty()) return;
  const std::size_t rows = table.size();
  table.KeepFirst(kMostRows);
  out.Write("\n");
  table.Print(out);
  if (rows > kMostRows) {
    out.Write(absl::StrCat("... and ", CountText(Int128{rows - kMostRows}), " more ", what,
                           "; --format json has them all\n"));
  }
}

}  // namespace

void WriteReport(const StateReport& report, JsonWriter& json) {
  json.BeginObject()
      .Field("offset", report.offset)
      .Field("time_ms", report.time_ms)
      .Field("digest", ToHex(report.digest));
  WriteTeams(report, json);
  WritePools(report, json);
  WriteResources(report, json);
  json.Key("bids").BeginObject();
  for (const BidView& bid : report.bids) {
    json.Key(bid.bid)
        .BeginObject()
        .Field("state", BidStateName(bid.state))
        .Field("chips", bid.chips)
        .Field("paid", bid.paid)
        .EndObject();
  }
  json.EndObject();
  WriteLists(report, json);
  json.EndObject();
}

void PrintReportCsv(const StateReport& report, Output& out) {
  CsvWriter csv(out);
  csv.Write("state", "", "offset", report.offset);
  csv.Write("state", "", "time_ms", report.time_ms);
  csv.Write("state", "", "digest", ToHex(report.digest));
  for (const TeamView& team : report.teams) {
    csv.Write("teams", team.team, "balance_micros", Int128{team.balance_micros});
    csv.Write("teams", team.team, "charged_micros", team.charged_micros);
    csv.Write("teams", team.team, "minted_micros", team.minted_micros);
    csv.Write("teams", team.team, "uncollected_micros", team.uncollected_micros);
  }
  for (const PoolView& pool : report.pools) {
    csv.Write("pools", pool.pool, "exchange_rate",
              pool.exchange_rate.has_value() ? RateText(*pool.exchange_rate) : "");
    csv.Write("pools", pool.pool, "purse_micros", Int128{pool.purse_micros});
    csv.Write("pools", pool.pool, "uncollected_micros", pool.uncollected_micros);
  }
  for (const ResourceView& resource : report.resources) {
    csv.Write("resources", resource.resource, "reference_price_micros",
              resource.reference_price_micros);
    csv.Write("resources", resource.resource, "supply", Int128{resource.supply});
    csv.Write("resources", resource.resource, "allocated", Int128{resource.allocated});
    for (const ResourcePoolView& pool : resource.pools) {
      const std::string prefix = absl::StrCat("pools.", pool.pool, ".");
      csv.Write("resources", resource.resource, prefix + "price_micros", pool.price_micros);
      csv.Write("resources", resource.resource, prefix + "owned", Int128{pool.owned});
    }
  }
  for (const BidView& bid : report.bids) {
    csv.Write("bids", bid.bid, "state", BidStateName(bid.state));
    csv.Write("bids", bid.bid, "chips", Int128{bid.chips});
    csv.Write("bids", bid.bid, "paid", Int128{bid.paid});
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

void PrintReport(const StateReport& report, Output& out) {
  if (!report.offset.has_value()) {
    out.Write("No events.\n");
    return;
  }
  const auto ended = std::count_if(report.bids.begin(), report.bids.end(), [](const BidView& bid) {
    return bid.state == BidState::kEnded;
  });
  out.Write(absl::StrCat("State after offset ", *report.offset, ", ",
                         report.time_ms.has_value() ? TimeText(*report.time_ms) : "before any time",
                         "\ndigest ", ToHex(report.digest), "\nbids ",
                         CountText(Int128{report.bids.size()}), " (", CountText(Int128{ended}),
                         " ended), rejected ", CountText(Int128{report.rejected.size()}),
                         ", preempted ", CountText(Int128{report.preempted.size()}), "\n"));
  PrintPart("pools", PoolTable(report), out);
  PrintPart("teams", TeamTable(report), out);
  PrintPart("prices", PriceTable(report), out);
  PrintPart("bids", BidTable(report), out);
  PrintPart("rejected events", RejectedTable(report), out);
  PrintPart("preemptions", PreemptedTable(report), out);
}

}  // namespace qmarket
