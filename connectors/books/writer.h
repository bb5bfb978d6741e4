// A format of the books. One small file a format implements it.
//
//   std::unique_ptr<BookWriter> writer = NewBookWriter(BookFormat::kHledger);
//   text += writer->Begin(header);            // declarations
//   text += writer->Transaction(transaction); // in the order of the log, opening balances first
//   text += writer->End();                    // what is left to be asserted
//
// Returns text; where it goes is the caller's (files.h). A writer holds no more than the accounts
// that were touched since the last day. Not thread-safe.
#ifndef QMARKET_CONNECTORS_BOOKS_WRITER_H_
#define QMARKET_CONNECTORS_BOOKS_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "connectors/books/chart.h"
#include "connectors/books/transaction.h"

namespace qmarket {

enum class BookFormat { kHledger, kLedger, kBeancount, kCsv };

struct BookHeader {
  std::string title;                           // one line: what this is an export of
  const BookChart* chart = nullptr;            // outlives the writer
  std::vector<const BookAccount*> accounts{};  // that may occur
  std::vector<std::uint32_t> currencies{};     // likewise, as indices of the chart's
  std::int64_t first_time_ms = 0;              // no transaction is before it
};

class BookWriter {
 public:
  BookWriter() = default;
  BookWriter(const BookWriter&) = delete;
  BookWriter& operator=(const BookWriter&) = delete;
  virtual ~BookWriter() = default;

  // How its files end, without a point.
  [[nodiscard]] virtual std::string Extension() const = 0;

  // What stands before the first transaction: in the main file, or where all is one file.
  [[nodiscard]] virtual std::string Begin(const BookHeader& header) = 0;

  // What stands at the head of every file of transactions beside the main one.
  [[nodiscard]] virtual std::string BeginPart() { return ""; }

  [[nodiscard]] virtual std::string Transaction(const ExportedTransaction& transaction) = 0;

  [[nodiscard]] virtual std::string End() { return ""; }

  // The lines of the main file that take in the others. Empty: there is no main file.
  [[nodiscard]] virtual std::string Includes(absl::Span<const std::string> files) const = 0;
};

[[nodiscard]] std::unique_ptr<BookWriter> NewHledgerWriter();
[[nodiscard]] std::unique_ptr<BookWriter> NewLedgerWriter();
[[nodiscard]] std::unique_ptr<BookWriter> NewBeancountWriter();
[[nodiscard]] std::unique_ptr<BookWriter> NewCsvWriter();

[[nodiscard]] std::unique_ptr<BookWriter> NewBookWriter(BookFormat format);

// The day of a time, in UTC: "2026-01-01".
[[nodiscard]] std::string DayText(std::int64_t time_ms);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_WRITER_H_
