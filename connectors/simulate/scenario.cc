#include "connectors/simulate/scenario.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/text.h"
#include "connectors/simulate/random.h"
#include "events/check.h"
#include "events/field_rules.h"
#include "events/int128.h"

namespace qmarket {
namespace {

constexpr std::int64_t kMostMicrosPerHour = 1'000'000'000'000;  // of a weight, and a pool's incomes
constexpr std::int64_t kMicrosPerCredit = 1'000'000;

// Limit prices that are drawn, in percent of the overlay's credits per chip-hour: all are equally
// likely, and half of the jobs have none.
constexpr std::int64_t kLimitPercents[] = {60,  80,  100, 120, 150,   180,   220,   280,
                                           350, 450, 600, 800, 1'000, 1'300, 1'600, 2'000};
constexpr std::uint64_t kLimitCases = std::size(kLimitPercents) * 2;

using Names = std::map<std::string, std::uint32_t>;

// Numbers the names in their order.
Names Numbered(const std::set<std::string>& names) {
  Names numbered;
  for (const std::string& name : names) {
    numbered.emplace(name, static_cast<std::uint32_t>(numbered.size()));
  }
  return numbered;
}

std::vector<std::string> Keys(const Names& names) {
  std::vector<std::string> keys;
  keys.reserve(names.size());
  for (const auto& [name, number] : names) {
    keys.push_back(name);
  }
  return keys;
}

class ScenarioBuilder {
 public:
  ScenarioBuilder(const Trace& trace, const MarketFile& file, const ScenarioOptions& options)
      : trace_(trace), file_(file), options_(options) {}

  absl::StatusOr<Scenario> Build();

 private:
  using Step = absl::Status (ScenarioBuilder::*)();

  absl::Status FindWindow();
  absl::Status NamePools();
  absl::Status NameTeams();
  absl::Status AddSupply();
  absl::Status AddJobs();
  absl::Status SetWeights();
  absl::Status SetIncomes();

  [[nodiscard]] std::string MarketTeam(const std::string& team, const std::string& pool) const;
  [[nodiscard]] ScenarioJob MakeJob(const TraceJob& job, std::uint64_t index) const;
  void Draw(ScenarioJob& job, std::uint64_t index) const;
  void ApplyRules(const TraceJob& from, ScenarioJob& job) const;
  [[nodiscard]] std::int64_t MostChips() const;

  const Trace& trace_;
  const MarketFile& file_;
  const ScenarioOptions& options_;
  Scenario scenario_;
  Names pools_;
  Names teams_;
  Names resources_;
  std::map<std::string, std::set<std::string>> pools_of_team_;  // in the trace
  std::vector<Int128> team_work_;  // in the window, as if every job started when submitted
  std::int64_t all_micros_per_hour_ = 0;
};

absl::StatusOr<Scenario> ScenarioBuilder::Build() {
  for (const Step step :
       {&ScenarioBuilder::FindWindow, &ScenarioBuilder::NamePools, &ScenarioBuilder::NameTeams,
        &ScenarioBuilder::AddSupply, &ScenarioBuilder::AddJobs, &ScenarioBuilder::SetWeights,
        &ScenarioBuilder::SetIncomes}) {
    absl::Status status = (this->*step)();
    if (!status.ok()) return status;
  }
  return std::move(scenario_);
}

absl::Status ScenarioBuilder::FindWindow() {
  QM_CHECK(!trace_.jobs.empty() && !trace_.supply.empty(), "a trace without jobs or supply");
  scenario_.market = file_.market;
  scenario_.drain = options_.drain;
  scenario_.checkpoint_ms = options_.checkpoint_ms;
  scenario_.start_ms = options_.start_ms.value_or(
      std::max(trace_.jobs.front().submit_ms, trace_.supply.front().time_ms));
  scenario_.end_ms = options_.until_ms.value_or(trace_.jobs.back().submit_ms);
  if (scenario_.end_ms >= scenario_.start_ms) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("nothing to simulate: the window begins at ", TimeText(scenario_.start_ms),
                   " and ends before that, at ", TimeText(scenario_.end_ms)));
}

absl::Status ScenarioBuilder::NamePools() {
  std::set<std::string> names;
  std::set<std::string> resources;
  for (const TraceJob& job : trace_.jobs) {
    names.insert(job.pool);
    resources.insert(job.resource);
    pools_of_team_[job.team].insert(job.pool);
  }
  for (const TraceSupply& row : trace_.supply) {
    if (!row.owner.empty()) names.insert(row.owner);
    resources.insert(row.resource);
  }
  for (const TracePool& pool : trace_.pools) {
    names.insert(pool.pool);
  }
  pools_ = Numbered(names);
  resources_ = Numbered(resources);
  scenario_.resources = Keys(resources_);
  for (const auto& [name, number] : pools_) {
    scenario_.pools.push_back({.name = name});
  }
  for (const auto& [name, rule] : file_.pools) {
    const auto found = pools_.find(name);
    if (found == pools_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("market file: ", UnknownName("pool", name, Keys(pools_))));
    }
  }
  return absl::OkStatus();
}

