#include "replay/audit/store_pass.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "events/digest.h"
#include "events/fingerprint.h"
#include "events/outcome.h"
#include "events/outcome_codec.h"
#include "replay/audit/accounts.h"
#include "replay/audit/balances.h"
#include "replay/audit/books.h"
#include "replay/audit/charges.h"
#include "replay/audit/index.h"
#include "replay/audit/store_damage.h"

namespace qmarket {

struct StorePass::Impl {
  Impl(const StoreScan& store, AuditReport& report)
      : scan(store),
        form(report.Begin("store form", "keys")),
        accounts(scan.currencies(), scan.accounts()),
        chain(report.Begin("digest chain", "links")),
        books(accounts, report),
        balances(scan, accounts, report),
        charges(accounts, report),
        index(scan, report),
        journal(scan.Read(StoreTable::kJournal)),
        outcomes(scan.Read(StoreTable::kOutcomes)),
        digests(scan.Read(StoreTable::kDigests)) {}

  void Run() {
    const StoreScan::Keys keys = scan.CheckKeys();
    form.Count(keys.keys);
    ReportDamages(keys.damages, form);
    while (journal.valid() || outcomes.valid())
      TakeOffset();
    PassDigests(UINT64_MAX);
    if (digest.value() != scan.state().digest) {
      FindInChain(scan.state().last_offset,
                  absl::StrCat("the digest after all recorded outcomes is ", ToHex(digest.value()),
                               ", and the store's state has ", ToHex(scan.state().digest)));
    }
    balances.Finish();
    index.Finish();
    ReportDamages(journal.damages(), form);
    ReportDamages(outcomes.damages(), form);
    ReportDamages(digests.damages(), form);
  }

  // All that is recorded of the next offset.
  void TakeOffset() {
    const std::uint64_t offset = std::min(journal.valid() ? journal.position() : UINT64_MAX,
                                          outcomes.valid() ? outcomes.position() : UINT64_MAX);
    PassDigests(offset);
    const std::vector<Posting> postings = PostingsAt(offset);
    const std::vector<Outcome> told = OutcomesAt(offset);
    if (offset >= scan.state().next_offset) {
      form.Find({.where = AuditPart::kStore,
                 .object = "journal and outcomes",
                 .offset = offset,
                 .what = absl::StrCat("something is recorded there, and the ledger has applied the "
                                      "log up to ",
                                      scan.state().next_offset, " alone")});
    }
    books.Take(offset, postings, told);
    for (const Posting& posting : postings) {
      for (const AccountId account : {posting.from, posting.to})
        if (accounts.Has(account)) balances.Add(offset, account, books.Balance(account));
    }
    charges.Take(offset, told);
    index.Add(offset, told);
  }

  std::vector<Posting> PostingsAt(std::uint64_t offset) {
    if (!journal.valid() || journal.position() != offset) return {};
    absl::StatusOr<std::vector<Posting>> postings = StoredPostings(journal.value());
    if (!postings.ok()) Unreadable("journal", offset, postings.status().message());
    journal.Next();
    return postings.ok() ? *std::move(postings) : std::vector<Posting>();
  }

  std::vector<Outcome> OutcomesAt(std::uint64_t offset) {
    if (!outcomes.valid() || outcomes.position() != offset) return {};
    digest.Add(offset, outcomes.value());
    chain.Count();
    absl::StatusOr<std::vector<Outcome>> told = DecodeOutcomes(outcomes.value());
    if (!told.ok()) Unreadable("outcomes", offset, told.status().message());
    outcomes.Next();
    return told.ok() ? *std::move(told) : std::vector<Outcome>();
  }

  // The digests that are kept of places below `offset`.
  void PassDigests(std::uint64_t offset) {
    for (; digests.valid() && digests.position() < offset; digests.Next()) {
      const Digest& now = digest.value();
      const absl::string_view expected(reinterpret_cast<const char*>(now.data()), now.size());
      if (digests.value() == expected) continue;
      FindInChain(digests.position(),
                  absl::StrCat("the digest kept of this place is not that of the outcomes up to "
                               "it, ",
                               ToHex(now)));
    }
  }

  void FindInChain(std::optional<std::uint64_t> offset, std::string what) {
    chain.Find({.where = AuditPart::kStore,
                .object = "digest",
                .offset = offset,
                .what = std::move(what)});
  }

  void Unreadable(const char* object, std::uint64_t offset, absl::string_view what) {
    form.Find({.where = AuditPart::kStore,
               .object = object,
               .offset = offset,
               .what = std::string(what)});
  }

  const StoreScan& scan;
  AuditCheck& form;
  AuditAccounts accounts;
  AuditCheck& chain;
  Books books;
  BalanceAudit balances;
  Charges charges;
  IndexAudit index;
  StoreCursor journal;
  StoreCursor outcomes;
  StoreCursor digests;
  DigestChain digest;
};

StorePass::StorePass(const StoreScan& scan, AuditReport& report)
    : impl_(std::make_unique<Impl>(scan, report)) {}

StorePass::~StorePass() = default;

void StorePass::Run() {
  impl_->Run();
}

}  // namespace qmarket
