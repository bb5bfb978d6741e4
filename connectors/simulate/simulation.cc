#include "connectors/simulate/simulation.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

#include "connectors/cli/text.h"
#include "events/check.h"

namespace qmarket {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// A drain gives up when no job has held a chip for so long.
constexpr std::int64_t kDrainPatienceMs = 24 * kMsPerHour;

}  // namespace

Simulation::Simulation(const Scenario& scenario, MarketHost& host)
    : scenario_(scenario),
      host_(host),
      holdings_(scenario),
      checks_(scenario),
      measures_(scenario),
      versions_(scenario.jobs.size()),
      last_held_ms_(scenario.start_ms) {
  work_.reserve(scenario.jobs.size());
  job_numbers_.reserve(scenario.jobs.size());
  for (std::uint32_t j = 0; j < scenario.jobs.size(); ++j) {
    work_.emplace_back(scenario.jobs[j].work_chip_ms, scenario.checkpoint_ms);
    job_numbers_.emplace(scenario.jobs[j].id, j);
  }
}

absl::StatusOr<SimulationReport> Simulation::Run(const ProgressCallback& progress) {
  absl::Status status = SetUp();
  const std::int64_t cycle_ms = scenario_.market.cycle_ms;
  const std::uint64_t total =
      scenario_.drain
          ? 0
          : static_cast<std::uint64_t>((scenario_.end_ms - scenario_.start_ms) / cycle_ms + 1);
  std::int64_t tick_ms = scenario_.start_ms;
  for (; status.ok() && !Done(tick_ms); tick_ms += cycle_ms) {
    status = RunUntil(tick_ms);
    if (status.ok()) status = Tick(tick_ms);
    if (progress) progress(ticks_, total);
  }
  if (!status.ok()) return status;
  // What happens between the last tick and the end.
  const std::int64_t end_ms = scenario_.drain ? tick_ms - cycle_ms : scenario_.end_ms;
  status = RunUntil(end_ms);
  if (!status.ok()) return status;
  measures_.AdvanceTo(end_ms);
  for (const std::uint32_t job : holdings_.standing()) {
    work_[job].AdvanceTo(end_ms);
    measures_.JobChanged(job, end_ms, holdings_.job(job), 0);
  }
  absl::StatusOr<std::string> digest = host_.Finish();
  if (!digest.ok()) return digest.status();
  SimulationReport report = measures_.Finish(host_.market(), work_);
  report.cycles = ticks_;
  report.events = events_;
  report.checked_cycles = checks_.cycles();
  report.violations = checks_.violations();
  report.violation_examples = checks_.examples();
  report.digest = *std::move(digest);
  return report;
}

absl::Status Simulation::SetUp() {
  for (const Event& event : SetupEvents(scenario_)) {
    absl::StatusOr<std::vector<Outcome>> outcomes = Apply(event);
    if (!outcomes.ok()) return outcomes.status();
  }
  return absl::OkStatus();
}

bool Simulation::Done(std::int64_t next_tick_ms) const {
  if (!scenario_.drain) return next_tick_ms > scenario_.end_ms;
  if (next_job_ < scenario_.jobs.size()) return false;
  if (jobs_standing_ == 0) return true;
  return next_supply_ == scenario_.supply.size() && next_tick_ms - last_held_ms_ > kDrainPatienceMs;
}

absl::Status Simulation::RunUntil(std::int64_t tick_ms) {
  for (;;) {
    ForgetOldFinishes();
    const std::int64_t finish_ms = finishes_.empty() ? kNever : finishes_.top().time_ms;
    const std::int64_t supply_ms =
        next_supply_ < scenario_.supply.size() ? scenario_.supply[next_supply_].time_ms : kNever;
    const std::int64_t arrival_ms =
        next_job_ < scenario_.jobs.size() ? scenario_.jobs[next_job_].arrival_ms : kNever;
    const std::int64_t next_ms = std::min({finish_ms, supply_ms, arrival_ms});
    if (next_ms > tick_ms) return absl::OkStatus();
    absl::Status status;
    if (finish_ms == next_ms) {
      const Finish finish = finishes_.top();
      finishes_.pop();
      status = FinishJob(finish);
    } else if (supply_ms == next_ms) {
      status = ChangeSupply(next_supply_++);
    } else {
      status = PlaceBid(static_cast<std::uint32_t>(next_job_++));
    }
    if (!status.ok()) return status;
  }
}

