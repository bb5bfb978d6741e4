#include "connectors/books/selection.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace qmarket {
namespace {

bool IsWholeIn(const BookAccount& account, const std::string& team, const std::string& pool) {
  if (!team.empty()) return account.team == team;
  return pool.empty() || account.pool == pool;
}

}  // namespace

absl::StatusOr<BookSelection> BookSelection::Make(const BookChart& chart, const std::string& team,
                                                  const std::string& pool) {
  std::string team_pool;
  const auto found = std::ranges::find_if(chart.accounts, [&](const BookAccount& account) {
    return account.kind == BookAccountKind::kTeam && account.team == team;
  });
  if (!team.empty() && found != chart.accounts.end()) team_pool = found->pool;
  if (!team.empty() && !pool.empty() && team_pool != pool) {
    return absl::InvalidArgumentError(
        absl::StrCat("team ", team, " is of pool ", team_pool, ", not of ", pool));
  }
  BookSelection selection;
  for (const BookAccount& account : chart.accounts) {
    selection.whole_.push_back(IsWholeIn(account, team, pool));
  }
  return selection;
}

}  // namespace qmarket
