#include "connectors/simulate/workload.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "connectors/simulate/random.h"

namespace qmarket {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kHoursOfDay = 24;
constexpr std::int64_t kDaysBefore = 10;  // jobs of these days may still run at the start

struct PoolOfWorkload {
  const char* name;
  std::uint64_t teams;
  std::uint64_t h100_percent;  // of its jobs; the others want the other resource
};

constexpr PoolOfWorkload kPools[] = {{"search", 28, 30},  {"ads", 24, 25},      {"vision", 18, 20},
                                     {"speech", 14, 60},  {"maps", 11, 15},     {"video", 9, 30},
                                     {"research", 8, 50}, {"translate", 7, 40}, {"robotics", 5, 70},
                                     {"health", 4, 20},   {"safety", 2, 40}};

struct Choice {
  std::uint64_t weight;
  std::uint32_t value;
};

// Per thousand of the submissions.
constexpr Choice kSizes[] = {{800, 1}, {92, 8}, {63, 4}, {26, 2}, {16, 16}, {3, 32}};

// Jobs submitted together, such as the runs of a sweep.
constexpr Choice kBatches[] = {{900, 1}, {50, 2}, {30, 4}, {15, 8}, {5, 20}};

// Of the average hour, in percent: quiet nights, busy afternoons.
constexpr std::int64_t kHourPercents[] = {70,  50,  40,  40,  40,  50,  70,  90,
                                          115, 135, 145, 140, 125, 130, 145, 150,
                                          145, 135, 120, 110, 105, 95,  85,  75};

// Of the average day, in percent, from Monday.
constexpr std::int64_t kDayPercents[] = {125, 120, 120, 115, 110, 55, 55};

constexpr std::int64_t kSubmissionsAnHour = 43;  // about 60 jobs

struct Knot {
  std::int64_t permille;  // of the jobs are not longer
  std::int64_t seconds;
};

// Running times; between the knots they are spread evenly.
constexpr Knot kShort[] = {{0, 5},         {100, 40},      {250, 60},     {500, 180},
                           {600, 550},     {750, 2'600},   {900, 24'000}, {970, 170'000},
                           {990, 380'000}, {1000, 900'000}};
constexpr Knot kLong[] = {{0, 5},         {100, 30},        {250, 70},      {400, 600},
                          {500, 2'000},   {750, 36'000},    {900, 170'000}, {970, 540'000},
                          {990, 800'000}, {1000, 1'300'000}};

std::uint32_t Pick(SeededRandom& random, absl::Span<const Choice> choices) {
  std::uint64_t all = 0;
  for (const Choice& choice : choices) {
    all += choice.weight;
  }
  std::uint64_t at = random.Below(all);
  for (const Choice& choice : choices) {
    if (at < choice.weight) return choice.value;
    at -= choice.weight;
  }
  return choices.back().value;
}

std::int64_t PickSeconds(SeededRandom& random, absl::Span<const Knot> knots) {
  constexpr std::int64_t kFine = 1'000;  // steps between two permilles
  const auto at = static_cast<std::int64_t>(random.Below(1'000 * kFine));
  std::size_t i = 1;
  while (at >= knots[i].permille * kFine) {
    ++i;
  }
  const std::int64_t width = (knots[i].permille - knots[i - 1].permille) * kFine;
  const std::int64_t into = at - knots[i - 1].permille * kFine;
  return knots[i - 1].seconds + (knots[i].seconds - knots[i - 1].seconds) * into / width;
}

// All teams in an order that the seed gives; the first ones submit the most.
struct TeamsOfWorkload {
  struct Team {
    std::size_t pool;
    std::string name;
  };

  std::vector<Team> teams;
  std::vector<Choice> choices;
};

TeamsOfWorkload MakeTeams(SeededRandom& random) {
  TeamsOfWorkload made;
  for (std::size_t k = 0; k < std::size(kPools); ++k) {
    for (std::uint64_t i = 1; i <= kPools[k].teams; ++i) {
      made.teams.push_back({k, absl::StrCat(kPools[k].name, "-", absl::Dec(i, absl::kZeroPad2))});
    }
  }
  for (std::size_t i = made.teams.size(); i > 1; --i) {
    std::swap(made.teams[i - 1], made.teams[random.Below(i)]);
  }
  for (std::uint32_t i = 0; i < made.teams.size(); ++i) {
    made.choices.push_back({.weight = 100'000 / (i + 4), .value = i});
  }
  return made;
}

// The jobs of one submission.
void Submit(std::int64_t time_ms, const TeamsOfWorkload& teams, SeededRandom& random,
            std::vector<TraceJob>& jobs) {
  const TeamsOfWorkload::Team& team = teams.teams[Pick(random, teams.choices)];
  const PoolOfWorkload& pool = kPools[team.pool];
  const std::uint32_t chips = Pick(random, kSizes);
  const std::uint32_t batch = Pick(random, kBatches);
  const bool h100 = random.Below(100) < pool.h100_percent;
  for (std::uint32_t i = 0; i < batch; ++i) {
    const std::int64_t seconds = PickSeconds(random, chips == 1 ? kShort : kLong);
    TraceJob job;
    job.submit_ms = time_ms + std::int64_t{i} * 1'000;
    job.team = team.name;
    job.pool = pool.name;
    job.resource = h100 ? "h100" : "a100";
    job.chips = chips;
    job.duration_ms = seconds * 1'000;
    jobs.push_back(std::move(job));
  }
}

std::vector<TraceJob> MakeJobs(std::uint64_t seed) {
  SeededRandom random(seed, 1);
  const TeamsOfWorkload teams = MakeTeams(random);
  std::vector<TraceJob> jobs;
  for (std::int64_t hour = -kDaysBefore * kHoursOfDay; hour < kWorkloadDays * kHoursOfDay; ++hour) {
    const std::int64_t day = (hour + kDaysBefore * kHoursOfDay) / kHoursOfDay;
    // Ten days before a Monday is a Friday.
    const std::int64_t of_week = (day + 4) % static_cast<std::int64_t>(std::size(kDayPercents));
    const std::int64_t of_day = (hour + kDaysBefore * kHoursOfDay) % kHoursOfDay;
    const std::int64_t expected =
        kSubmissionsAnHour * kHourPercents[of_day] * kDayPercents[of_week] / 10'000;
    const std::int64_t spread = expected / 3;
    const std::int64_t count =
        expected - spread +
        static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(2 * spread + 1)));
    for (std::int64_t i = 0; i < count; ++i) {
      const auto second = static_cast<std::int64_t>(random.Below(3'600));
      Submit(kWorkloadStartMs + hour * kHourMs + second * 1'000, teams, random, jobs);
    }
  }
  std::erase_if(jobs, [](const TraceJob& job) {
    return job.submit_ms + job.duration_ms <= kWorkloadStartMs ||
           job.submit_ms >= kWorkloadStartMs + kWorkloadDays * kHoursOfDay * kHourMs;
  });
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_ms < b.submit_ms; });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].id = absl::StrCat("job-", i + 1);
  }
  return jobs;
}

TraceSupply Supply(std::int64_t hour, std::string owner, std::string resource,
                   std::uint32_t chips) {
  return {.time_ms = kWorkloadStartMs + hour * kHourMs,
          .owner = std::move(owner),
          .resource = std::move(resource),
          .chips = chips};
}

}  // namespace

Trace GenerateWorkload(std::uint64_t seed) {
  Trace trace;
  trace.jobs = MakeJobs(seed);
  // On the sixth day a third of the shared a100 is away from morning to evening.
  trace.supply = {Supply(0, "", "a100", 840),
                  Supply(0, "", "h100", 432),
                  Supply(0, "search", "a100", 192),
                  Supply(0, "vision", "a100", 128),
                  Supply(0, "speech", "h100", 64),
                  Supply(0, "robotics", "h100", 64),
                  Supply(5 * kHoursOfDay + 8, "", "a100", 560),
                  Supply(5 * kHoursOfDay + 18, "", "a100", 840)};
  return trace;
}

std::string WorkloadMarketFile(std::uint64_t seed) {
  return absl::StrCat(R"(# What the trace does not say. Weights and incomes are in proportion to
# chip-hours, as nothing else is stated; see docs/simulate.md.

[overlay]
seed = )",
                      seed, R"(
limits = "seeded"           # limit prices are drawn
elastic_percent = 25        # of the jobs on several chips can run on a quarter of them
opportunistic_percent = 5   # of the jobs only use idle chips

[pools.robotics]
lend_idle = false           # keeps its own chips to itself
)");
}

}  // namespace qmarket
