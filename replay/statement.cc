#include "replay/statement.h"

#include <algorithm>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "replay/recorded_digest.h"
#include "replay/statement_text.h"

namespace qmarket {
namespace {

// Whether anything was posted on the account by then.
absl::StatusOr<bool> IsUsed(const LedgerStore& store, AccountId account, std::uint64_t offset) {
  bool used = false;
  const absl::Status read =
      store.BalanceHistory(account, {.from = 0, .to = offset}, [&](const BalancePoint& /*point*/) {
        used = true;
        return false;
      });
  if (!read.ok()) return read;
  return used;
}

absl::StatusOr<std::vector<StatedBalance>> BalancesAt(const LedgerStore& store,
                                                      std::uint64_t offset) {
  const absl::StatusOr<std::vector<std::string>> currencies = store.Currencies();
  if (!currencies.ok()) return currencies.status();
  const absl::StatusOr<std::vector<StoredAccount>> accounts = store.Accounts();
  if (!accounts.ok()) return accounts.status();
  std::vector<StatedBalance> balances;
  for (const StoredAccount& account : *accounts) {
    const absl::StatusOr<bool> used = IsUsed(store, account.id, offset);
    if (!used.ok()) return used.status();
    if (!*used) continue;
    const absl::StatusOr<Int128> balance = store.BalanceAt(account.id, offset);
    if (!balance.ok()) return balance.status();
    const std::string& currency = (*currencies)[account.currency.index()];
    balances.push_back({.account = account.name,
                        .balance_micros = *balance,
                        .currency = currency.empty() ? kStatedReference : currency});
  }
  std::ranges::sort(balances, [](const StatedBalance& a, const StatedBalance& b) {
    return std::tie(a.account, a.currency) < std::tie(b.account, b.currency);
  });
  return balances;
}

absl::Status CheckNames(const Statement& statement) {
  const auto check = [](absl::string_view what, const std::string& name) {
    return IsPlainText(name) ? absl::OkStatus()
                             : absl::InvalidArgumentError(absl::StrCat(
                                   what, " ", name, ": a statement has no form for such a name"));
  };
  absl::Status checked = check("market", statement.market);
  checked.Update(check("log", statement.log));
  for (const StatedBalance& balance : statement.balances) {
    checked.Update(check("account", balance.account));
    checked.Update(check("pool", balance.currency));
  }
  return checked;
}

// What the postings by then add up to, by account id.
absl::StatusOr<std::vector<Int128>> PostedBalances(const LedgerStore& store, std::uint64_t offset) {
  std::vector<Int128> balances(store.state().accounts);
  absl::Status damage;
  const absl::Status read = store.Journal(
      {.from = 0, .to = offset}, [&](std::uint64_t at, absl::Span<const Posting> postings) {
        for (const Posting& posting : postings) {
          if (posting.from.index() >= balances.size() || posting.to.index() >= balances.size()) {
            damage =
                absl::DataLossError(absl::StrCat("the ledger's store is damaged: a posting of "
                                                 "offset ",
                                                 at, " has an unknown account"));
            return false;
          }
          balances[posting.from.index()] -= posting.amount.value();
          balances[posting.to.index()] += posting.amount.value();
        }
        return true;
      });
  if (!read.ok()) return read;
  if (!damage.ok()) return damage;
  return balances;
}

std::string Differs(absl::string_view what, absl::string_view stated, absl::string_view books) {
  return absl::StrCat(what, ": the statement says ", stated, ", the books say ", books);
}

std::string TimeOrNone(std::optional<std::int64_t> time_ms) {
  return time_ms.has_value() ? absl::StrCat(*time_ms) : "null";
}

// The first difference of two lists of balances in the order of names.
std::optional<std::string> CompareBalances(const std::vector<StatedBalance>& stated,
                                           const std::vector<StatedBalance>& books) {
  const auto name = [](const StatedBalance& balance) {
    return absl::StrCat("account ", balance.account);
  };
  for (std::size_t i = 0; i < std::max(stated.size(), books.size()); ++i) {
    if (i == stated.size()) return Differs(name(books[i]), "nothing", "there is one");
    if (i == books.size()) return Differs(name(stated[i]), "there is one", "nothing");
    if (stated[i].account != books[i].account) {
      return Differs(absl::StrCat("account ", i + 1), stated[i].account, books[i].account);
    }
    if (stated[i].currency != books[i].currency) {
      return Differs(absl::StrCat("the currency of ", name(books[i])), stated[i].currency,
                     books[i].currency);
    }
    if (stated[i].balance_micros != books[i].balance_micros) {
      return Differs(absl::StrCat(name(books[i]), " in micro-credits"),
                     ToString(stated[i].balance_micros), ToString(books[i].balance_micros));
    }
  }
  return std::nullopt;
}

// Whether the recorded balances are what the postings add up to.
absl::StatusOr<std::optional<std::string>> CheckPostings(const LedgerStore& store,
                                                         std::uint64_t offset) {
  const absl::StatusOr<std::vector<StoredAccount>> accounts = store.Accounts();
  if (!accounts.ok()) return accounts.status();
  const absl::StatusOr<std::vector<Int128>> posted = PostedBalances(store, offset);
  if (!posted.ok()) return posted.status();
  for (const StoredAccount& account : *accounts) {
    const absl::StatusOr<Int128> balance = store.BalanceAt(account.id, offset);
    if (!balance.ok()) return balance.status();
    const Int128 sum = (*posted)[account.id.index()];
    if (*balance != sum) {
      return absl::StrCat("account ", account.name, ": the books say ", ToString(*balance),
                          ", but their postings add up to ", ToString(sum));
    }
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Statement> MakeStatement(const LedgerStore& store, const std::string& market,
                                        std::uint64_t offset) {
  const StoreState state = store.state();
  Statement statement = {.market = market,
                         .log = state.log_identity,
                         .rules_version = state.rules_version,
                         .offset = offset,
                         .effective_time_ms = std::nullopt,
                         .digest = {},
                         .balances = {}};
  const absl::StatusOr<std::optional<std::int64_t>> time_ms = store.TimeAt(offset);
  if (!time_ms.ok()) return time_ms.status();
  statement.effective_time_ms = *time_ms;
  const absl::StatusOr<Digest> digest = RecordedDigestAt(store, offset);
  if (!digest.ok()) return digest.status();
  statement.digest = *digest;
  absl::StatusOr<std::vector<StatedBalance>> balances = BalancesAt(store, offset);
  if (!balances.ok()) return balances.status();
  statement.balances = *std::move(balances);
  if (absl::Status checked = CheckNames(statement); !checked.ok()) return checked;
  return statement;
}

bool IsSealed(const SealedStatement& sealed) {
  return sealed.seal.has_value() &&
         IsSignatureOf(sealed.seal->public_key, StatementBody(sealed.statement),
                       sealed.seal->signature);
}

absl::StatusOr<std::optional<std::string>> CompareWithBooks(const Statement& statement,
                                                            const LedgerStore& store,
                                                            const std::string& market) {
  const StoreState state = store.state();
  if (statement.market != market) return Differs("market", statement.market, market);
  if (statement.log != state.log_identity) {
    return Differs("log", statement.log, state.log_identity);
  }
  if (statement.rules_version != state.rules_version) {
    return Differs("rules version", absl::StrCat(statement.rules_version),
                   absl::StrCat(state.rules_version));
  }
  if (!state.last_offset.has_value() || statement.offset > *state.last_offset) {
    return Differs("offset", absl::StrCat(statement.offset),
                   state.last_offset.has_value()
                       ? absl::StrCat("that ", *state.last_offset, " is the last one applied")
                       : "that nothing is applied");
  }
  const absl::StatusOr<std::optional<std::int64_t>> time_ms = store.TimeAt(statement.offset);
  if (!time_ms.ok()) return time_ms.status();
  if (statement.effective_time_ms != *time_ms) {
    return Differs("effective time", TimeOrNone(statement.effective_time_ms), TimeOrNone(*time_ms));
  }
  const absl::StatusOr<std::vector<StatedBalance>> balances = BalancesAt(store, statement.offset);
  if (!balances.ok()) return balances.status();
  if (auto difference = CompareBalances(statement.balances, *balances); difference.has_value()) {
    return difference;
  }
  absl::StatusOr<std::optional<std::string>> posted = CheckPostings(store, statement.offset);
  if (!posted.ok() || posted->has_value()) return posted;
  const absl::StatusOr<Digest> digest = RecomputedDigestAt(store, statement.offset);
  if (!digest.ok()) return digest.status();
  if (statement.digest != *digest) {
    return Differs("digest", ToHex(statement.digest), ToHex(*digest));
  }
  return std::nullopt;
}

}  // namespace qmarket
