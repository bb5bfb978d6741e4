#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/records.h"
#include "events/outcome.h"

namespace qmarket {
namespace {

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const PostingKind kind :
       {PostingKind::kIncome, PostingKind::kCharge, PostingKind::kGrant, PostingKind::kClawback,
        PostingKind::kTransfer, PostingKind::kWeight, PostingKind::kChips, PostingKind::kLapse}) {
    names.emplace_back(PostingKindName(kind));
  }
  return names;
}

class TransfersCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "transfers",
            .group = kQueryGroup,
            .summary = "Every movement of credits, as the ledger has it",
            .explanation =
                "Prints the journal of the ledger: what moved, from which account to which, when, "
                "and what for. All of it up to the moment asked about, or that of a stretch of "
                "time (--from, --to), of one team, pool or kind. Amounts are in micro-credits in "
                "JSON and CSV.",
            .example =
                "qmarket transfers --team safety-01 --from 2026-01-01 --to 2026-01-02\n"
                "  qmarket transfers --kind grant --format json"};
  }

  void AddOptions(CLI::App& app) override {
    const std::vector<std::string> kinds = KindNames();
    filters_.AddTeam(app);
    filters_.AddPool(app);
    app.add_option("--kind", kind_,
                   absl::StrCat("Movements of this kind alone: ", absl::StrJoin(kinds, ", ")))
        ->type_name("KIND")
        ->check(CLI::IsMember(kinds).description(""));
    AddQueryOptions(app, options_);
  }

  absl::Status Run(Output& out) override {
    absl::StatusOr<Query> query = Query::Open(options_);
    if (!query.ok()) return query.status();
    const absl::StatusOr<AccountList> list = AccountList::Read(query->store());
    if (!list.ok()) return list.status();
    if (absl::Status known = filters_.Check(*list); !known.ok()) return known;
    RecordPrinter printer(out, options_.format, "transfers",
                          {{"offset", "offset", Kind::kOffset},
                           {"time_ms", "time", Kind::kTimeMs},
                           {"kind", "kind"},
                           {"currency", "currency"},
                           {"from", "from"},
                           {"to", "to"},
                           {"amount_micros", "amount cr", Kind::kMicros}});
    absl::Status failed;
    const auto take = [&](std::uint64_t offset, absl::Span<const Posting> postings) {
      const absl::StatusOr<std::optional<std::int64_t>> time_ms = query->TimeAt(offset);
      if (!time_ms.ok()) failed = time_ms.status();
      return time_ms.ok() && std::ranges::all_of(postings, [&](const Posting& posting) {
               return !IsWanted(posting, *list) || Print(offset, *time_ms, posting, *list, printer);
             });
    };
    if (query->range().from <= query->range().to) {
      const absl::Status read = query->store().Journal(query->range(), take);
      if (!read.ok()) return read;
      if (!failed.ok()) return failed;
    }
    printer.Finish("No credits moved.");
    return absl::OkStatus();
  }

 private:
  bool IsWanted(const Posting& posting, const AccountList& list) const {
    const StoredAccount& from = list.ById(posting.from);
    const StoredAccount& to = list.ById(posting.to);
    const std::string account = absl::StrCat(kTeamPrefix, filters_.team());
    return (filters_.team().empty() || from.name == account || to.name == account) &&
           filters_.TakesPool(list.CurrencyOf(from)) &&
           (kind_.empty() || kind_ == PostingKindName(static_cast<PostingKind>(posting.kind)));
  }

  static bool Print(std::uint64_t offset, std::optional<std::int64_t> time_ms,
                    const Posting& posting, const AccountList& list, RecordPrinter& printer) {
    const StoredAccount& from = list.ById(posting.from);
    return printer.Add({Int128{offset}, OptionalCell(time_ms),
                        std::string(PostingKindName(static_cast<PostingKind>(posting.kind))),
                        list.CurrencyOf(from), from.name, list.ById(posting.to).name,
                        Int128{posting.amount.value()}});
  }

  Filters filters_;
  std::string kind_;
  QueryOptions options_;
};

}  // namespace

std::unique_ptr<Command> NewTransfersCommand() {
  return std::make_unique<TransfersCommand>();
}

}  // namespace qmarket
