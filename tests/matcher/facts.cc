#include "tests/matcher/facts.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

#include "events/check.h"
#include "tests/matcher/values.h"

namespace qmarket {

namespace {

enum StateTable : std::size_t { kMarket, kTeam, kPool, kResource, kPrice, kBid, kAccount };

enum OutcomeTable : std::size_t { kRejected, kLate, kPreempted, kPosted, kQuota };

Column Word(std::string name) {
  return {.name = std::move(name), .form = Form::kWord};
}

Column Count(std::string name) {
  return {.name = std::move(name), .form = Form::kCount};
}

Column Amount(std::string name) {
  return {.name = std::move(name), .form = Form::kAmount};
}

Column Clock(std::string name) {
  return {.name = std::move(name), .form = Form::kClock};
}

Column Duration(std::string name) {
  return {.name = std::move(name), .form = Form::kDuration};
}

std::string YesNo(bool value) {
  return value ? "yes" : "no";
}

std::string MicrosOrNone(std::optional<std::int64_t> micros) {
  return micros ? FormatMicros(*micros) : "none";
}

// Caps and costs are unsigned, but far from the end of the range.
std::string Micros(Uint128 micros) {
  return FormatMicros(static_cast<Int128>(micros));
}

std::string RateText(const std::optional<ExchangeRateView>& rate) {
  return rate ? absl::StrCat(ToString(rate->numerator), "/", ToString(rate->denominator)) : "none";
}

Row MarketRow(const Market& market) {
  const MarketConfigured settings = market.settings();
  return {market.time_ms() ? FormatClock(*market.time_ms()) : "none",
          absl::StrCat(market.cycles()),
          FormatDuration(settings.cycle_ms),
          FormatDuration(settings.settlement_ms),
          FormatDuration(settings.min_affordable_ms),
          FormatDuration(settings.keep_affordable_ms),
          absl::StrCat(settings.entry_margin_percent),
          absl::StrCat(settings.purse_hours),
          absl::StrCat(settings.rules_version)};
}

Row TeamRow(const TeamView& team) {
  return {team.team,
          FormatMicros(team.balance_micros),
          team.pool,
          FormatMicros(team.income_micros_per_hour),
          Micros(team.enter_cap_micros_per_hour),
          Micros(team.keep_cap_micros_per_hour),
          Micros(team.burn_micros_per_hour),
          FormatMicros(team.minted_micros),
          FormatMicros(team.charged_micros),
          FormatMicros(team.uncollected_micros)};
}

Row PoolRow(const PoolView& pool) {
  return {pool.pool,
          FormatMicros(pool.purse_micros),
          RateText(pool.exchange_rate),
          FormatMicros(pool.market_weight_micros_per_hour),
          YesNo(pool.lend_idle),
          FormatMicros(pool.uncollected_micros)};
}

Row ResourceRow(const ResourceView& resource) {
  std::int64_t shared_supply = resource.shared;
  for (const ResourcePoolView& pool : resource.pools)
    shared_supply += pool.lent;
  return {resource.resource,
          MicrosOrNone(resource.reference_price_micros),
          absl::StrCat(resource.supply),
          absl::StrCat(resource.shared),
          absl::StrCat(shared_supply),
          absl::StrCat(resource.allocated)};
}

Row PriceRow(const ResourceView& resource, const ResourcePoolView& pool) {
  return {resource.resource,
          pool.pool,
          MicrosOrNone(pool.price_micros),
          MicrosOrNone(pool.reference_price_micros),
          absl::StrCat(pool.owned),
          absl::StrCat(pool.lent),
          absl::StrCat(pool.demand)};
}

Row BidRow(const BidView& bid) {
  return {bid.bid,
          BidStateName(bid.state),
          absl::StrCat(bid.chips),
          absl::StrCat(bid.paid),
          absl::StrCat(bid.wanted),
          absl::StrCat(bid.min_chips),
          MicrosOrNone(bid.reservation_price_micros),
          YesNo(bid.set_aside),
          MicrosOrNone(bid.limit_price_micros),
          absl::StrCat(bid.priority),
          YesNo(bid.standby)};
}

// Adds an outcome to the table it belongs to, if there is one.
class OutcomeRows {
 public:
  explicit OutcomeRows(std::vector<Table>& tables) : tables_(tables) {}

  void operator()(const EventRejected& outcome) const {
    Add(kRejected, {RejectionCodeName(outcome.code), outcome.message});
  }

  void operator()(const EventLate& outcome) const {
    Add(kLate, {FormatClock(outcome.claimed_ms), FormatClock(outcome.effective_ms)});
  }

  void operator()(const BidPreempted& outcome) const {
    Add(kPreempted, {outcome.bid, outcome.reason, absl::StrCat(outcome.lost),
                     absl::StrCat(outcome.chips), outcome.team});
  }

  void operator()(const CreditsPosted& outcome) const {
    Add(kPosted, {PostingKindName(outcome.kind), outcome.from, outcome.to,
                  FormatMicros(outcome.amount_micros), FormatMicros(outcome.uncollected_micros),
                  outcome.currency.empty() ? "reference" : outcome.currency});
  }

