// The books, from what is recorded alone: double entry, no overdraft, and that every posting was
// told (mechanism §6).
//
//   Books books(accounts, report);
//   books.Take(offset, postings, outcomes);   // of each offset, in order
//
// It knows nothing of the market. Not thread-safe.
#ifndef QMARKET_REPLAY_AUDIT_BOOKS_H_
#define QMARKET_REPLAY_AUDIT_BOOKS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

#include "events/int128.h"
#include "events/outcome.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "replay/audit/accounts.h"
#include "replay/audit/report.h"

namespace qmarket {

class Books {
 public:
  // Both must outlive this.
  Books(const AuditAccounts& accounts, AuditReport& report);

  void Take(std::uint64_t offset, absl::Span<const Posting> postings,
            absl::Span<const Outcome> outcomes);

  // After all that was taken; zero for an account that there is not.
  [[nodiscard]] Int128 Balance(AccountId account) const;

 private:
  // Whether it could be posted.
  bool Post(std::uint64_t offset, const Posting& posting);
  [[nodiscard]] std::optional<std::string> WhyNot(const Posting& posting) const;
  void CheckTold(std::uint64_t offset, absl::Span<const Posting> postings,
                 absl::Span<const Outcome> outcomes);
  void CheckUncollected(std::uint64_t offset, const CreditsPosted& told);
  [[nodiscard]] bool IsTold(const Posting& posting, const CreditsPosted& told) const;
  [[nodiscard]] std::string TextOf(const Posting& posting) const;

  const AuditAccounts& accounts_;
  AuditCheck& double_entry_;
  AuditCheck& overdraft_;
  AuditCheck& told_;
  std::vector<Int128> balances_;  // by account
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_BOOKS_H_
