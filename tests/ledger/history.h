// A random history for a ledger's store, and the obvious model of what the store must answer.
#ifndef QMARKET_TESTS_LEDGER_HISTORY_H_
#define QMARKET_TESTS_LEDGER_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/store.h"

namespace qmarket {

// Makes steps at growing offsets, with holes, and remembers all of them.
class History {
 public:
  explicit History(std::uint32_t seed) : random_(seed) {}

  // The steps of `records` more offsets, as one commit.
  LedgerCommit Next(std::size_t records);

  [[nodiscard]] std::uint64_t next_offset() const { return next_offset_; }

  // What was so at an offset.
  [[nodiscard]] Int128 BalanceAt(AccountId account, std::uint64_t offset) const;
  [[nodiscard]] std::optional<std::int64_t> TimeAt(std::uint64_t offset) const;
  [[nodiscard]] std::optional<IndexHit> IndexAt(std::uint8_t kind, const std::string& name,
                                                std::uint64_t offset) const;

  [[nodiscard]] const std::vector<StepEffects>& steps() const { return steps_; }

  [[nodiscard]] const Book& book() const { return book_; }

  // Compares what the store can be asked, as of `next_offset`, with the model: all of it, with
  // balances and index entries at every `stride`-th offset. Gives what differs first, or nothing.
  [[nodiscard]] std::string Compare(const LedgerStore& store, std::uint64_t next_offset,
                                    std::uint64_t stride = 1) const;

 private:
  std::uint64_t Draw(std::uint64_t below) { return random_() % below; }

  void OpenSome(LedgerCommit& commit);
  void PostSome(StepEffects& step);
  void IndexSome(StepEffects& step);
  void Remember(const StepEffects& step);
  [[nodiscard]] std::string CompareAccounts(const LedgerStore& store, std::uint64_t next_offset,
                                            std::uint64_t stride) const;
  [[nodiscard]] std::string CompareSteps(const LedgerStore& store, std::uint64_t next_offset) const;
  [[nodiscard]] std::string CompareDigests(const LedgerStore& store,
                                           std::uint64_t next_offset) const;
  [[nodiscard]] std::string CompareTimes(const LedgerStore& store, std::uint64_t next_offset) const;
  [[nodiscard]] std::string CompareIndex(const LedgerStore& store, std::uint64_t next_offset,
                                         std::uint64_t stride) const;

  std::mt19937 random_;
  Book book_;
  std::uint64_t next_offset_ = 0;
  std::int64_t time_ms_ = 1'000'000;
  std::vector<StepEffects> steps_;
  std::map<std::uint32_t, std::map<std::uint64_t, Int128>> balances_;  // account -> offset -> after
  std::map<std::uint64_t, Digest> digests_;                            // last offset -> digest
  std::map<std::uint64_t, std::int64_t> times_;                        // offset -> time
  std::map<std::pair<std::uint8_t, std::string>, std::map<std::uint64_t, std::string>> index_;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_LEDGER_HISTORY_H_
