#include "connectors/simulate/trace.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "connectors/cli/input.h"
#include "connectors/simulate/csv.h"
#include "events/field_rules.h"

namespace qmarket {
namespace {

constexpr std::int64_t kLatestMs = 4'102'444'800'000;             // 2100, as in the contract
constexpr std::int64_t kLongestMs = 100LL * 365 * 86'400 * 1000;  // a hundred years
constexpr std::int64_t kMostChipsOfABid = 1'000'000;
constexpr std::int64_t kMostChipsOfASupply = 4'000'000;
constexpr std::int64_t kHighestRateMicros = 1'000'000'000'000;
constexpr std::int64_t kHighestShareMicros = 1'000'000'000'000'000;
constexpr char kNameRule[] = "a name: 1 to 128 of the characters A-Z a-z 0-9 . _ @ : / -";
constexpr char kShared[] = "shared";

absl::StatusOr<std::string> Name(const CsvReader& csv, std::size_t column) {
  if (!IsName(csv.cell(column))) return csv.Problem(column, kNameRule);
  return std::string(csv.cell(column));
}

absl::Status ReadNames(const CsvReader& csv,
                       std::initializer_list<std::pair<std::size_t, std::string*>> names) {
  for (const auto& [column, target] : names) {
    absl::StatusOr<std::string> name = Name(csv, column);
    if (!name.ok()) return name.status();
    *target = *std::move(name);
  }
  return absl::OkStatus();
}

absl::StatusOr<TraceJob> ParseJob(const CsvReader& csv) {
  TraceJob job;
  absl::Status names =
      ReadNames(csv, {{0, &job.id}, {2, &job.team}, {3, &job.pool}, {4, &job.resource}});
  if (!names.ok()) return names;
  absl::StatusOr<std::int64_t> submit = csv.Decimal(1, 3, 0, kLatestMs);
  if (!submit.ok()) return submit.status();
  absl::StatusOr<std::int64_t> chips = csv.Integer(5, 1, kMostChipsOfABid);
  if (!chips.ok()) return chips.status();
  absl::StatusOr<std::int64_t> duration = csv.Decimal(6, 3, 1, kLongestMs);
  if (!duration.ok()) return duration.status();
  job.submit_ms = *submit;
  job.chips = static_cast<std::uint32_t>(*chips);
  job.duration_ms = *duration;
  return job;
}

absl::StatusOr<TraceSupply> ParseSupplyRow(const CsvReader& csv) {
  TraceSupply row;
  absl::Status names = ReadNames(csv, {{1, &row.owner}, {2, &row.resource}});
  if (!names.ok()) return names;
  if (row.owner == kShared) row.owner.clear();
  absl::StatusOr<std::int64_t> time = csv.Decimal(0, 3, 0, kLatestMs);
  if (!time.ok()) return time.status();
  absl::StatusOr<std::int64_t> chips = csv.Integer(3, 0, kMostChipsOfASupply);
  if (!chips.ok()) return chips.status();
  row.time_ms = *time;
  row.chips = static_cast<std::uint32_t>(*chips);
  return row;
}

// The columns of a pools file that may be absent, after the name of the pool.
enum PoolColumn : std::size_t {
  kWeight = 1,
  kLend = 2,
  kShare = 3,
  kHours = 4,
  kHoursInWindow = 5
};

absl::StatusOr<TracePool> ParsePool(const CsvReader& csv) {
  TracePool pool;
  absl::Status names = ReadNames(csv, {{0, &pool.pool}});
  if (!names.ok()) return names;
  if (!csv.cell(kWeight).empty()) {
    absl::StatusOr<std::int64_t> weight = csv.Decimal(kWeight, 6, 0, kHighestRateMicros);
    if (!weight.ok()) return weight.status();
    pool.weight_micros = *weight;
  }
  for (const std::size_t column : {kShare, kHoursInWindow, kHours}) {
    if (csv.cell(column).empty()) continue;
    absl::StatusOr<std::int64_t> share = csv.Decimal(column, 6, 0, kHighestShareMicros);
    if (!share.ok()) return share.status();
    pool.share_micros = *share;
    break;
  }
  const absl::string_view lend = csv.cell(kLend);
  if (lend == "true" || lend == "1") pool.lend_idle = true;
  if (lend == "false" || lend == "0") pool.lend_idle = false;
  if (!lend.empty() && !pool.lend_idle) return csv.Problem(kLend, "true, false, 1 or 0");
  return pool;
}

}  // namespace

absl::StatusOr<std::vector<TraceJob>> ParseJobs(absl::string_view file, std::string text) {
  CsvReader csv(std::string(file), std::move(text));
  absl::Status header = csv.ReadHeader(
      {"job_id", "submit_ts_unix_s", "team", "pool", "gpu_type", "gpus", "duration_s"});
  if (!header.ok()) return header;
  std::vector<TraceJob> jobs;
  absl::flat_hash_map<std::string, std::int64_t> lines;
  for (;;) {
    absl::StatusOr<bool> more = csv.Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
    absl::StatusOr<TraceJob> job = ParseJob(csv);
    if (!job.ok()) return job.status();
    const auto [earlier, is_new] = lines.try_emplace(job->id, csv.line());
    if (!is_new) {
      return csv.Problem(0, absl::StrCat("an id of its own; line ", earlier->second, " has it"));
    }
    jobs.push_back(*std::move(job));
  }
  if (jobs.empty()) return absl::InvalidArgumentError(absl::StrCat(file, ": no jobs"));
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_ms < b.submit_ms; });
  return jobs;
}

