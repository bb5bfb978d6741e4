// The books as CSV: a posting a record, with whole micro-credits.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "connectors/books/writer.h"
#include "connectors/cli/table.h"
#include "connectors/cli/text.h"

namespace qmarket {
namespace {

constexpr absl::string_view kColumns =
    "offset,event_id,time,time_ms,event,actor,source,kind,resource,account,currency,"
    "amount_micros,balance_micros\n";

class CsvWriter : public BookWriter {
 public:
  std::string Extension() const override { return "csv"; }

  std::string Begin(const BookHeader& header) override {
    chart_ = header.chart;
    return std::string(kColumns);
  }

  std::string BeginPart() override { return std::string(kColumns); }

  std::string Transaction(const ExportedTransaction& transaction) override {
    const std::string offset =
        transaction.offset.has_value() ? absl::StrCat(*transaction.offset) : "";
    const std::string origin = absl::StrCat(
        offset, ",", CsvField(transaction.event_id), ",", TimeText(transaction.time_ms), ",",
        transaction.time_ms, ",", CsvField(transaction.type), ",", CsvField(transaction.actor), ",",
        CsvField(transaction.source));
    std::string text;
    for (const ExportedPosting& posting : transaction.postings) {
      const std::string& pool = chart_->currencies[posting.currency].pool;
      absl::StrAppend(
          &text, origin, ",", posting.kind.has_value() ? PostingKindName(*posting.kind) : "opening",
          ",", CsvField(posting.resource), ",",
          posting.account == nullptr ? "equity:opening" : CsvField(posting.account->name), ",",
          pool.empty() ? "(reference)" : CsvField(pool), ",", ToString(posting.amount), ",",
          posting.balance.has_value() ? ToString(*posting.balance) : "", "\n");
    }
    return text;
  }

  std::string Includes(absl::Span<const std::string> /*files*/) const override { return ""; }

 private:
  const BookChart* chart_ = nullptr;
};

}  // namespace

std::unique_ptr<BookWriter> NewCsvWriter() {
  return std::make_unique<CsvWriter>();
}

}  // namespace qmarket
