// Where an export goes: standard output in one piece, or a folder of files.
//
//   absl::StatusOr<BookSink> sink = BookSink::Open("books", {"books", "journal"}, out);
//   sink->Begin(declarations, head_of_each_file);
//   absl::Status status = sink->Add(transaction);
//   status = sink->Finish([](absl::Span<const std::string> files) { return includes; });
//
// A folder gets books-0001.journal, books-0002.journal, ... with at most kMostInFile transactions
// each, and at the end the main file, books.journal, with the declarations and what takes in the
// others: where it is there, the export is whole. Holds one file's buffer. Not thread-safe.
#ifndef QMARKET_CONNECTORS_BOOKS_SINK_H_
#define QMARKET_CONNECTORS_BOOKS_SINK_H_

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "connectors/cli/output.h"

namespace qmarket {

class BookSink {
 public:
  static constexpr std::uint64_t kMostInFile = 100'000;

  struct FileNames {
    std::string stem;
    std::string extension;
  };

  // `dir` "-" is `out`, which outlives it. Any other is made where it is not there. Errors:
  // FailedPrecondition where it is no folder or has something in it; those of the file system.
  [[nodiscard]] static absl::StatusOr<BookSink> Open(const std::string& dir, FileNames names,
                                                     Output& out);

  // First of all. `main`: before everything; `head`: at the beginning of each file of transactions.
  void Begin(std::string main, std::string head);

  // A transaction. Errors, here and below: those of the file system, with the file's name.
  // Standard output reports them when it is flushed.
  [[nodiscard]] absl::Status Add(absl::string_view text);

  // Text behind the last transaction.
  [[nodiscard]] absl::Status AddTail(absl::string_view text);

  // `includes` makes the end of the main file; empty: there is no main file.
  [[nodiscard]] absl::Status Finish(
      absl::FunctionRef<std::string(absl::Span<const std::string> files)> includes);

  // False where nothing can be written any more.
  [[nodiscard]] bool ok() const { return !dir_.empty() || out_->ok(); }

  // "2,880 transactions in 1 file; begin with books/books.journal", after Finish. Empty of standard
  // output.
  [[nodiscard]] std::string Summary(absl::string_view what) const;

 private:
  BookSink(std::string dir, FileNames names, Output& out)
      : dir_(std::move(dir)), names_(std::move(names)), out_(&out) {}

  [[nodiscard]] absl::Status NextFile();
  [[nodiscard]] absl::Status OpenFile(const std::string& name);
  [[nodiscard]] absl::Status Write(absl::string_view text);
  [[nodiscard]] absl::Status CloseFile();

  std::string dir_;  // empty: standard output
  FileNames names_;
  Output* out_;
  std::string main_;
  std::string head_;
  std::ofstream file_;
  std::string path_;                // of file_
  std::vector<std::string> files_;  // of transactions, within the folder
  std::string first_file_;
  std::uint64_t in_file_ = 0;
  std::uint64_t transactions_ = 0;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_SINK_H_
