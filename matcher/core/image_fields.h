// The fields of every struct of the market's state, for its image: writer and reader walk the same
// list. Private to image.cc. What is made again by LinkRuns (cell.runs, cell.demand), and what is
// empty between two steps, is left out; names, the book and the bids are written apart.
//
// A change here is a new kImageVersion.
#ifndef QMARKET_MATCHER_CORE_IMAGE_FIELDS_H_
#define QMARKET_MATCHER_CORE_IMAGE_FIELDS_H_

#include "events/event.h"
#include "matcher/core/accrual.h"
#include "matcher/core/exchange_rate.h"
#include "matcher/core/image_archive.h"
#include "matcher/core/known_events.h"
#include "matcher/core/market_state.h"
#include "matcher/core/standing.h"
#include "matcher/core/unit_run.h"

namespace qmarket {

template <typename Archive>
void Fields(Archive& archive, Like<ImageCounts> auto& v) {
  archive(v.pools, v.teams, v.resources, v.bids, v.accounts, v.currencies);
}

template <typename Archive>
void Fields(Archive& archive, Like<Accrual> auto& v) {
  v.Fields(archive);
}

inline void Fields(ImageWriter& archive, const ExchangeRate& v) {
  archive(v.numerator(), v.denominator());
}

inline void Fields(ImageReader& archive, ExchangeRate& v) {
  Uint128 numerator = 0;
  Uint128 denominator = 0;
  archive(numerator, denominator);
  v = ExchangeRate(numerator, denominator);
}

template <typename Archive>
void Fields(Archive& archive, Like<KnownEvent> auto& v) {
  archive(v.id, v.content, v.offset);
}

template <typename Archive>
void Fields(Archive& archive, Like<MarketConfigured> auto& v) {
  archive(v.cycle_ms, v.settlement_ms, v.min_affordable_ms, v.keep_affordable_ms,
          v.entry_margin_percent, v.purse_hours, v.rules_version);
}

template <typename Archive>
void Fields(Archive& archive, Like<StandingBid> auto& v) {
  archive(v.team, v.resource, v.chips, v.min_chips, v.limit, v.priority, v.opportunistic, v.standby,
          v.place, v.held, v.paid, v.ended, v.set_aside, v.reservation, v.next_held, v.next_paid,
          v.first_unfilled, v.last_filled_is_marginal);
}

template <typename Archive>
void Fields(Archive& archive, Like<UnitRun> auto& v) {
  archive(v.bid, v.resource, v.running, v.planned, v.units, v.unit_chips, v.bid_chips_before,
          v.team_chips_before, v.margin, v.purchasing_power, v.cap, v.first, v.first_reference,
          v.last_reference, v.filled);
}

template <typename Archive>
void Fields(Archive& archive, Like<TeamQueue> auto& v) {
  archive(v.pool, v.enter_cap, v.keep_cap, v.bids, v.runs, v.replan, v.gave_up);
}

template <typename Archive>
void Fields(Archive& archive, Like<PoolTerms> auto& v) {
  archive(v.rate, v.lend_idle);
}

template <typename Archive>
void Fields(Archive& archive, Like<Cell> auto& v) {
  archive(v.owned, v.lent, v.own, v.reference, v.local, v.local_before, v.planning, v.paid,
          v.unpaid);
}

template <typename Archive>
void Fields(Archive& archive, Like<ResourceTable> auto& v) {
  archive(v.shared, v.shared_supply, v.lent, v.lent_before, v.supply, v.supply_before, v.reference,
          v.bids, v.cells, v.reconsider, v.reclear);
}

template <typename Archive>
void Fields(Archive& archive, Like<Holding> auto& v) {
  archive(v.resource, v.held, v.paid, v.published, v.charge);
}

template <typename Archive>
void Fields(Archive& archive, Like<Team> auto& v) {
  archive(v.pool, v.account, v.stated_income, v.stated_leverage_percent, v.income,
          v.leverage_percent, v.accrued_income, v.holdings, v.charged, v.minted, v.uncollected,
          v.caps_changed);
}

template <typename Archive>
void Fields(Archive& archive, Like<PoolResource> auto& v) {
  archive(v.paid, v.spent, v.outflow);
}

template <typename Archive>
void Fields(Archive& archive, Like<Pool> auto& v) {
  archive(v.currency, v.mint, v.purse, v.stated_weight, v.stated_lend_idle, v.weight, v.inflow,
          v.stated_incomes, v.incomes, v.balances, v.uncollected, v.teams, v.resources,
          v.rate_changed);
}

template <typename Archive>
void Fields(Archive& archive, Like<Resource> auto& v) {
  archive(v.stated_shared, v.stated_owned, v.sold, v.allocated, v.in_last_cycle);
}

template <typename Archive>
void Fields(Archive& archive, Like<MarketState> auto& v) {
  archive(v.standing.entry_margin_percent, v.standing.pools, v.standing.teams, v.standing.resources,
          v.pools, v.teams, v.resources, v.resources_by_name, v.reference_currency, v.issue,
          v.settings, v.stated_settings, v.stated_changed, v.time, v.settled, v.cycles);
}

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_IMAGE_FIELDS_H_