  void operator()(const QuotaChanged& outcome) const {
    Add(kQuota, {outcome.team, outcome.resource, absl::StrCat(outcome.chips),
                 FormatClock(outcome.valid_until_ms), absl::StrCat(outcome.cycle)});
  }

  void operator()(const MarketCleared&) const {}

  void operator()(const BidFilled&) const {}

 private:
  void Add(OutcomeTable table, Row row) const { tables_[table].rows.push_back(std::move(row)); }

  std::vector<Table>& tables_;
};

std::vector<Table> EmptyTables(absl::Span<const Schema> schemas) {
  std::vector<Table> tables;
  for (const Schema& schema : schemas)
    tables.push_back({.schema = &schema, .rows = {}});
  return tables;
}

}  // namespace

absl::Span<const Schema> StateSchemas() {
  static const std::vector<Schema>& schemas = *new std::vector<Schema>{
      {.name = "market",
       .keys = 0,
       .columns = {Clock("time"), Count("cycles"), Duration("cycle"), Duration("settlement"),
                   Duration("enter"), Duration("keep"), Count("margin"), Count("purse_hours"),
                   Count("rules")}},
      {.name = "team",
       .keys = 1,
       .columns = {Word("team"), Amount("balance"), Word("pool"), Amount("income"),
                   Amount("enter_cap"), Amount("keep_cap"), Amount("burn"), Amount("minted"),
                   Amount("charged"), Amount("uncollected")}},
      {.name = "pool",
       .keys = 1,
       .columns = {Word("pool"), Amount("purse"), Word("rate"), Amount("weight"), Word("lends"),
                   Amount("uncollected")}},
      {.name = "resource",
       .keys = 1,
       .columns = {Word("resource"), Amount("reference"), Count("supply"), Count("shared"),
                   Count("shared_supply"), Count("allocated")}},
      {.name = "price",
       .keys = 2,
       .columns = {Word("resource"), Word("pool"), Amount("price"), Amount("reference"),
                   Count("owned"), Count("lent"), Count("demand")}},
      {.name = "bid",
       .keys = 1,
       .columns = {Word("bid"), Word("state"), Count("chips"), Count("paid"), Count("wanted"),
                   Count("min"), Amount("reservation"), Word("set_aside"), Amount("limit"),
                   Count("priority"), Word("standby")}},
      {.name = "account", .keys = 1, .columns = {Word("account"), Amount("balance")}},
  };
  return schemas;
}

absl::Span<const Schema> OutcomeSchemas() {
  static const std::vector<Schema>& schemas = *new std::vector<Schema>{
      {.name = "rejected", .keys = 1, .columns = {Word("code"), Word("message")}},
      {.name = "late", .keys = 0, .columns = {Clock("claimed"), Clock("effective")}},
      {.name = "preempted",
       .keys = 1,
       .columns = {Word("bid"), Word("reason"), Count("lost"), Count("left"), Word("team")}},
      {.name = "posted",
       .keys = 3,
       .columns = {Word("kind"), Word("from"), Word("to"), Amount("amount"), Amount("uncollected"),
                   Word("currency")}},
      {.name = "quota",
       .keys = 2,
       .columns = {Word("team"), Word("resource"), Count("chips"), Clock("until"), Count("cycle")}},
  };
  return schemas;
}

std::vector<Table> StateTables(const Market& market) {
  std::vector<Table> tables = EmptyTables(StateSchemas());
  tables[kMarket].rows.push_back(MarketRow(market));
  for (const TeamView& team : market.Teams())
    tables[kTeam].rows.push_back(TeamRow(team));
  for (const PoolView& pool : market.Pools())
    tables[kPool].rows.push_back(PoolRow(pool));
  for (const ResourceView& resource : market.Resources()) {
    tables[kResource].rows.push_back(ResourceRow(resource));
    for (const ResourcePoolView& pool : resource.pools)
      tables[kPrice].rows.push_back(PriceRow(resource, pool));
  }
  for (const BidView& bid : market.Bids())
    tables[kBid].rows.push_back(BidRow(bid));
  for (const Account& account : market.book().accounts())
    tables[kAccount].rows.push_back({account.name, FormatMicros(account.balance)});
  return tables;
}

std::vector<Table> OutcomeTables(absl::Span<const Outcome> outcomes) {
  std::vector<Table> tables = EmptyTables(OutcomeSchemas());
  const OutcomeRows rows(tables);
  for (const Outcome& outcome : outcomes)
    std::visit(rows, outcome);
  return tables;
}

std::string ToText(const Table& table) {
  if (table.rows.empty()) return "";
  std::vector<Row> lines(1);
  for (const Column& column : table.schema->columns)
    lines.front().push_back(column.name);
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(lines.front().size());
  for (const Row& line : lines) {
    QM_CHECK(line.size() == widths.size(), "a row with other columns than its table");
    for (std::size_t c = 0; c < line.size(); ++c)
      widths[c] = std::max(widths[c], line[c].size());
  }
  std::string text;
  for (const Row& line : lines) {
    absl::StrAppend(&text, " ");
    for (std::size_t c = 0; c < line.size(); ++c) {
      const bool last = c + 1 == line.size();
      absl::StrAppend(&text, " ", line[c], last ? "" : std::string(widths[c] - line[c].size(), ' '),
                      last ? "\n" : " |");
    }
  }
  return text;
}

}  // namespace qmarket
