#include "connectors/simulate/run_scenario.h"

#include <cstdio>
#include <fstream>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "connectors/cli/exit_status.h"
#include "connectors/cli/options.h"
#include "connectors/cli/progress.h"
#include "connectors/cli/text.h"
#include "connectors/simulate/engine_host.h"
#include "connectors/simulate/report_print.h"
#include "connectors/simulate/simulation.h"
#include "connectors/simulate/sparkline.h"

namespace qmarket {

absl::StatusOr<SimulationReport> RunScenario(const Scenario& scenario,
                                             const std::string& data_dir) {
  const absl::Time begin = absl::Now();
  absl::StatusOr<std::unique_ptr<EngineHost>> host = EngineHost::Open(data_dir);
  if (!host.ok()) return host.status();
  absl::StatusOr<SimulationReport> report;
  {
    Progress progress("simulating cycles");
    Simulation simulation(scenario, **host);
    report = simulation.Run(
        [&](std::uint64_t done, std::uint64_t total) { progress.Update(done, total); });
  }
  if (!report.ok()) return report.status();
  absl::Status written = WriteSimulationFile(data_dir, "report.json", ReportJson(*report));
  if (!written.ok()) return written;
  absl::FPrintF(stderr, "simulated %s in %.1f s\n", DurationText(report->end_ms - report->start_ms),
                absl::ToDoubleSeconds(absl::Now() - begin));
  return report;
}

void WriteReport(const SimulationReport& report, Format format, Output& out) {
  switch (format) {
    case Format::kTable:
      return PrintReport(report, TerminalShowsUtf8(), out);
    case Format::kJson:
      return out.Write(ReportJson(report));
    case Format::kCsv:
      return PrintTeamsCsv(report, out);
  }
}

void WriteNextSteps(const SimulationReport& report, const std::string& data_dir,
                    absl::string_view simulate_options, Output& out) {
  const std::string data =
      data_dir == kDefaultDataDir ? "" : absl::StrCat(" --data ", ShellWord(data_dir));
  const std::int64_t middle_ms =
      report.start_ms + (report.end_ms - report.start_ms) / 2 / kMsPerHour * kMsPerHour;
  const std::string other_dir = ShellWord(absl::StrCat(data_dir, "-2"));
  out.Write(absl::StrCat(
      "\nThe log, the ledger and this report are in ", data_dir, ". What to try next:\n",
      "  qmarket balance", data, "\n", "  qmarket prices", data, " --at ", TimeText(middle_ms),
      "\n", "  qmarket bids", data, " --at ", TimeText(middle_ms), "\n", "  qmarket replay", data,
      " --verify\n", "  qmarket simulate ", simulate_options, " --data ", other_dir, "\n"));
}

absl::Status Verdict(const SimulationReport& report) {
  if (report.violations == 0) return absl::OkStatus();
  return VerificationError(absl::StrCat(CountText(report.violations), " violations in ",
                                        CountText(report.checked_cycles), " cycles; the first ",
                                        report.violation_examples.front()));
}

absl::Status WriteSimulationFile(const std::string& data_dir, absl::string_view name,
                                 absl::string_view text) {
  const std::string path = absl::StrCat(SimulationDir(data_dir), "/", name);
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) return absl::InternalError(absl::StrCat(path, ": cannot be written"));
  return absl::OkStatus();
}

std::string ShellWord(absl::string_view text) {
  constexpr absl::string_view kPlain = "._/-+,:@%=";
  bool plain = !text.empty();
  for (const char c : text) {
    plain = plain && (absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                      kPlain.find(c) != absl::string_view::npos);
  }
  return plain ? std::string(text)
               : absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

}  // namespace qmarket
