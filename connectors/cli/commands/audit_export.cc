#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/export_books.h"
#include "connectors/cli/commands/export_focus.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/options.h"
#include <CLI/CLI.hpp>

namespace qmarket {
namespace {

constexpr char kFocus[] = "focus";
constexpr char kDefaultCurrency[] = "USD";

const std::map<std::string, BookFormat>& BookFormats() {
  static const auto* const kFormats =
      new std::map<std::string, BookFormat>{{"hledger", BookFormat::kHledger},
                                            {"ledger", BookFormat::kLedger},
                                            {"beancount", BookFormat::kBeancount},
                                            {"csv", BookFormat::kCsv}};
  return *kFormats;
}

class AuditExportCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "export",
            .group = kAuditGroup,
            .summary = "Export the books for accounting programs, or the costs for chargeback",
            .explanation =
                "Writes every movement of credits for hledger, ledger or beancount, or as CSV: a "
                "transaction for each event that moved any, with the event's id, offset and time "
                "on each posting, and assertions that make those programs prove the balances. "
                "All of it, or a pool, a team, a stretch of time, which begins with opening "
                "balances. With --as focus, what each team was charged and used at each "
                "settlement, as CSV in the columns of FOCUS; a stretch has the charge periods that "
                "end in it, after --from. docs/audit-export.md says how to read and check it all, "
                "and how to close a month.",
            .example =
                "qmarket audit export --as hledger --out books\n"
                "  hledger -f books/books.journal check --strict\n"
                "  qmarket audit export --as csv --team search-03 --from 2026-01-01 "
                "--until 2026-02-01\n"
                "  qmarket audit export --as focus --from 2026-01-01 --until 2026-02-01 "
                "--rate 1.25 \\\n"
                "      --rate search=1.5 --billing-currency EUR"};
  }

  void AddOptions(CLI::App& app) override {
    std::vector<std::string> formats = {kFocus};
    for (const auto& [name, format] : BookFormats())
      formats.push_back(name);
    app.add_option("--as", as_, "hledger, ledger, beancount, csv or focus")
        ->required()
        ->type_name("FORMAT")
        ->check(CLI::IsMember(formats).description(""));
    app.add_option("--out", options_.out_dir,
                   "Folder for the files, empty or not there yet; - is standard output")
        ->type_name("DIR")
        ->capture_default_str();
    app.add_option("--team", options_.team, "The movements of this team alone")->type_name("TEAM");
    app.add_option("--pool", options_.pool, "This pool, its teams and its purse alone")
        ->type_name("POOL");
    app.add_option("--from", options_.query.from, "From this time on, with opening balances")
        ->type_name("TIME");
    CLI::Option* to =
        app.add_option("--to", options_.query.to, "Up to this time, included")->type_name("TIME");
    app.add_option("--until", options_.until, "Up to this time, excluded: --until 2026-02-01")
        ->type_name("TIME")
        ->excludes(to);
    app.add_option("--rate", rates_,
                   "Of focus: what a credit is worth, of all pools (default 1) or of one: "
                   "search=1.25; may be repeated")
        ->type_name("[POOL=]RATE")
        ->allow_extra_args(false);
    app.add_option("--billing-currency", currency_, "Of focus: the currency of the rates (USD)")
        ->type_name("CODE");
    app.add_flag("--validator-columns", validator_columns_,
                 "Of focus: five columns again, under the names that focus-validator 1.0.0 knows");
    AddDataOption(app, options_.query.data_dir);
    AddLogOptions(app, options_.query.log);
  }

  absl::Status Run(Output& out) override {
    const absl::StatusOr<FocusOptions> focus = ReadFocusOptions();
    if (!focus.ok()) return focus.status();
    if (absl::Status set = SetEnd(); !set.ok()) return set;
    absl::StatusOr<Query> query = Query::Open(options_.query);
    if (!query.ok()) return query.status();
    const absl::StatusOr<AccountList> accounts = AccountList::Read(query->store());
    if (!accounts.ok()) return accounts.status();
    if (absl::Status known = CheckNames(*accounts); !known.ok()) return known;
    return as_ == kFocus ? ExportFocus(*query, options_, *focus, *accounts, out)
                         : ExportBooks(*query, options_, BookFormats().at(as_), out);
  }

 private:
  // What --until means to a query, whose end is included. A charge period that ends at that moment
  // lies before it.
  [[nodiscard]] absl::Status SetEnd() {
    if (options_.until.empty()) return absl::OkStatus();
    const absl::StatusOr<std::int64_t> until_ms = ParseTime("--until", options_.until);
    if (!until_ms.ok()) return until_ms.status();
    if (!options_.query.from.empty()) {
      const absl::StatusOr<std::int64_t> from_ms = ParseTime("--from", options_.query.from);
      if (!from_ms.ok()) return from_ms.status();
      if (*from_ms >= *until_ms) return UsageError("--from is not earlier than --until");
    }
    if (*until_ms < 1) return UsageError("--until: nothing is before that time");
    options_.query.to = absl::StrCat(as_ == kFocus ? *until_ms : *until_ms - 1);
    return absl::OkStatus();
  }

  [[nodiscard]] absl::StatusOr<FocusOptions> ReadFocusOptions() const {
    if (as_ != kFocus && !(rates_.empty() && currency_.empty())) {
      return UsageError(absl::StrCat(rates_.empty() ? "--billing-currency" : "--rate",
                                     " goes with --as focus: the books are in credits"));
    }
    if (as_ != kFocus && validator_columns_) {
      return UsageError("--validator-columns goes with --as focus");
    }
    absl::StatusOr<ChargebackRates> rates = ChargebackRates::Parse(rates_);
    if (!rates.ok()) return rates.status();
    const std::string currency = currency_.empty() ? kDefaultCurrency : currency_;
    const bool is_code = currency.size() == 3 && std::ranges::all_of(currency, [](char c) {
                           return absl::ascii_isupper(static_cast<unsigned char>(c));
                         });
    if (!is_code) {
      return UsageError(absl::StrCat("--billing-currency: \"", currency,
                                     "\" is no currency; expected three capitals of ISO 4217, "
                                     "such as USD or EUR"));
    }
    return FocusOptions{.rates = *std::move(rates),
                        .billing_currency = currency,
                        .validator_columns = validator_columns_};
  }

  [[nodiscard]] absl::Status CheckNames(const AccountList& accounts) const {
    if (!options_.team.empty()) {
      if (absl::Status known = accounts.CheckTeam(options_.team); !known.ok()) return known;
    }
    return options_.pool.empty() ? absl::OkStatus() : accounts.CheckPool(options_.pool);
  }

  std::string as_;
  ExportOptions options_;
  std::vector<std::string> rates_;
  std::string currency_;
  bool validator_columns_ = false;
};

}  // namespace

std::unique_ptr<Command> NewAuditExportCommand() {
  return std::make_unique<AuditExportCommand>();
}

}  // namespace qmarket
