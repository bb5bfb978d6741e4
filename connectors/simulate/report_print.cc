#include "connectors/simulate/report_print.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include "connectors/cli/table.h"
#include "connectors/cli/text.h"
#include "connectors/simulate/sparkline.h"

namespace qmarket {
namespace {

constexpr std::size_t kTeamsShown = 12;
constexpr std::size_t kBarsShown = 60;
constexpr double kMicrosOfCredit = 1e6;

std::string ChipHours(Int128 chip_ms) {
  const Int128 hour = 3'600'000;
  return CountText((chip_ms + hour / 2) / hour);
}

std::string RoundCredits(Int128 micros) {
  const Int128 credit = 1'000'000;
  return CountText((micros + credit / 2) / credit);
}

std::string PriceText(std::optional<std::int64_t> micros) {
  return micros ? absl::StrFormat("%.3f", static_cast<double>(*micros) / kMicrosOfCredit)
                : std::string(kNoValue);
}

// Rounded down, so that 100 % is the whole.
std::string Percent(std::int64_t ppm, int decimals) {
  constexpr double kPpmOfPercent = 10'000;
  const std::int64_t step = decimals == 1 ? 1'000 : 100;  // the last digit that is shown
  const std::int64_t shown = ppm - ppm % step;
  return absl::StrFormat("%.*f %%", decimals, static_cast<double>(shown) / kPpmOfPercent);
}

std::string Share(Int128 part, Int128 whole) {
  return whole == 0 ? kNoValue : Percent(PartsPerMillion(part, whole), 1);
}

std::string Reasons(const SimulationReport& report) {
  std::vector<std::pair<std::int64_t, std::string>> reasons;
  for (const auto& [reason, count] : report.preemptions) {
    reasons.emplace_back(-count, absl::StrCat(reason, " ", CountText(count)));
  }
  std::sort(reasons.begin(), reasons.end());
  return absl::StrJoin(reasons, ", ", [](std::string* text, const auto& reason) {
    absl::StrAppend(text, reason.second);
  });
}

void Line(Output& out, absl::string_view what, absl::string_view text) {
  out.Write(absl::StrFormat("%-12s%s\n", what, text));
}

Int128 Sum(const SimulationReport& report, Int128 ResourceReport::*part) {
  Int128 sum = 0;
  for (const ResourceReport& resource : report.resources) {
    sum += resource.*part;
  }
  return sum;
}

void PrintSummary(const SimulationReport& report, Output& out) {
  const Int128 supplied = Sum(report, &ResourceReport::supplied);
  const Int128 held = Sum(report, &ResourceReport::held);
  const Int128 paid = Sum(report, &ResourceReport::held_paid);
  const WorkReport& work = report.work;
  Line(out, "Window",
       absl::StrCat(TimeText(report.start_ms), " to ", TimeText(report.end_ms), ", ",
                    CountText(report.cycles), " cycles of ", DurationText(report.cycle_ms), ", ",
                    CountText(report.events), " events"));
  Line(out, "Jobs",
       absl::StrCat(CountText(work.jobs), " of ", report.teams.size(), " teams in ",
                    report.pools.size(), " pools; ", CountText(work.jobs_done), " done, ",
                    CountText(work.jobs - work.jobs_done), " not done at the end"));
  Line(out, "Occupancy",
       absl::StrCat(Share(held, supplied), " of ", ChipHours(supplied), " chip-hours: ",
                    Share(paid, supplied), " paid, ", Share(held - paid, supplied), " unpaid"));
  Line(out, "Usable",
       absl::StrCat(Percent(UsedOfUsablePpm(report), 2),
                    " of the chip-time that standing bids could use after a cycle was used; ",
                    ChipHours(Sum(report, &ResourceReport::freed_idle)),
                    " chip-hours were free between a job's end and the next cycle"));
  Line(out, "Work",
       absl::StrCat("demand ", ChipHours(work.demand), " chip-hours, served ", ChipHours(work.held),
                    ", lost to preemptions ", ChipHours(work.lost), " (", Percent(LostPpm(work), 2),
                    "; checkpoints every ", DurationText(report.checkpoint_ms), ")"));
  Line(out, "Waiting",
       absl::StrCat("mean ", DurationText(report.wait.mean_ms), ", p50 ",
                    DurationText(report.wait.p50_ms), ", p95 ", DurationText(report.wait.p95_ms),
                    "; ", CountText(report.wait.jobs_not_started), " of ",
                    CountText(report.wait.jobs), " jobs had not started at the end"));
  const std::int64_t preemptions = PreemptionCount(report);
  Line(out, "Preemptions",
       absl::StrCat(CountText(preemptions), preemptions == 0 ? "" : ": ", Reasons(report)));
}

std::string PriceLine(const ResourceReport& resource, std::size_t name_width, bool utf8) {
  Int128 sum = 0;
  std::int64_t count = 0;
  std::int64_t highest = 0;
  for (const std::optional<std::int64_t> price : resource.reference_prices) {
    if (!price) continue;
    sum += *price;
    ++count;
    highest = std::max(highest, *price);
  }
  const std::string name = absl::StrFormat("%-*s", static_cast<int>(name_width), resource.resource);
  if (count == 0) return absl::StrCat(name, "  no shared chip was sold\n");
  return absl::StrCat(name, "  ", Sparkline(resource.reference_prices, kBarsShown, utf8), "  mean ",
                      PriceText(static_cast<std::int64_t>(sum / count)), ", highest ",
                      PriceText(highest), ", last ", PriceText(resource.reference_prices.back()),
                      "\n");
}

void PrintPrices(const SimulationReport& report, bool utf8, Output& out) {
  std::size_t width = 0;
  std::size_t cycles = 1;
  for (const ResourceReport& resource : report.resources) {
    width = std::max(width, resource.resource.size());
    cycles = std::max(cycles, resource.reference_prices.size());
  }
  const std::int64_t bar_ms =
      static_cast<std::int64_t>((cycles + kBarsShown - 1) / kBarsShown) * report.cycle_ms;
  out.Write(absl::StrCat("\nReference prices, credits per chip-hour (a bar: the median of about ",
                         DurationText(bar_ms), ")\n"));
  for (const ResourceReport& resource : report.resources) {
    out.Write(PriceLine(resource, width, utf8));
  }
}

void PrintPools(const SimulationReport& report, Output& out) {
  Table table({{"pool"},
               {"teams", Align::kRight},
               {"weight/h", Align::kRight},
               {"demand ch", Align::kRight},
               {"served ch", Align::kRight},
               {"done", Align::kRight},
               {"lost ch", Align::kRight},
               {"preempted", Align::kRight},
               {"wait p50", Align::kRight},
               {"wait p95", Align::kRight},
               {"spent cr", Align::kRight},
               {"left cr", Align::kRight}});
  for (const PoolReport& pool : report.pools) {
    table.AddRow({pool.pool, absl::StrCat(pool.teams), RoundCredits(pool.weight_micros_per_hour),
                  ChipHours(pool.work.demand), ChipHours(pool.work.held),
                  Share(pool.work.done, pool.work.demand), ChipHours(pool.work.lost),
                  CountText(pool.preemptions), DurationText(pool.wait.p50_ms),
                  DurationText(pool.wait.p95_ms), RoundCredits(pool.spent_micros),
                  RoundCredits(pool.left_micros)});
  }
  out.Write("\nPools (ch: chip-hours, cr: credits; done: work done, of the demand)\n");
  table.Print(out);
}

void PrintTeams(const SimulationReport& report, Output& out) {
  std::vector<const TeamReport*> teams;
  for (const TeamReport& team : report.teams) {
    teams.push_back(&team);
  }
  std::stable_sort(teams.begin(), teams.end(), [](const TeamReport* a, const TeamReport* b) {
    return a->work.demand > b->work.demand;
  });
  Table table({{"team"},
               {"pool"},
               {"jobs", Align::kRight},
               {"jobs done", Align::kRight},
               {"demand ch", Align::kRight},
               {"served ch", Align::kRight},
               {"done", Align::kRight},
               {"wait p50", Align::kRight},
               {"spent cr", Align::kRight},
               {"left cr", Align::kRight}});
  const std::size_t shown = std::min(teams.size(), kTeamsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const TeamReport& team = *teams[i];
    table.AddRow({team.team, team.pool, CountText(team.work.jobs), CountText(team.work.jobs_done),
                  ChipHours(team.work.demand), ChipHours(team.work.held),
                  Share(team.work.done, team.work.demand), DurationText(team.wait.p50_ms),
                  RoundCredits(team.spent_micros), RoundCredits(team.left_micros)});
  }
  out.Write(shown == teams.size()
                ? "\nTeams\n"
                : absl::StrCat("\nTeams with the greatest demand (", shown, " of ", teams.size(),
                               "; --format csv has all)\n"));
  table.Print(out);
}

void PrintChecks(const SimulationReport& report, Output& out) {
  out.Write("\n");
  Line(out, "Checks",
       absl::StrCat(CountText(report.checked_cycles), " cycles checked, ",
                    CountText(report.violations), " violations"));
  for (const std::string& example : report.violation_examples) {
    Line(out, "", example);
  }
  Line(out, "Digest", report.digest);
}

}  // namespace

std::string DurationText(std::int64_t ms) {
  constexpr std::int64_t kSecond = 1'000;
  constexpr std::int64_t kMinute = 60 * kSecond;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  if (ms < kSecond && ms != 0) return absl::StrCat(ms, " ms");
  for (const auto& [unit, next, name] :
       {std::tuple(kSecond, 2 * kMinute, "s"), std::tuple(kMinute, 2 * kHour, "min"),
        std::tuple(kHour, 2 * kDay, "h")}) {
    if (ms >= next) continue;
    if (ms % unit == 0 || unit == kSecond) return absl::StrCat(ms / unit, " ", name);
    return absl::StrFormat("%.1f %s", static_cast<double>(ms) / static_cast<double>(unit), name);
  }
  return absl::StrFormat("%.1f d", static_cast<double>(ms) / static_cast<double>(kDay));
}

void PrintReport(const SimulationReport& report, bool utf8, Output& out) {
  PrintSummary(report, out);
  PrintPrices(report, utf8, out);
  PrintPools(report, out);
  PrintTeams(report, out);
  PrintChecks(report, out);
}

}  // namespace qmarket
