// Journals for ledger: what `--strict --pedantic` accepts, with a balance assertion on every
// posting of an account that is there whole. Ledger takes one tag a comment.
#include "absl/strings/str_cat.h"

#include "connectors/books/journal.h"
#include "connectors/books/names.h"
#include "connectors/books/writer.h"
#include "connectors/cli/text.h"

namespace qmarket {
namespace {

constexpr absl::string_view kTags =
    "tag actor\n"
    "tag event_id\n"
    "tag kind\n"
    "tag offset\n"
    "tag resource\n"
    "tag source\n"
    "tag time\n";

std::string Tag(absl::string_view name, absl::string_view value) {
  return value.empty() ? "" : absl::StrCat("    ; ", name, ": ", PercentValue(value), "\n");
}

class LedgerWriter : public BookWriter {
 public:
  std::string Extension() const override { return "ledger"; }

  std::string Begin(const BookHeader& header) override {
    chart_ = header.chart;
    std::string text = absl::StrCat("; ", header.title, "\n\n");
    for (const std::uint32_t currency : header.currencies) {
      const std::string commodity = JournalCommodity(chart_->currencies[currency]);
      absl::StrAppend(&text, "commodity ", commodity, "\n    format 1000.000000 ", commodity, "\n");
    }
    absl::StrAppend(&text, "\naccount ", kJournalOpeningAccount, "\n");
    for (const BookAccount* account : header.accounts) {
      absl::StrAppend(&text, "account ", JournalAccount(*account), "\n");
    }
    return absl::StrCat(text, "\n", kTags, "\n");
  }

  std::string Transaction(const ExportedTransaction& transaction) override {
    std::string text = DayText(transaction.time_ms);
    std::string origin;
    if (transaction.offset.has_value()) {
      absl::StrAppend(&text, " (", *transaction.offset, ")");
      origin = absl::StrCat(Tag("event_id", transaction.event_id),
                            "    ; offset: ", *transaction.offset, "\n");
    }
    absl::StrAppend(&text, " ", transaction.type, "\n", Tag("actor", transaction.actor),
                    Tag("source", transaction.source));
    absl::StrAppend(&origin, Tag("time", TimeText(transaction.time_ms)));
    for (const ExportedPosting& posting : transaction.postings) {
      absl::StrAppend(&text, JournalPosting(*chart_, posting), "\n", origin,
                      Tag("kind", posting.kind.has_value() ? PostingKindName(*posting.kind) : ""),
                      Tag("resource", posting.resource));
    }
    return text + "\n";
  }

  std::string Includes(absl::Span<const std::string> files) const override {
    return JournalIncludes(files);
  }

 private:
  const BookChart* chart_ = nullptr;
};

}  // namespace

std::unique_ptr<BookWriter> NewLedgerWriter() {
  return std::make_unique<LedgerWriter>();
}

}  // namespace qmarket
