#include "tests/scenarios/event_words.h"

#include <array>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"

namespace qmarket {

namespace {

MarketConfigured ReadMarket(Words& words) {
  MarketConfigured market;
  while (!words.AtEnd()) {
    if (words.Accept("cycle")) {
      market.cycle_ms = words.Duration("the length of a cycle");
    } else if (words.Accept("settlement")) {
      market.settlement_ms = words.Duration("the time between settlements");
    } else if (words.Accept("enter")) {
      market.min_affordable_ms = words.Duration("how long who enters must be able to pay");
    } else if (words.Accept("keep")) {
      market.keep_affordable_ms = words.Duration("how long who stays must be able to pay");
    } else if (words.Accept("margin")) {
      market.entry_margin_percent = words.Percent("the entry margin");
    } else if (words.Accept("purse")) {
      market.purse_hours =
          static_cast<std::uint32_t>(words.Duration("what a purse may hold") / 3'600'000);
    } else if (words.Accept("rules")) {
      market.rules_version = words.Count("a version of the rules");
    } else {
      words.Fail("cycle, settlement, enter, keep, margin, purse or rules");
    }
  }
  return market;
}

PoolConfigured ReadPool(Words& words) {
  PoolConfigured pool{.pool = words.Word("the name of a pool")};
  while (!words.AtEnd()) {
    if (words.Accept("weight")) {
      pool.market_weight_micros_per_hour = words.MicrosPerHour("a market weight");
    } else if (words.Accept("no lending")) {
      pool.lend_idle = false;
    } else {
      words.Fail("weight or \"no lending\"");
    }
  }
  return pool;
}

TeamConfigured ReadTeam(Words& words) {
  TeamConfigured team{.team = words.Word("the name of a team"), .pool = ""};
  words.Require("in");
  team.pool = words.Word("the name of a pool");
  while (!words.AtEnd()) {
    if (words.Accept("income")) {
      team.income_micros_per_hour = words.MicrosPerHour("an income");
    } else if (words.Accept("leverage")) {
      team.income_leverage_percent = words.Percent("a leverage");
    } else {
      words.Fail("income or leverage");
    }
  }
  return team;
}

SupplyChanged ReadSupply(Words& words) {
  SupplyChanged supply;
  supply.chips = words.Count("a number of chips");
  supply.resource = words.Word("a resource");
  if (words.Accept("shared")) return supply;
  words.Require("of");
  supply.owner = words.Word("the pool that owns the chips");
  return supply;
}

std::int32_t ReadPriority(Words& words) {
  const std::int64_t priority = words.Integer("a priority");
  if (priority < std::numeric_limits<std::int32_t>::min() ||
      priority > std::numeric_limits<std::int32_t>::max()) {
    words.Fail("a priority of 32 bits before");
  }
  return static_cast<std::int32_t>(priority);
}

BidPlaced ReadBid(Words& words) {
  BidPlaced bid;
  bid.team = words.Word("a team");
  words.Require("bids");
  bid.bid = words.Word("the name of the bid");
  words.Require("for");
  bid.chips = words.Count("a number of chips");
  bid.resource = words.Word("a resource");
  while (!words.AtEnd()) {
    if (words.Accept("min")) {
      bid.min_chips = words.Count("a number of chips");
    } else if (words.Accept("limit")) {
      bid.limit_price_micros = words.Micros("a limit price");
    } else if (words.Accept("priority")) {
      bid.priority = ReadPriority(words);
    } else if (words.Accept("opportunistic")) {
      bid.opportunistic = true;
    } else if (words.Accept("no standby")) {
      bid.standby = false;
    } else {
      words.Fail("min, limit, priority, opportunistic or \"no standby\"");
    }
  }
  return bid;
}

BidAmended ReadAmendment(Words& words) {
  BidAmended bid;
  bid.bid = words.Word("the name of the bid");
  while (!words.AtEnd()) {
    if (words.Accept("chips")) {
      bid.chips = words.Count("a number of chips");
    } else if (words.Accept("min")) {
      bid.min_chips = words.Count("a number of chips");
    } else if (words.Accept("limit")) {
      bid.limit_price_micros = words.Micros("a limit price");
    } else if (words.Accept("no limit")) {
      bid.limit_price_micros = -1;
    } else if (words.Accept("priority")) {
      bid.priority = ReadPriority(words);
    } else if (words.Accept("standby")) {
      bid.standby = true;
    } else if (words.Accept("no standby")) {
      bid.standby = false;
    } else {
      words.Fail("chips, min, limit, \"no limit\", priority, standby or \"no standby\"");
    }
  }
  return bid;
}

// What is left of the line, as a reason.
std::string ReadReason(Words& words) {
  std::string reason;
  while (!words.AtEnd())
    absl::StrAppend(&reason, reason.empty() ? "" : " ", words.Word("a reason"));
  return reason;
}

BidWithdrawn ReadWithdrawal(Words& words) {
  BidWithdrawn bid{.bid = words.Word("the name of the bid"), .reason = ""};
  bid.reason = ReadReason(words);
  return bid;
}

ChipsPreempted ReadFleet(Words& words) {
  ChipsPreempted lost;
  lost.chips = words.Count("a number of chips");
  words.Require("from");
  lost.bid = words.Word("the name of the bid");
  lost.reason = ReadReason(words);
  return lost;
}

BudgetGranted ReadGrant(Words& words) {
  BudgetGranted grant;
  grant.amount_micros = words.Micros("an amount");
  words.Require("to");
  grant.team = words.Word("a team");
  return grant;
}

BudgetGranted ReadClawback(Words& words) {
  BudgetGranted grant;
  grant.amount_micros = -words.Micros("an amount");
  words.Require("from");
  grant.team = words.Word("a team");
  return grant;
}

CreditsTransferred ReadTransfer(Words& words) {
  CreditsTransferred transfer;
  transfer.amount_micros = words.Micros("an amount");
  words.Require("from");
  transfer.from_team = words.Word("a team");
  words.Require("to");
  transfer.to_team = words.Word("a team");
  return transfer;
}

UsageReported ReadUsage(Words& words) {
  UsageReported usage;
  if (words.Accept("bid")) {
    usage.bid = words.Word("the name of the bid");
  } else {
    words.Require("team");
    usage.team = words.Word("a team");
    words.Require("on");
    usage.resource = words.Word("a resource");
  }
  usage.chips_in_use = words.Count("a number of chips");
  words.Require("chips from");
  usage.from_ms = words.Clock("a time");
  words.Require("to");
  usage.to_ms = words.Clock("a time");
  return usage;
}

template <typename T, T (*read)(Words&)>
Payload ReadAs(Words& words) {
  return read(words);
}

struct Reader {
  const char* phrase;
  Payload (*read)(Words&);
};

constexpr std::array<Reader, 10> kReaders = {{
    {"market", ReadAs<MarketConfigured, ReadMarket>},
    {"pool", ReadAs<PoolConfigured, ReadPool>},
    {"team", ReadAs<TeamConfigured, ReadTeam>},
    {"supply", ReadAs<SupplyChanged, ReadSupply>},
    {"amend", ReadAs<BidAmended, ReadAmendment>},
    {"withdraw", ReadAs<BidWithdrawn, ReadWithdrawal>},
    {"fleet takes", ReadAs<ChipsPreempted, ReadFleet>},
    {"grant", ReadAs<BudgetGranted, ReadGrant>},
    {"take back", ReadAs<BudgetGranted, ReadClawback>},
    {"transfer", ReadAs<CreditsTransferred, ReadTransfer>},
}};

}  // namespace

Payload ReadPayload(Words& words) {
  if (words.Accept("tick")) return ClockTicked{};
  if (words.Accept("usage of")) return ReadUsage(words);
  for (const Reader& reader : kReaders) {
    if (words.Accept(reader.phrase)) return reader.read(words);
  }
  return ReadBid(words);
}

}  // namespace qmarket
