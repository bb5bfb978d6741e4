#include "tests/ledger/history.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace qmarket {
namespace {

// The last entry at or before a position.
template <typename Map>
const typename Map::value_type* LastAt(const Map& map, std::uint64_t position) {
  const auto after = map.upper_bound(position);
  return after == map.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

LedgerCommit History::Next(std::size_t records) {
  LedgerCommit commit;
  OpenSome(commit);
  std::set<AccountId> touched;
  for (std::size_t i = 0; i < records; ++i) {
    StepEffects step;
    step.offset = next_offset_ + Draw(3);
    step.record_hash.fill(static_cast<std::uint8_t>(random_()));
    next_offset_ = step.offset + 1;
    if (Draw(4) != 0) {
      time_ms_ += static_cast<std::int64_t>(Draw(3));
      step.time_ms = time_ms_;
      PostSome(step);
      IndexSome(step);
    }
    if (Draw(2) == 0) step.outcomes = absl::StrCat("outcomes of ", step.offset);
    for (const Posting& posting : step.postings)
      touched.insert({posting.from, posting.to});
    Remember(step);
    commit.last_offset = step.offset;
    commit.steps.push_back(std::move(step));
  }
  for (const AccountId account : touched) {
    commit.balances.push_back({account, book_.Balance(account)});
  }
  commit.next_offset = next_offset_;
  commit.digest.fill(static_cast<std::uint8_t>(random_()));
  digests_[commit.last_offset] = commit.digest;
  commit.last_record_hash.fill(static_cast<std::uint8_t>(random_()));
  return commit;
}

void History::OpenSome(LedgerCommit& commit) {
  if (book_.currencies().size() < 3 && Draw(2) == 0) {
    const std::string name = absl::StrCat("pool", book_.currencies().size());
    const CurrencyId currency = book_.AddCurrency(name);
    commit.new_currencies.push_back(name);
    commit.new_accounts.push_back({.name = absl::StrCat("mint:", name), .currency = currency});
  }
  for (std::uint64_t left = Draw(3); left > 0 && !book_.currencies().empty(); --left) {
    commit.new_accounts.push_back(
        {.name = absl::StrCat("team:", book_.accounts().size() + commit.new_accounts.size()),
         .currency = CurrencyId(static_cast<std::uint32_t>(Draw(book_.currencies().size()))),
         .floor = Floor::kZero});
  }
  for (const NewAccount& account : commit.new_accounts) {
    book_.Open(account.name, account.currency, account.floor);
  }
}

void History::PostSome(StepEffects& step) {
  const std::size_t accounts = book_.accounts().size();
  if (accounts == 0) return;
  for (std::uint64_t left = Draw(4); left > 0; --left) {
    const AccountId from(static_cast<std::uint32_t>(Draw(accounts)));
    const AccountId to(static_cast<std::uint32_t>(Draw(accounts)));
    const Account& payer = book_.accounts()[from.index()];
    if (from == to || payer.currency != book_.accounts()[to.index()].currency) continue;
    // Now and then more than 64 bits can hold, on an account without a floor.
    Int128 amount = static_cast<Int128>(Draw(8) == 0 ? INT64_MAX / 2 : Draw(1'000'000));
    if (payer.floor == Floor::kZero) amount = std::min(amount, payer.balance);
    const Posting posting = {.from = from,
                             .to = to,
                             .amount = Credits(static_cast<std::int64_t>(amount)),
                             .kind = static_cast<std::uint8_t>(Draw(8))};
    book_.Post(posting);
    step.postings.push_back(posting);
  }
  static_cast<void>(book_.TakePostings());
}

void History::IndexSome(StepEffects& step) {
  std::set<std::pair<std::uint8_t, std::string>> used;
  for (std::uint64_t left = Draw(3); left > 0; --left) {
    const auto kind = static_cast<std::uint8_t>(Draw(3));
    // Names that are prefixes of each other must not be mixed up.
    std::string name(Draw(4), 'a');
    if (Draw(3) == 0) name += "\x01z";
    if (!used.emplace(kind, name).second) continue;
    step.index.push_back({kind, name, absl::StrCat("value ", step.offset)});
  }
}

void History::Remember(const StepEffects& step) {
  for (const Posting& posting : step.postings) {
    for (const AccountId account : {posting.from, posting.to}) {
      balances_[account.index()][step.offset] = book_.Balance(account);
    }
  }
  if (step.time_ms.has_value()) times_[step.offset] = *step.time_ms;
  for (const IndexEntry& entry : step.index) {
    index_[{entry.kind, entry.name}][step.offset] = entry.value;
  }
  steps_.push_back(step);
}

Int128 History::BalanceAt(AccountId account, std::uint64_t offset) const {
  const auto found = balances_.find(account.index());
  if (found == balances_.end()) return 0;
  const auto* last = LastAt(found->second, offset);
  return last == nullptr ? Int128{0} : last->second;
}

std::optional<std::int64_t> History::TimeAt(std::uint64_t offset) const {
  const auto* last = LastAt(times_, offset);
  if (last == nullptr) return std::nullopt;
  return last->second;
}

std::optional<IndexHit> History::IndexAt(std::uint8_t kind, const std::string& name,
                                         std::uint64_t offset) const {
  const auto found = index_.find({kind, name});
  if (found == index_.end()) return std::nullopt;
  const auto* last = LastAt(found->second, offset);
  if (last == nullptr) return std::nullopt;
  return IndexHit{.offset = last->first, .value = last->second};
}

std::string History::Compare(const LedgerStore& store, std::uint64_t next_offset,
                             std::uint64_t stride) const {
  std::string problem = CompareAccounts(store, next_offset, stride);
  if (problem.empty()) problem = CompareSteps(store, next_offset);
  if (problem.empty()) problem = CompareTimes(store, next_offset);
  if (problem.empty()) problem = CompareIndex(store, next_offset, stride);
  return problem;
}

std::string History::CompareAccounts(const LedgerStore& store, std::uint64_t next_offset,
                                     std::uint64_t stride) const {
  const absl::StatusOr<std::vector<StoredAccount>> accounts = store.Accounts();
  if (!accounts.ok()) return accounts.status().ToString();
  for (const StoredAccount& account : *accounts) {
    const Account& expected = book_.accounts()[account.id.index()];
    if (account.name != expected.name || account.currency != expected.currency ||
        account.floor != expected.floor) {
      return absl::StrCat("account ", account.id.index(), " is ", account.name);
    }
    for (std::uint64_t offset = 0; offset < next_offset; offset += stride) {
      const absl::StatusOr<Int128> balance = store.BalanceAt(account.id, offset);
      if (!balance.ok()) return balance.status().ToString();
      if (*balance != BalanceAt(account.id, offset)) {
        return absl::StrCat("balance of ", account.name, " at ", offset, " is ", ToString(*balance),
                            ", expected ", ToString(BalanceAt(account.id, offset)));
      }
    }
  }
  return "";
}

std::string History::CompareDigests(const LedgerStore& store, std::uint64_t next_offset) const {
  std::map<std::uint64_t, Digest> expected;
  for (const auto& [offset, digest] : digests_) {
    if (offset < next_offset) expected[offset] = digest;
  }
  std::map<std::uint64_t, Digest> stored;
  const absl::Status status = store.Digests({}, [&](std::uint64_t offset, const Digest& digest) {
    stored[offset] = digest;
    return true;
  });
  if (!status.ok()) return status.ToString();
  if (stored != expected) return "other digests";
  for (std::uint64_t offset = 0; offset < next_offset; offset += 1 + offset / 8) {
    const absl::StatusOr<std::optional<StoredDigest>> at = store.DigestAt(offset);
    if (!at.ok()) return at.status().ToString();
    const auto after = expected.upper_bound(offset);
    const bool none = after == expected.begin();
    if (none ? at->has_value()
             : *at != StoredDigest{std::prev(after)->first, std::prev(after)->second}) {
      return absl::StrCat("another digest at ", offset);
    }
  }
  return "";
}

std::string History::CompareSteps(const LedgerStore& store, std::uint64_t next_offset) const {
  std::map<std::uint64_t, std::vector<Posting>> postings;
  std::map<std::uint64_t, std::string> outcomes;
  absl::Status status =
      store.Journal({}, [&](std::uint64_t offset, absl::Span<const Posting> some) {
        postings[offset].assign(some.begin(), some.end());
        return true;
      });
  if (!status.ok()) return status.ToString();
  status = store.Outcomes({}, [&](std::uint64_t offset, absl::string_view some) {
    outcomes[offset] = std::string(some);
    return true;
  });
  if (!status.ok()) return status.ToString();
  std::map<std::uint64_t, Fingerprint> hashes;
  status = store.RecordHashes({}, [&](std::uint64_t offset, const Fingerprint& hash) {
    hashes[offset] = hash;
    return true;
  });
  if (!status.ok()) return status.ToString();
  for (const StepEffects& step : steps_) {
    if (step.offset >= next_offset) break;
    const auto hash = hashes.extract(step.offset);
    if (hash.empty() || hash.mapped() != step.record_hash) {
      return absl::StrCat("another hash of the record at ", step.offset);
    }
    const auto found = postings.extract(step.offset);
    if (found.empty() ? !step.postings.empty() : found.mapped() != step.postings) {
      return absl::StrCat("other postings at ", step.offset);
    }
    const auto said = outcomes.extract(step.offset);
    if (said.empty() ? !step.outcomes.empty() : said.mapped() != step.outcomes) {
      return absl::StrCat("other outcomes at ", step.offset);
    }
    const absl::StatusOr<std::optional<std::int64_t>> time = store.TimeAt(step.offset);
    if (!time.ok()) return time.status().ToString();
    if (*time != TimeAt(step.offset)) return absl::StrCat("another time at ", step.offset);
  }
  if (!hashes.empty()) return absl::StrCat("a hash nobody gave at ", hashes.begin()->first);
  if (std::string what = CompareDigests(store, next_offset); !what.empty()) return what;
  if (!postings.empty()) return absl::StrCat("postings nobody made at ", postings.begin()->first);
  if (!outcomes.empty()) return absl::StrCat("outcomes nobody made at ", outcomes.begin()->first);
  return "";
}

std::string History::CompareTimes(const LedgerStore& store, std::uint64_t next_offset) const {
  std::map<std::int64_t, std::uint64_t> last_offsets;
  for (const auto& [offset, time] : times_) {
    if (offset < next_offset) last_offsets[time] = offset;
  }
  if (last_offsets.empty()) return "";
  const std::int64_t first = last_offsets.begin()->first;
  const std::int64_t last = last_offsets.rbegin()->first;
  for (std::int64_t time = first - 1; time <= last + 1; ++time) {
    std::optional<std::uint64_t> expected;
    const auto after = last_offsets.upper_bound(time);
    if (after != last_offsets.begin()) expected = std::prev(after)->second;
    const absl::StatusOr<std::optional<std::uint64_t>> offset = store.OffsetAt(time);
    if (!offset.ok()) return offset.status().ToString();
    if (*offset != expected) return absl::StrCat("another offset at time ", time);
  }
  return "";
}

std::string History::CompareIndex(const LedgerStore& store, std::uint64_t next_offset,
                                  std::uint64_t stride) const {
  std::set<std::pair<std::uint8_t, std::string>> named;
  for (const auto& [thing, values] : index_) {
    if (values.begin()->first < next_offset) named.insert(thing);
    for (std::uint64_t offset = 0; offset < next_offset; offset += stride) {
      const absl::StatusOr<std::optional<IndexHit>> hit =
          store.IndexAt(thing.first, thing.second, offset);
      if (!hit.ok()) return hit.status().ToString();
      if (*hit != IndexAt(thing.first, thing.second, offset)) {
        return absl::StrCat("another index entry of ", thing.second, " at ", offset);
      }
    }
  }
  for (std::uint8_t kind = 0; kind < 4; ++kind) {
    const absl::StatusOr<std::vector<std::string>> names = store.IndexNames(kind);
    if (!names.ok()) return names.status().ToString();
    for (const std::string& name : *names) {
      if (named.erase({kind, name}) == 0) return absl::StrCat("an unknown or repeated name ", name);
    }
  }
  return named.empty() ? "" : absl::StrCat("the name ", named.begin()->second, " is missing");
}

}  // namespace qmarket