// A team keeps its pool for ever: one that the trace shows in several pools is a team in each.
std::string ScenarioBuilder::MarketTeam(const std::string& team, const std::string& pool) const {
  return pools_of_team_.at(team).size() == 1 ? team : absl::StrCat(team, "@", pool);
}

absl::Status ScenarioBuilder::NameTeams() {
  std::map<std::pair<std::string, std::string>, std::string> by_pool;  // (pool, name) to trace team
  std::set<std::string> names;
  for (const auto& [team, pools] : pools_of_team_) {
    for (const std::string& pool : pools) {
      const std::string name = MarketTeam(team, pool);
      if (!IsName(name) || !names.insert(name).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("team ", team, " is in several pools and would be ", name,
                         " in one of them: that is too long, or the name of another team"));
      }
      by_pool.emplace(std::pair(pool, name), team);
    }
  }
  for (const auto& [place, team] : by_pool) {
    const auto number = static_cast<std::uint32_t>(scenario_.teams.size());
    teams_.emplace(place.second, number);
    scenario_.teams.push_back({.name = place.second, .pool = pools_.at(place.first)});
  }
  team_work_.assign(scenario_.teams.size(), 0);
  for (const auto& [name, rule] : file_.teams) {
    if (!teams_.contains(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("market file: ", UnknownName("team", name, Keys(teams_))));
    }
  }
  return absl::OkStatus();
}

absl::Status ScenarioBuilder::AddSupply() {
  // Of what was before the start, the last counts.
  std::map<std::pair<std::string, std::string>, ScenarioSupply> at_start;
  std::vector<ScenarioSupply> later;
  for (const TraceSupply& row : trace_.supply) {
    ScenarioSupply supply = {.time_ms = std::max(row.time_ms, scenario_.start_ms),
                             .resource = resources_.at(row.resource),
                             .chips = row.chips};
    if (!row.owner.empty()) supply.pool = pools_.at(row.owner);
    if (row.time_ms <= scenario_.start_ms) {
      at_start[{row.resource, row.owner}] = supply;
    } else if (row.time_ms <= scenario_.end_ms || scenario_.drain) {
      later.push_back(supply);
    }
  }
  for (const auto& [owner, supply] : at_start) {
    scenario_.supply.push_back(supply);
  }
  scenario_.supply.insert(scenario_.supply.end(), later.begin(), later.end());
  return absl::OkStatus();
}

void ScenarioBuilder::Draw(ScenarioJob& job, std::uint64_t index) const {
  const Overlay& overlay = file_.overlay;
  // Everything is drawn, used or not: one option does not change what another one draws.
  SeededRandom random(overlay.seed, index);
  const std::uint64_t limit_case = random.Below(kLimitCases);
  const std::uint64_t elastic = random.Below(100);
  const std::uint64_t opportunistic = random.Below(100);
  if (overlay.seeded_limits && limit_case < std::size(kLimitPercents)) {
    const Uint128 limit = CheckedMul(static_cast<Uint128>(overlay.credits_per_chip_hour_micros),
                                     static_cast<Uint128>(kLimitPercents[limit_case])) /
                          100;
    job.limit_price_micros = ToInt64(std::min(limit, static_cast<Uint128>(kMostMicrosPerHour)));
  }
  if (elastic < overlay.elastic_percent) job.min_chips = std::max(1U, job.chips / 4);
  if (opportunistic < overlay.opportunistic_percent) job.opportunistic = true;
}

