#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/snapshot_json.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/input.h"
#include "connectors/cli/options.h"
#include "connectors/cli/table.h"
#include "connectors/cli/text.h"
#include "matcher/core/snapshot.h"

namespace qmarket {
namespace {

Table BidTable(const ClearedSnapshot& cleared) {
  Table table({{"pool"},
               {"team"},
               {"bid"},
               {"chips", Align::kRight},
               {"paid", Align::kRight},
               {"price cr/chip-h", Align::kDecimal},
               {"reservation cr/chip-h", Align::kDecimal},
               {"filled as"}});
  for (const ClearedPool& pool : cleared.pools) {
    for (const ClearedTeam& team : pool.teams) {
      for (const ClearedBid& bid : team.bids) {
        table.AddRow(
            {pool.pool, team.team, bid.bid, CountText(bid.chips), CountText(bid.paid),
             CreditsNumber(pool.price_micros), CreditsNumber(bid.reservation_price_micros),
             bid.filled_as == FilledAs::kNothing ? kNoValue : FilledAsName(bid.filled_as)});
      }
    }
  }
  return table;
}

Table BidCsv(const ClearedSnapshot& cleared) {
  Table table({{"pool"},
               {"team"},
               {"bid"},
               {"chips"},
               {"paid"},
               {"price_micros"},
               {"reservation_price_micros"},
               {"filled_as"}});
  const auto number = [](std::optional<std::int64_t> value) {
    return value.has_value() ? absl::StrCat(*value) : "";
  };
  for (const ClearedPool& pool : cleared.pools) {
    for (const ClearedTeam& team : pool.teams) {
      for (const ClearedBid& bid : team.bids) {
        table.AddRow({pool.pool, team.team, bid.bid, absl::StrCat(bid.chips),
                      absl::StrCat(bid.paid), number(pool.price_micros),
                      number(bid.reservation_price_micros), FilledAsName(bid.filled_as)});
      }
    }
  }
  return table;
}

void PrintForPeople(const ClearedSnapshot& cleared, Output& out) {
  out.Write(absl::StrCat(cleared.resource, ": reference price ",
                         CreditsNumber(cleared.reference_price_micros), " cr/h, ",
                         CountText(cleared.shared_supply), " chips shared\n\n"));
  BidTable(cleared).Print(out);
}

class ClearCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "clear",
            .group = kMarketGroup,
            .summary = "Clear one market snapshot: prices, quotas and fills",
            .explanation =
                "Reads a snapshot of one resource in JSON, clears it by the rules of the market, "
                "and prints what every pool pays and every bid gets. No state and no log are "
                "touched. Where standard output is no terminal the result is JSON, else a table.",
            .example = "qmarket clear snapshot.json --format json"};
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("FILE", path_, "The snapshot; - is stdin")->required();
    app.add_flag("--lines", lines_, "One snapshot a line in, one JSON result a line out");
    format_option_ = AddFormatOption(app, format_);
  }

  absl::Status Run(Output& out) override {
    const bool chosen = format_option_->count() > 0;
    if (lines_ && chosen && format_ != Format::kJson) {
      return UsageError("--lines prints JSON; leave out --format, or say --format json");
    }
    if (!chosen) format_ = out.is_terminal() ? Format::kTable : Format::kJson;
    absl::StatusOr<InputFile> input = InputFile::Open(path_);
    if (!input.ok()) return input.status();
    return lines_ ? ClearLines(*input, out) : ClearOne(*input, out);
  }

 private:
  absl::Status ClearOne(InputFile& input, Output& out) const {
    const absl::StatusOr<std::string> text = input.ReadAll();
    if (!text.ok()) return text.status();
    const absl::StatusOr<Snapshot> snapshot = ParseSnapshot(*text);
    if (!snapshot.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(input.name(), ": ", snapshot.status().message()));
    }
    const ClearedSnapshot cleared = Clear(*snapshot);
    switch (format_) {
      case Format::kTable:
        PrintForPeople(cleared, out);
        break;
      case Format::kCsv:
        BidCsv(cleared).PrintCsv(out);
        break;
      case Format::kJson: {
        JsonWriter json;
        WriteCleared(cleared, json);
        out.Write(json.Take());
        break;
      }
    }
    return absl::OkStatus();
  }

  static absl::Status ClearLines(InputFile& input, Output& out) {
    std::string line;
    for (std::uint64_t number = 1; out.ok() && std::getline(input.stream(), line); ++number) {
      if (absl::StripAsciiWhitespace(line).empty()) continue;
      const absl::StatusOr<Snapshot> snapshot = ParseSnapshot(line);
      if (!snapshot.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(input.name(), ":", number, ": ", snapshot.status().message()));
      }
      JsonWriter json(JsonWriter::Layout::kOneLine);
      WriteCleared(Clear(*snapshot), json);
      out.Write(json.Take());
    }
    return input.status();
  }

  std::string path_;
  bool lines_ = false;
  Format format_ = Format::kTable;
  CLI::Option* format_option_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> NewClearCommand() {
  return std::make_unique<ClearCommand>();
}

}  // namespace qmarket
