// Collects what steps of the market led to, for the next commit of the ledger's store.
//
//   CommitBuilder builder;
//   builder.Add(market, record, step, canonical_outcomes);   // for each record
//   store.Commit(builder.Take(market, ...));
//
// Not thread-safe.
#ifndef QMARKET_MATCHER_PROCESS_COMMIT_BUILDER_H_
#define QMARKET_MATCHER_PROCESS_COMMIT_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "events/event_log.h"
#include "events/fingerprint.h"
#include "ledger/store/commit.h"
#include "matcher/core/market.h"

namespace qmarket {

class CommitBuilder {
 public:
  // So many currencies and accounts are stored already.
  CommitBuilder(std::size_t stored_currencies, std::size_t stored_accounts)
      : stored_currencies_(stored_currencies), stored_accounts_(stored_accounts) {}

  // `market` is as `step` left it; `canonical` is EncodeOutcomes of the step's outcomes, empty
  // where there are none.
  void Add(const Market& market, const LogRecord& record, const Step& step, std::string canonical);

  // How many records were added since the last Take.
  [[nodiscard]] std::size_t records() const { return records_; }

  // About how much memory they take.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  // The commit of all that was added, which is then forgotten. At least one record was added.
  [[nodiscard]] LedgerCommit Take(const Market& market, std::uint64_t next_offset,
                                  const Digest& digest);

 private:
  std::size_t stored_currencies_;
  std::size_t stored_accounts_;
  std::size_t records_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t last_offset_ = 0;  // of the last record, and its hash
  Digest last_record_hash_{};
  std::vector<StepEffects> steps_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_COMMIT_BUILDER_H_