absl::StatusOr<std::vector<TraceSupply>> ParseSupply(absl::string_view file, std::string text) {
  CsvReader csv(std::string(file), std::move(text));
  absl::Status header = csv.ReadHeader({"ts_unix_s", "pool_or_shared", "gpu_type", "gpus_total"});
  if (!header.ok()) return header;
  std::vector<TraceSupply> supply;
  for (;;) {
    absl::StatusOr<bool> more = csv.Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
    absl::StatusOr<TraceSupply> row = ParseSupplyRow(csv);
    if (!row.ok()) return row.status();
    supply.push_back(*std::move(row));
  }
  if (supply.empty()) return absl::InvalidArgumentError(absl::StrCat(file, ": no supply"));
  std::stable_sort(supply.begin(), supply.end(), [](const TraceSupply& a, const TraceSupply& b) {
    return a.time_ms < b.time_ms;
  });
  return supply;
}

absl::StatusOr<std::vector<TracePool>> ParsePools(absl::string_view file, std::string text) {
  CsvReader csv(std::string(file), std::move(text));
  absl::Status header = csv.ReadHeader(
      {"pool"}, {"market_weight", "lend_idle", "share", "gpu_hours", "gpu_hours_in_window"});
  if (!header.ok()) return header;
  std::vector<TracePool> pools;
  absl::flat_hash_set<std::string> seen;
  for (;;) {
    absl::StatusOr<bool> more = csv.Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
    absl::StatusOr<TracePool> pool = ParsePool(csv);
    if (!pool.ok()) return pool.status();
    if (!seen.insert(pool->pool).second) return csv.Problem(0, "each pool once");
    pools.push_back(*std::move(pool));
  }
  return pools;
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  absl::StatusOr<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  return file->ReadAll();
}

absl::StatusOr<Trace> ReadTrace(const std::string& jobs_path, const std::string& supply_path,
                                const std::string& pools_path) {
  Trace trace;
  absl::StatusOr<std::string> text = ReadWholeFile(jobs_path);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<TraceJob>> jobs = ParseJobs(jobs_path, *std::move(text));
  if (!jobs.ok()) return jobs.status();
  trace.jobs = *std::move(jobs);
  text = ReadWholeFile(supply_path);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<TraceSupply>> supply = ParseSupply(supply_path, *std::move(text));
  if (!supply.ok()) return supply.status();
  trace.supply = *std::move(supply);
  if (pools_path.empty()) return trace;
  text = ReadWholeFile(pools_path);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<TracePool>> pools = ParsePools(pools_path, *std::move(text));
  if (!pools.ok()) return pools.status();
  trace.pools = *std::move(pools);
  return trace;
}

namespace {

// Milliseconds as seconds, with as few decimals as it takes.
std::string Seconds(std::int64_t ms) {
  std::string text = absl::StrFormat("%d.%03d", ms / 1000, ms % 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string JobsCsv(const std::vector<TraceJob>& jobs) {
  std::string text = "job_id,submit_ts_unix_s,team,pool,gpu_type,gpus,duration_s\n";
  for (const TraceJob& job : jobs) {
    absl::StrAppend(&text, job.id, ",", Seconds(job.submit_ms), ",", job.team, ",", job.pool);
    absl::StrAppend(&text, ",", job.resource, ",", job.chips, ",", Seconds(job.duration_ms), "\n");
  }
  return text;
}

std::string SupplyCsv(const std::vector<TraceSupply>& supply) {
  std::string text = "ts_unix_s,pool_or_shared,gpu_type,gpus_total\n";
  for (const TraceSupply& row : supply) {
    absl::StrAppend(&text, Seconds(row.time_ms), ",", row.owner.empty() ? kShared : row.owner);
    absl::StrAppend(&text, ",", row.resource, ",", row.chips, "\n");
  }
  return text;
}

}  // namespace qmarket