void ScenarioBuilder::ApplyRules(const TraceJob& from, ScenarioJob& job) const {
  for (const BidRule& rule : file_.bids) {
    if ((rule.pool && *rule.pool != from.pool) || (rule.team && *rule.team != from.team) ||
        (rule.resource && *rule.resource != from.resource) ||
        (rule.at_least_chips && from.chips < *rule.at_least_chips) ||
        (rule.at_most_chips && from.chips > *rule.at_most_chips)) {
      continue;
    }
    if (rule.limit_price_micros) job.limit_price_micros = *rule.limit_price_micros;
    if (rule.priority) job.priority = *rule.priority;
    if (rule.opportunistic) job.opportunistic = *rule.opportunistic;
    if (rule.standby) job.standby = *rule.standby;
    if (rule.min_chips_percent) {
      job.min_chips = static_cast<std::uint32_t>((from.chips * *rule.min_chips_percent + 99) / 100);
    }
  }
}

ScenarioJob ScenarioBuilder::MakeJob(const TraceJob& from, std::uint64_t index) const {
  ScenarioJob job = {.id = from.id,
                     .team = teams_.at(MarketTeam(from.team, from.pool)),
                     .resource = resources_.at(from.resource),
                     .submit_ms = from.submit_ms,
                     .arrival_ms = std::max(from.submit_ms, scenario_.start_ms),
                     .chips = from.chips,
                     .min_chips = from.chips};
  std::int64_t duration = from.duration_ms;
  if (job.early() && options_.early == EarlyJobs::kRemaining) {
    duration -= job.arrival_ms - job.submit_ms;
  }
  job.work_chip_ms = std::max(std::int64_t{0}, duration) * job.chips;
  Draw(job, index);
  ApplyRules(from, job);
  return job;
}

absl::Status ScenarioBuilder::AddJobs() {
  for (std::size_t i = 0; i < trace_.jobs.size(); ++i) {
    const TraceJob& from = trace_.jobs[i];
    if (from.submit_ms > scenario_.end_ms) {
      ++scenario_.jobs_left_out;
      continue;
    }
    ScenarioJob job = MakeJob(from, i);
    if (job.early() && (job.work_chip_ms == 0 || options_.early == EarlyJobs::kSkip)) {
      ++scenario_.jobs_left_out;
      continue;
    }
    const std::int64_t running_ms =
        std::min(job.work_chip_ms / job.chips, scenario_.end_ms - job.arrival_ms);
    team_work_[job.team] += Int128{running_ms} * job.chips;
    scenario_.jobs.push_back(std::move(job));
  }
  if (!scenario_.jobs.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("no job is submitted between ",
                                                 TimeText(scenario_.start_ms), " and ",
                                                 TimeText(scenario_.end_ms)));
}

// The most chips that there are at one time.
std::int64_t ScenarioBuilder::MostChips() const {
  std::map<std::pair<std::uint32_t, std::optional<std::uint32_t>>, std::int64_t> chips;
  std::int64_t most = 0;
  std::int64_t now = 0;
  std::int64_t time = scenario_.start_ms;
  for (const ScenarioSupply& supply : scenario_.supply) {
    // What changes at one moment changes together.
    if (supply.time_ms != time) most = std::max(most, now);
    time = supply.time_ms;
    std::int64_t& owned = chips[{supply.resource, supply.pool}];
    now += std::int64_t{supply.chips} - owned;
    owned = supply.chips;
  }
  return std::max(most, now);
}

