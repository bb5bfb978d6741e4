#include "matcher/core/posting.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace qmarket {

namespace {

void BalanceChanged(MarketState& state, TeamId team) {
  state.teams[team].caps_changed = true;
  state.pools[state.teams[team].pool].rate_changed = true;
}

AccountId SpentAccount(MarketState& state, PoolId pool_id, ResourceId resource) {
  Pool& pool = state.pools[pool_id];
  std::optional<AccountId>& spent = pool.resources[resource].spent;
  if (!spent) {
    spent = state.book.Open(
        absl::StrCat("spent:", state.pool_names[pool_id], ":", state.resource_names[resource]),
        pool.currency, Floor::kNone);
  }
  return *spent;
}

AccountId SoldAccount(MarketState& state, ResourceId resource) {
  std::optional<AccountId>& sold = state.resources[resource].sold;
  if (!sold) {
    sold = state.book.Open(AccountName("sold", state.resource_names[resource]),
                           state.reference_currency, Floor::kNone);
  }
  return *sold;
}

}  // namespace

void Post(MarketState& state, const Movement& movement, TimeMs now) {
  if (movement.amount > Credits(0)) {
    state.book.Post({.from = movement.from,
                     .to = movement.to,
                     .amount = movement.amount,
                     .kind = static_cast<std::uint8_t>(movement.kind)});
  } else if (movement.uncollected == 0 && !movement.tell_zero) {
    return;
  }
  const Account& from = state.book.accounts()[movement.from.index()];
  const Account& to = state.book.accounts()[movement.to.index()];
  state.step.outcomes.emplace_back(
      CreditsPosted{.kind = movement.kind,
                    .currency = state.book.currencies()[from.currency.index()],
                    .from = from.name,
                    .to = to.name,
                    .amount_micros = movement.amount.value(),
                    .uncollected_micros =
                        ToInt64(std::min(movement.uncollected, static_cast<Uint128>(INT64_MAX))),
                    .time_ms = now.value()});
}

void MintFor(MarketState& state, PostingKind kind, TeamId id, Credits amount, TimeMs now) {
  Team& team = state.teams[id];
  Pool& pool = state.pools[team.pool];
  Post(state, {.kind = kind, .from = pool.mint, .to = team.account, .amount = amount}, now);
  team.minted += amount.value();
  pool.balances += amount;
  BalanceChanged(state, id);
}

void TakeBackFrom(MarketState& state, TeamId id, Credits amount, TimeMs now) {
  Team& team = state.teams[id];
  Pool& pool = state.pools[team.pool];
  Post(state,
       {.kind = PostingKind::kClawback,
        .from = team.account,
        .to = pool.mint,
        .amount = amount,
        .tell_zero = true},
       now);
  team.minted -= amount.value();
  pool.balances -= amount;
  BalanceChanged(state, id);
}

void Transfer(MarketState& state, TeamId from, TeamId to, Credits amount, TimeMs now) {
  Post(state,
       {.kind = PostingKind::kTransfer,
        .from = state.teams[from].account,
        .to = state.teams[to].account,
        .amount = amount},
       now);
  BalanceChanged(state, from);
  BalanceChanged(state, to);
}

void CollectCharge(MarketState& state, TeamId id, ResourceId resource, Uint128 due, TimeMs now) {
  if (due == 0) return;
  Team& team = state.teams[id];
  const Uint128 balance = ToUint128(state.BalanceOf(id).value());
  const Uint128 collected = std::min(balance, due);
  Post(state,
       {.kind = PostingKind::kCharge,
        .from = team.account,
        .to = SpentAccount(state, team.pool, resource),
        .amount = Credits(ToInt64(collected)),
        .uncollected = due - collected},
       now);
  team.charged = CheckedAdd(team.charged, collected);
  team.uncollected = CheckedAdd(team.uncollected, due - collected);
  state.pools[team.pool].balances -= Credits(ToInt64(collected));
  BalanceChanged(state, id);
}

void CollectChips(MarketState& state, PoolId id, ResourceId resource, Uint128 due, TimeMs now) {
  if (due == 0) return;
  Pool& pool = state.pools[id];
  const Uint128 balance = ToUint128(state.book.Balance(pool.purse));
  const Uint128 collected = std::min(balance, due);
  Post(state,
       {.kind = PostingKind::kChips,
        .from = pool.purse,
        .to = SoldAccount(state, resource),
        .amount = Credits(ToInt64(collected)),
        .uncollected = due - collected},
       now);
  pool.uncollected = CheckedAdd(pool.uncollected, due - collected);
  pool.rate_changed = true;
}

}  // namespace qmarket
