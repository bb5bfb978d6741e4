#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/balance_changes.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/history_events.h"
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
                "stretch of time (--from, --to), with what it was for and the event that made it, "
                "which is read from the log; `qmarket transfers` splits a change into its "
                "movements. With a name, of that team or account alone. "
                "Balances are the posted ones: what accrued since the last settlement is not in "
                "them. Amounts are in micro-credits in JSON and CSV.",
            .example =
                "qmarket balance\n"
                "  qmarket balance search-03 --from 2026-01-01 --to 2026-01-02 --format csv\n"
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
      const absl::StatusOr<StoredAccount> account = FindNamed(list);
      if (!account.ok()) return account.status();
      return std::vector<StoredAccount>{*account};
    }
    std::vector<StoredAccount> chosen;
    for (const StoredAccount& account : list.accounts()) {
      const bool common = absl::StartsWith(account.name, kTeamPrefix) ||
                          absl::StartsWith(account.name, kPursePrefix);
      if (!all_ && !common) continue;
      if (IsOfPool(list, account)) chosen.push_back(account);
    }
    return chosen;
  }

  // Its currency is the pool's, or it is the pool's purse.
  [[nodiscard]] bool IsOfPool(const AccountList& list, const StoredAccount& account) const {
    absl::string_view purse = account.name;
    return filters_.TakesPool(absl::ConsumePrefix(&purse, kPursePrefix) ? std::string(purse)
                                                                        : list.CurrencyOf(account));
  }

  // A pool's name is no account's.
  [[nodiscard]] absl::StatusOr<StoredAccount> FindNamed(const AccountList& list) const {
    absl::StatusOr<StoredAccount> account = list.Find(name_);
    if (account.ok() || !list.CheckPool(name_).ok()) return account;
    return absl::NotFoundError(absl::StrCat("no team ", name_, ": ", name_,
                                            " is a pool; see --pool ", name_,
                                            ", or its purse, purse:", name_));
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

  // One pass over the journal: it has what each change was for, and the log is read in its order.
  absl::Status PrintHistory(Query& query, const AccountList& list,
                            const std::vector<StoredAccount>& accounts, Output& out) const {
    RecordPrinter printer(out, options_.format, "balances",
                          {{"offset", "offset", Kind::kOffset},
                           {"time_ms", "time", Kind::kTimeMs},
                           {"account", "account"},
                           {"currency", "currency"},
                           {"change_micros", "change cr", Kind::kMicros},
                           {"balance_micros", "balance cr", Kind::kMicros},
                           {"kinds", "for"},
                           {"event", "event"},
                           {"event_id", "event id"}});
    const OffsetRange range = query.range();
    if (range.from <= range.to) {
      absl::StatusOr<RunningBalances> running =
          RunningBalances::Before(query.store(), accounts, range.from);
      if (!running.ok()) return running.status();
      HistoryEvents events(options_, query.store().state());
      absl::Status failed;
      const absl::Status read = query.store().Journal(
          range, [&](std::uint64_t offset, absl::Span<const Posting> postings) {
            const std::vector<BalanceChange> changes = running->Take(postings);
            if (changes.empty()) return true;
            const absl::StatusOr<std::optional<std::int64_t>> time_ms = query.TimeAt(offset);
            if (!time_ms.ok()) failed = time_ms.status();
            if (!time_ms.ok()) return false;
            const std::optional<EventHead> event = events.At(offset);
            return std::ranges::all_of(changes, [&](const BalanceChange& change) {
              return printer.Add({Int128{offset}, OptionalCell(*time_ms), change.account->name,
                                  list.CurrencyOf(*change.account), change.amount, change.balance,
                                  absl::StrJoin(change.kinds, " "),
                                  event.has_value() ? Cell(event->payload_type) : Cell(),
                                  event.has_value() ? Cell(event->event_id) : Cell()});
            });
          });
      if (!read.ok()) return read;
      if (!failed.ok()) return failed;
      if (out.ok()) {
        if (absl::Status same = running->Check(query.store(), range.to); !same.ok()) return same;
      }
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