absl::Status Simulation::Tick(std::int64_t time_ms) {
  measures_.AdvanceTo(time_ms);
  holdings_.TakeSupply();
  absl::StatusOr<std::vector<Outcome>> outcomes =
      Apply(MakeEvent("tick", ticks_, time_ms, ClockTicked{}));
  if (!outcomes.ok()) return outcomes.status();
  ++ticks_;
  const std::vector<std::int64_t> usable_idle = holdings_.FindUsableIdle();
  checks_.Check(time_ms, *outcomes, host_.market(), holdings_, usable_idle);
  measures_.CycleCleared(*outcomes, holdings_, usable_idle);
  for (std::uint32_t r = 0; r < scenario_.resources.size(); ++r) {
    if (holdings_.resource(r).chips > 0) last_held_ms_ = time_ms;
  }
  return absl::OkStatus();
}

absl::Status Simulation::FinishJob(const Finish& finish) {
  work_[finish.job].AdvanceTo(finish.time_ms);
  QM_CHECK(work_[finish.job].finished(), "a job finishes before its work is done");
  absl::StatusOr<std::vector<Outcome>> outcomes =
      Apply(MakeEvent("finish", finish.job, finish.time_ms,
                      BidWithdrawn{.bid = scenario_.jobs[finish.job].id, .reason = "finished"}));
  if (!outcomes.ok()) return outcomes.status();
  SetHolding(finish.job, finish.time_ms, {});
  holdings_.End(finish.job);
  --jobs_standing_;
  return absl::OkStatus();
}

absl::Status Simulation::PlaceBid(std::uint32_t number) {
  const ScenarioJob& job = scenario_.jobs[number];
  holdings_.Place(number);
  ++jobs_standing_;
  return Apply(MakeEvent("bid", number, job.arrival_ms,
                         BidPlaced{.bid = job.id,
                                   .team = scenario_.teams[job.team].name,
                                   .resource = scenario_.resources[job.resource],
                                   .chips = job.chips,
                                   .min_chips = job.min_chips,
                                   .limit_price_micros = job.limit_price_micros,
                                   .priority = job.priority,
                                   .opportunistic = job.opportunistic,
                                   .standby = job.standby}))
      .status();
}

absl::Status Simulation::ChangeSupply(std::size_t number) {
  const ScenarioSupply& supply = scenario_.supply[number];
  holdings_.Announce(supply);
  SupplyChanged change;
  change.resource = scenario_.resources[supply.resource];
  change.chips = supply.chips;
  change.reason = "trace";
  if (supply.pool) change.owner = scenario_.pools[*supply.pool].name;
  return Apply(MakeEvent("supply", number, supply.time_ms, std::move(change))).status();
}

absl::StatusOr<std::vector<Outcome>> Simulation::Apply(const Event& event) {
  ++events_;
  absl::StatusOr<std::vector<Outcome>> outcomes = host_.Apply(event);
  if (!outcomes.ok()) return outcomes.status();
  for (const Outcome& outcome : *outcomes) {
    if (const auto* rejected = std::get_if<EventRejected>(&outcome)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the market rejects event ", event.event_id, " of ", TimeText(event.time_ms),
                       ": ", RejectionCodeName(rejected->code), ": ", rejected->message));
    }
  }
  Follow(*outcomes);
  return outcomes;
}

void Simulation::Follow(absl::Span<const Outcome> outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (const auto* filled = std::get_if<BidFilled>(&outcome)) {
      SetHolding(job_numbers_.at(filled->bid), filled->time_ms,
                 {.chips = filled->chips, .paid = filled->paid});
    } else if (const auto* preempted = std::get_if<BidPreempted>(&outcome)) {
      measures_.JobPreempted(job_numbers_.at(preempted->bid), preempted->reason);
    }
  }
}

void Simulation::SetHolding(std::uint32_t job, std::int64_t time_ms, Holding holding) {
  const std::int64_t lost = work_[job].SetChips(time_ms, holding.chips);
  measures_.JobChanged(job, time_ms, holding, lost);
  holdings_.Set(job, holding);
  const std::uint32_t version = ++versions_[job];
  const std::optional<std::int64_t> finish = work_[job].FinishTime();
  if (finish) finishes_.push({.time_ms = *finish, .job = job, .version = version});
}

void Simulation::ForgetOldFinishes() {
  while (!finishes_.empty() && finishes_.top().version != versions_[finishes_.top().job]) {
    finishes_.pop();
  }
}

Event Simulation::MakeEvent(const char* what, std::uint64_t number, std::int64_t time_ms,
                            Payload payload) const {
  return {.event_id = absl::StrCat(what, "-", number),
          .time_ms = time_ms,
          .actor = "simulation",
          .source = "trace",
          .payload = std::move(payload)};
}

}  // namespace qmarket
