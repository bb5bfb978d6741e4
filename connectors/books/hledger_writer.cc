// Journals for hledger: what its `check --strict` accepts, with a balance assertion on every
// posting of an account that is there whole.
#include "absl/strings/str_cat.h"

#include "connectors/books/journal.h"
#include "connectors/books/names.h"
#include "connectors/books/writer.h"
#include "connectors/cli/text.h"

namespace qmarket {
namespace {

// Types of hledger, so that its balance sheet and income statement work.
constexpr absl::string_view kTypes =
    "account team           ; type: Asset\n"
    "account purse          ; type: Asset\n"
    "account mint           ; type: Revenue\n"
    "account issue          ; type: Revenue\n"
    "account spent          ; type: Expense\n"
    "account sold           ; type: Expense\n"
    "account equity         ; type: Equity\n"
    "account equity:opening\n";

class HledgerWriter : public BookWriter {
 public:
  std::string Extension() const override { return "journal"; }

  std::string Begin(const BookHeader& header) override {
    chart_ = header.chart;
    std::string text = absl::StrCat("; ", header.title, "\n\n");
    for (const std::uint32_t currency : header.currencies) {
      absl::StrAppend(&text, "commodity 1000.000000 ",
                      JournalCommodity(chart_->currencies[currency]), "\n");
    }
    absl::StrAppend(&text, "\n", kTypes);
    for (const BookAccount* account : header.accounts) {
      if (account->kind != BookAccountKind::kIssue) {
        absl::StrAppend(&text, "account ", JournalAccount(*account), "\n");
      }
    }
    return text + "\n";
  }

  std::string Transaction(const ExportedTransaction& transaction) override {
    std::string text = DayText(transaction.time_ms);
    if (transaction.offset.has_value()) absl::StrAppend(&text, " (", *transaction.offset, ")");
    absl::StrAppend(&text, " ", transaction.type);
    std::string about;
    if (!transaction.actor.empty()) {
      absl::StrAppend(&about, "actor:", PercentValue(transaction.actor), ", ");
    }
    if (!transaction.source.empty()) {
      absl::StrAppend(&about, "source:", PercentValue(transaction.source), ", ");
    }
    if (!about.empty()) absl::StrAppend(&text, "  ; ", about.substr(0, about.size() - 2));
    text += "\n";
    const std::string origin = Origin(transaction);
    for (const ExportedPosting& posting : transaction.postings) {
      absl::StrAppend(&text, JournalPosting(*chart_, posting), "  ; ", origin);
      if (posting.kind.has_value()) {
        absl::StrAppend(&text, ", kind:", PostingKindName(*posting.kind));
      }
      if (!posting.resource.empty()) {
        absl::StrAppend(&text, ", resource:", PercentValue(posting.resource));
      }
      text += "\n";
    }
    return text + "\n";
  }

  std::string Includes(absl::Span<const std::string> files) const override {
    return JournalIncludes(files);
  }

 private:
  static std::string Origin(const ExportedTransaction& transaction) {
    const std::string time = absl::StrCat("time:", TimeText(transaction.time_ms));
    if (!transaction.offset.has_value()) return time;
    return absl::StrCat("event_id:", PercentValue(transaction.event_id),
                        ", offset:", *transaction.offset, ", ", time);
  }

  const BookChart* chart_ = nullptr;
};

}  // namespace

std::unique_ptr<BookWriter> NewHledgerWriter() {
  return std::make_unique<HledgerWriter>();
}

}  // namespace qmarket
