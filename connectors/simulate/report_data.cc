// The report for programs: JSON and CSV.
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "connectors/cli/json_writer.h"
#include "connectors/cli/table.h"
#include "connectors/simulate/report_print.h"
#include "connectors/simulate/sparkline.h"

namespace qmarket {
namespace {

// Of a resource; `qmarket prices` has that of every cycle.
constexpr std::size_t kPrices = 240;

void WriteWork(JsonWriter& json, const WorkReport& work) {
  json.Field("jobs", work.jobs)
      .Field("jobs_done", work.jobs_done)
      .Field("brought_chip_ms", work.brought)
      .Field("demand_chip_ms", work.demand)
      .Field("done_chip_ms", work.done)
      .Field("lost_chip_ms", work.lost)
      .Field("held_chip_ms", work.held)
      .Field("held_paid_chip_ms", work.held_paid);
}

void WriteWait(JsonWriter& json, const WaitReport& wait) {
  json.Key("wait").BeginObject();
  json.Field("jobs", wait.jobs)
      .Field("jobs_not_started", wait.jobs_not_started)
      .Field("mean_ms", wait.mean_ms)
      .Field("p50_ms", wait.p50_ms)
      .Field("p95_ms", wait.p95_ms);
  json.EndObject();
}

void WriteResources(JsonWriter& json, const SimulationReport& report) {
  json.Key("resources").BeginArray();
  for (const ResourceReport& resource : report.resources) {
    json.BeginObject()
        .Field("resource", resource.resource)
        .Field("supplied_chip_ms", resource.supplied)
        .Field("held_chip_ms", resource.held)
        .Field("held_paid_chip_ms", resource.held_paid)
        .Field("usable_idle_chip_ms", resource.usable_idle)
        .Field("freed_idle_chip_ms", resource.freed_idle)
        .Field("occupancy_ppm", PartsPerMillion(resource.held, resource.supplied));
    json.Key("median_reference_prices_micros").BeginArray();
    for (const std::optional<std::int64_t> price : Medians(resource.reference_prices, kPrices)) {
      json.Value(price);
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
}

void WritePools(JsonWriter& json, const SimulationReport& report) {
  json.Key("pools").BeginArray();
  for (const PoolReport& pool : report.pools) {
    json.BeginObject().Field("pool", pool.pool).Field("teams", pool.teams);
    WriteWork(json, pool.work);
    WriteWait(json, pool.wait);
    json.Field("preemptions", pool.preemptions)
        .Field("market_weight_micros_per_hour", pool.weight_micros_per_hour)
        .Field("purse_micros", pool.purse_micros)
        .Field("minted_micros", pool.minted_micros)
        .Field("spent_micros", pool.spent_micros)
        .Field("left_micros", pool.left_micros)
        .EndObject();
  }
  json.EndArray();
}

void WriteTeams(JsonWriter& json, const SimulationReport& report) {
  json.Key("teams").BeginArray();
  for (const TeamReport& team : report.teams) {
    json.BeginObject().Field("team", team.team).Field("pool", team.pool);
    WriteWork(json, team.work);
    WriteWait(json, team.wait);
    json.Field("preemptions", team.preemptions)
        .Field("income_micros_per_hour", team.income_micros_per_hour)
        .Field("minted_micros", team.minted_micros)
        .Field("spent_micros", team.spent_micros)
        .Field("left_micros", team.left_micros)
        .EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string ReportJson(const SimulationReport& report) {
  JsonWriter json;
  json.BeginObject()
      .Field("start_ms", report.start_ms)
      .Field("end_ms", report.end_ms)
      .Field("cycle_ms", report.cycle_ms)
      .Field("checkpoint_ms", report.checkpoint_ms)
      .Field("cycles", report.cycles)
      .Field("events", report.events)
      .Field("jobs_left_out", report.jobs_left_out);
  json.Key("work").BeginObject();
  WriteWork(json, report.work);
  json.EndObject();
  json.Field("used_of_usable_ppm", UsedOfUsablePpm(report)).Field("lost_ppm", LostPpm(report.work));
  WriteWait(json, report.wait);
  json.Key("preemptions").BeginObject();
  for (const auto& [reason, count] : report.preemptions) {
    json.Field(reason, count);
  }
  json.EndObject();
  WriteResources(json, report);
  WritePools(json, report);
  WriteTeams(json, report);
  json.Key("checks").BeginObject();
  json.Field("cycles", report.checked_cycles).Field("violations", report.violations);
  json.Key("examples").BeginArray();
  for (const std::string& example : report.violation_examples) {
    json.Value(example);
  }
  json.EndArray().EndObject();
  json.Field("digest", report.digest).EndObject();
  return json.Take();
}

void PrintTeamsCsv(const SimulationReport& report, Output& out) {
  std::vector<Column> columns;
  for (const char* title :
       {"team", "pool", "jobs", "jobs_done", "jobs_not_started", "brought_chip_ms",
        "demand_chip_ms", "done_chip_ms", "lost_chip_ms", "held_chip_ms", "held_paid_chip_ms",
        "wait_mean_ms", "wait_p50_ms", "wait_p95_ms", "preemptions", "income_micros_per_hour",
        "minted_micros", "spent_micros", "left_micros"}) {
    columns.push_back({.title = title});
  }
  Table table(std::move(columns));
  for (const TeamReport& team : report.teams) {
    table.AddRow({team.team, team.pool, absl::StrCat(team.work.jobs),
                  absl::StrCat(team.work.jobs_done), absl::StrCat(team.wait.jobs_not_started),
                  ToString(team.work.brought), ToString(team.work.demand), ToString(team.work.done),
                  ToString(team.work.lost), ToString(team.work.held), ToString(team.work.held_paid),
                  absl::StrCat(team.wait.mean_ms), absl::StrCat(team.wait.p50_ms),
                  absl::StrCat(team.wait.p95_ms), absl::StrCat(team.preemptions),
                  absl::StrCat(team.income_micros_per_hour), ToString(team.minted_micros),
                  ToString(team.spent_micros), absl::StrCat(team.left_micros)});
  }
  table.PrintCsv(out);
}

}  // namespace qmarket