absl::Status ScenarioBuilder::SetWeights() {
  Int128 all_work = 0;
  std::vector<Int128> pool_work(scenario_.pools.size());
  for (std::size_t i = 0; i < team_work_.size(); ++i) {
    // So that a window of no length has shares too.
    team_work_[i] += 1;
    pool_work[scenario_.teams[i].pool] += team_work_[i];
    all_work += team_work_[i];
  }
  all_micros_per_hour_ = static_cast<std::int64_t>(
      std::min(Int128{file_.overlay.credits_per_chip_hour_micros} * MostChips(),
               Int128{kMostMicrosPerHour}));
  const bool stated = !trace_.pools.empty();
  std::vector<Int128> shares = stated ? std::vector<Int128>(pool_work.size()) : pool_work;
  Int128 all_shares = stated ? 0 : all_work;
  for (const TracePool& pool : trace_.pools) {
    ScenarioPool& target = scenario_.pools[pools_.at(pool.pool)];
    target.lend_idle = pool.lend_idle.value_or(true);
    shares[pools_.at(pool.pool)] = pool.share_micros.value_or(0);
    all_shares += pool.share_micros.value_or(0);
  }
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (all_shares == 0) break;
    scenario_.pools[k].weight_micros_per_hour =
        static_cast<std::int64_t>(shares[k] * all_micros_per_hour_ / all_shares);
  }
  for (const TracePool& pool : trace_.pools) {
    if (!pool.weight_micros) continue;
    scenario_.pools[pools_.at(pool.pool)].weight_micros_per_hour = *pool.weight_micros;
  }
  for (const auto& [name, rule] : file_.pools) {
    ScenarioPool& target = scenario_.pools[pools_.at(name)];
    if (rule.market_weight_micros) target.weight_micros_per_hour = *rule.market_weight_micros;
    if (rule.lend_idle) target.lend_idle = *rule.lend_idle;
  }
  return absl::OkStatus();
}

absl::Status ScenarioBuilder::SetIncomes() {
  Int128 all_work = 0;
  for (const Int128 work : team_work_) {
    all_work += work;
  }
  QM_CHECK(all_work > 0, "a scenario without teams");
  std::vector<Int128> pool_income(scenario_.pools.size());
  for (std::size_t i = 0; i < scenario_.teams.size(); ++i) {
    ScenarioTeam& team = scenario_.teams[i];
    team.income_micros_per_hour =
        static_cast<std::int64_t>(team_work_[i] * all_micros_per_hour_ / all_work);
    const auto rule = file_.teams.find(team.name);
    if (rule != file_.teams.end()) {
      if (rule->second.income_micros) team.income_micros_per_hour = *rule->second.income_micros;
      team.income_leverage_percent = rule->second.income_leverage_percent;
      team.grant_micros = rule->second.grant_micros;
    }
    pool_income[team.pool] += team.income_micros_per_hour;
    if (pool_income[team.pool] > kMostMicrosPerHour) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the incomes of pool ", scenario_.pools[team.pool].name, " add up to more than ",
          CountText(kMostMicrosPerHour / kMicrosPerCredit), " credits an hour"));
    }
  }
  return absl::OkStatus();
}

Event SetupEvent(const Scenario& scenario, std::string id, Payload payload) {
  return {.event_id = std::move(id),
          .time_ms = scenario.start_ms,
          .actor = "simulation",
          .source = "setup",
          .payload = std::move(payload)};
}

}  // namespace

absl::StatusOr<Scenario> BuildScenario(const Trace& trace, const MarketFile& file,
                                       const ScenarioOptions& options) {
  return ScenarioBuilder(trace, file, options).Build();
}

std::vector<Event> SetupEvents(const Scenario& scenario) {
  std::vector<Event> events;
  const auto add = [&](absl::string_view what, std::size_t number, Payload payload) {
    events.push_back(SetupEvent(scenario, absl::StrCat(what, "-", number), std::move(payload)));
  };
  add("market", 0, scenario.market);
  for (std::size_t k = 0; k < scenario.pools.size(); ++k) {
    const ScenarioPool& pool = scenario.pools[k];
    add("pool", k,
        PoolConfigured{.pool = pool.name,
                       .market_weight_micros_per_hour = pool.weight_micros_per_hour,
                       .lend_idle = pool.lend_idle});
  }
  for (std::size_t i = 0; i < scenario.teams.size(); ++i) {
    const ScenarioTeam& team = scenario.teams[i];
    add("team", i,
        TeamConfigured{.team = team.name,
                       .pool = scenario.pools[team.pool].name,
                       .income_micros_per_hour = team.income_micros_per_hour,
                       .income_leverage_percent = team.income_leverage_percent});
    if (team.grant_micros == 0) continue;
    add("grant", i,
        BudgetGranted{.team = team.name, .amount_micros = team.grant_micros, .memo = "start"});
  }
  return events;
}

}  // namespace qmarket
