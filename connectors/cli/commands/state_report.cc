#include "connectors/cli/commands/state_report.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

#include "connectors/cli/table.h"
#include "connectors/cli/text.h"
#include "events/fingerprint.h"

// What people get of a state; state_document.cc has the rest.
namespace qmarket {
namespace {

// People look at the beginning of a list; programs get all of it.
constexpr std::size_t kMostRows = 50;

std::string RateText(const std::optional<ExchangeRateView>& rate) {
  return rate.has_value() ? FractionText(rate->numerator, rate->denominator) : kNoValue;
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
    table.AddRow({pool.pool, RateText(pool.exchange_rate), CreditsNumber(Int128{pool.purse_micros}),
                  CreditsNumber(pool.uncollected_micros)});
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
