#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/records.h"

namespace qmarket {
namespace {

class BalanceCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "balance",
            .group = kQueryGroup,
            .summary = "Balances of teams, purses and all other accounts",
            .explanation =
                "Prints the credits of every team, and the purse of every pool in reference "
                "credits: now, at any moment before (--at, --offset), or each change over a "
                "stretch of time (--from, --to). With a name, of that team or account alone. "
                "Balances are the posted ones: what accrued since the last settlement is not in "
                "them. Amounts are in micro-credits in JSON and CSV.",
            .example =
                "qmarket balance\n"
                "  qmarket balance vision --from 2026-01-01 --to 2026-01-02 --format csv\n"
                "  qmarket balance spent:search:h100 --at 2026-01-01T12:00:00Z"};
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("NAME", name_, "A team, or an account such as purse:search");
    filters_.AddPool(app);
    app.add_flag("--all", all_, "All accounts, not of teams and purses alone");
    AddQueryOptions(app, options_);
  }

  absl::Status Run(Output& out) override {
    absl::StatusOr<Query> query = Query::Open(options_);
    if (!query.ok()) return query.status();
    const absl::StatusOr<AccountList> list = AccountList::Read(query->store());
    if (!list.ok()) return list.status();
    const absl::StatusOr<std::vector<StoredAccount>> accounts = Choose(*list);
    if (!accounts.ok()) return accounts.status();
    return query->is_history() ? PrintHistory(*query, *list, *accounts, out)
                               : PrintBalances(*query, *list, *accounts, out);
  }

 private:
  absl::StatusOr<std::vector<StoredAccount>> Choose(const AccountList& list) const {
    if (absl::Status known = filters_.Check(list); !known.ok()) return known;
    if (!name_.empty()) {
      const absl::StatusOr<StoredAccount> account = list.Find(name_);
      if (!account.ok()) return account.status();
      return std::vector<StoredAccount>{*account};
    }
    std::vector<StoredAccount> chosen;
    for (const StoredAccount& account : list.accounts()) {
      const bool common = absl::StartsWith(account.name, kTeamPrefix) ||
                          absl::StartsWith(account.name, kPursePrefix);
      if (!all_ && !common) continue;
      if (!filters_.TakesPool(list.CurrencyOf(account))) continue;
      chosen.push_back(account);
    }
    return chosen;
  }

  absl::Status PrintBalances(Query& query, const AccountList& list,
                             const std::vector<StoredAccount>& accounts, Output& out) const {
    RecordPrinter printer(out, options_.format, "balances",
                          {{"account", "account"},
                           {"currency", "currency"},
                           {"balance_micros", "balance cr", Kind::kMicros}});
    const absl::StatusOr<std::optional<std::int64_t>> time_ms = query.time_ms();
    if (!time_ms.ok()) return time_ms.status();
    printer.Moment(query.offset(), *time_ms);
    for (const StoredAccount& account : accounts) {
      Int128 balance = 0;
      if (query.offset().has_value()) {
        const absl::StatusOr<Int128> stored = query.store().BalanceAt(account.id, *query.offset());
        if (!stored.ok()) return stored.status();
        balance = *stored;
      }
      if (!printer.Add({account.name, list.CurrencyOf(account), balance})) break;
    }
    printer.Finish("No accounts yet.");
    return absl::OkStatus();
  }

  absl::Status PrintHistory(Query& query, const AccountList& list,
                            const std::vector<StoredAccount>& accounts, Output& out) const {
    RecordPrinter printer(out, options_.format, "balances",
                          {{"offset", "offset", Kind::kOffset},
                           {"time_ms", "time", Kind::kTimeMs},
                           {"account", "account"},
                           {"currency", "currency"},
                           {"balance_micros", "balance cr", Kind::kMicros}});
    absl::Status failed;
    for (const StoredAccount& account : accounts) {
      if (query.range().from > query.range().to) break;
      const absl::Status read =
          query.store().BalanceHistory(account.id, query.range(), [&](const BalancePoint& point) {
            const absl::StatusOr<std::optional<std::int64_t>> time_ms = query.TimeAt(point.offset);
            if (!time_ms.ok()) failed = time_ms.status();
            return time_ms.ok() &&
                   printer.Add({Int128{point.offset}, OptionalCell(*time_ms), account.name,
                                list.CurrencyOf(account), point.balance});
          });
      if (!read.ok()) return read;
      if (!failed.ok()) return failed;
    }
    printer.Finish("No balance changed in that time.");
    return absl::OkStatus();
  }

  std::string name_;
  Filters filters_;
  bool all_ = false;
  QueryOptions options_;
};

}  // namespace

std::unique_ptr<Command> NewBalanceCommand() {
  return std::make_unique<BalanceCommand>();
}

}  // namespace qmarket
