#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/history.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/records.h"
#include "connectors/cli/text.h"
#include "events/outcome.h"

namespace qmarket {
namespace {

const std::vector<std::string>& StateNames() {
  static const auto* const kNames =
      new std::vector<std::string>{"running", "unpaid", "waiting", "ended", "standing", "all"};
  return *kNames;
}

class BidsCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "bids",
            .group = kQueryGroup,
            .summary = "Bids: what they ask for, what they hold, at what reservation price",
            .explanation =
                "Prints the standing bids: now, at any moment before (--at, --offset), or what "
                "they won and lost over a stretch of time (--from, --to). A bid runs if it pays "
                "for chips, is unpaid if it holds chips and pays for none, waits if it holds none, "
                "or has ended. In a history, `filled` is what a bid holds from then on, 0 where "
                "all is gone; `preempted` says beside it that chips were taken, how many, and why. "
                "Prices are in micro-credits in JSON and CSV.",
            .example =
                "qmarket bids --team search-03 --state waiting\n"
                "  qmarket bids job-10 --from 2026-01-01 --to 2026-01-02"};
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("BID", bid_, "This bid alone, ended or not");
    filters_.AddTeam(app);
    filters_.AddPool(app);
    filters_.AddResource(app);
    app.add_option("--state", state_,
                   "running, unpaid, waiting, ended, standing (the first three) or all")
        ->type_name("STATE")
        ->check(CLI::IsMember(StateNames()).description(""));
    AddQueryOptions(app, options_);
  }

  absl::Status Run(Output& out) override {
    absl::StatusOr<Query> query = Query::Open(options_);
    if (!query.ok()) return query.status();
    const absl::StatusOr<AccountList> list = AccountList::Read(query->store());
    if (!list.ok()) return list.status();
    if (absl::Status known = filters_.Check(*list); !known.ok()) return known;
    if (absl::Status known = CheckResource(*query, filters_.resource()); !known.ok()) return known;
    pools_ = list->PoolsOfTeams();
    return query->is_history() ? PrintHistory(*query, out) : PrintNow(*query, out);
  }

 private:
  absl::Status PrintNow(Query& query, Output& out) {
    const absl::StatusOr<StateReport> state = query.RebuildState();
    if (!state.ok()) return state.status();
    if (absl::Status known = CheckBid(*state); !known.ok()) return known;
    RecordPrinter printer(out, options_.format, "bids",
                          {{"bid", "bid"},
                           {"pool", "pool"},
                           {"team", "team"},
                           {"resource", "resource"},
                           {"state", "state"},
                           {"chips", "chips", Kind::kCount},
                           {"paid", "paid chips", Kind::kCount},
                           {"wanted", "wanted", Kind::kCount},
                           {"min_chips", "at least", Kind::kCount},
                           {"priority", "priority", Kind::kCount},
                           {"limit_price_micros", "limit cr/chip-h", Kind::kMicros},
                           {"reservation_price_micros", "reservation cr/chip-h", Kind::kMicros},
                           {"opportunistic", "opportunistic"},
                           {"standby", "standby"},
                           {"set_aside", "set aside"}});
    printer.Moment(state->offset, state->time_ms);
    for (const BidView& bid : state->bids) {
      if (!IsWanted(bid.bid, bid.team, bid.resource) || !IsInState(bid)) continue;
      printer.Add({bid.bid, pools_[bid.team], bid.team, bid.resource,
                   std::string(BidStateName(bid.state)), Int128{bid.chips}, Int128{bid.paid},
                   Int128{bid.wanted}, Int128{bid.min_chips}, Int128{bid.priority},
                   OptionalCell(bid.limit_price_micros), OptionalCell(bid.reservation_price_micros),
                   bid.opportunistic, bid.standby, bid.set_aside});
    }
    printer.Finish("No such bids.");
    return absl::OkStatus();
  }

  absl::Status PrintHistory(Query& query, Output& out) {
    RecordPrinter printer(out, options_.format, "bids",
                          {{"offset", "offset", Kind::kOffset},
                           {"time_ms", "time", Kind::kTimeMs},
                           {"bid", "bid"},
                           {"team", "team"},
                           {"resource", "resource"},
                           {"change", "change"},
                           {"chips", "chips", Kind::kCount},
                           {"paid", "paid", Kind::kCount},
                           {"reason", "reason"},
                           {"lost", "lost", Kind::kCount}});
    const auto take = [&](std::uint64_t offset, const Outcome& outcome) {
      if (const auto* filled = std::get_if<BidFilled>(&outcome)) {
        return !IsWanted(filled->bid, filled->team, filled->resource) ||
               printer.Add({Int128{offset}, Int128{filled->time_ms}, filled->bid, filled->team,
                            filled->resource, "filled", Int128{filled->chips}, Int128{filled->paid},
                            Cell(), Cell()});
      }
      if (const auto* lost = std::get_if<BidPreempted>(&outcome)) {
        return !IsWanted(lost->bid, lost->team, lost->resource) ||
               printer.Add({Int128{offset}, Int128{lost->time_ms}, lost->bid, lost->team,
                            lost->resource, "preempted", Int128{lost->chips}, Cell(), lost->reason,
                            Int128{lost->lost}});
      }
      return true;
    };
    const absl::Status read = bid_.empty()
                                  ? ForEachOutcome(query, take)
                                  : ForEachOutcomeAbout(query, IndexKind::kBid, bid_, take);
    if (!read.ok()) return read;
    printer.Finish("No bid won or lost chips in that time.");
    return absl::OkStatus();
  }

  bool IsWanted(const std::string& bid, const std::string& team, const std::string& resource) {
    return (bid_.empty() || bid == bid_) && filters_.TakesTeam(team) &&
           filters_.TakesPool(pools_[team]) && filters_.TakesResource(resource);
  }

  bool IsInState(const BidView& bid) const {
    if (state_ == "all" || (state_.empty() && !bid_.empty())) return true;
    if (state_.empty() || state_ == "standing") return bid.state != BidState::kEnded;
    return state_ == BidStateName(bid.state);
  }

  absl::Status CheckBid(const StateReport& state) const {
    if (bid_.empty()) return absl::OkStatus();
    std::vector<std::string> names;
    for (const BidView& bid : state.bids)
      names.push_back(bid.bid);
    if (std::ranges::find(names, bid_) != names.end()) return absl::OkStatus();
    return absl::NotFoundError(UnknownName("bid", bid_, names));
  }

  std::string bid_;
  Filters filters_;
  std::string state_;
  QueryOptions options_;
  std::map<std::string, std::string> pools_;  // by team
};

}  // namespace

std::unique_ptr<Command> NewBidsCommand() {
  return std::make_unique<BidsCommand>();
}

}  // namespace qmarket
