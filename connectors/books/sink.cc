#include "connectors/books/sink.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "connectors/cli/text.h"

namespace qmarket {
namespace {

absl::Status CannotWrite(absl::string_view path, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("--out: cannot write ", path, ": ", why));
}

}  // namespace

absl::StatusOr<BookSink> BookSink::Open(const std::string& dir, FileNames names, Output& out) {
  if (dir == "-") return BookSink("", std::move(names), out);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(dir, error);
  if (std::filesystem::exists(status)) {
    if (!std::filesystem::is_directory(status)) {
      return absl::FailedPreconditionError(
          absl::StrCat("--out: ", dir, " is no folder; expected one that is empty or not there"));
    }
    const bool empty = std::filesystem::is_empty(dir, error);
    if (error) return CannotWrite(dir, error.message());
    if (!empty) {
      return absl::FailedPreconditionError(absl::StrCat(
          "--out: ", dir, " has something in it; expected a folder that is empty or not there"));
    }
  } else {
    std::filesystem::create_directories(dir, error);
    if (error) return CannotWrite(dir, error.message());
  }
  return BookSink(dir, std::move(names), out);
}

void BookSink::Begin(std::string main, std::string head) {
  if (dir_.empty()) {
    out_->Write(main);
    return;
  }
  main_ = std::move(main);
  head_ = std::move(head);
}

absl::Status BookSink::Add(absl::string_view text) {
  if (!dir_.empty() && (files_.empty() || in_file_ == kMostInFile)) {
    if (absl::Status opened = NextFile(); !opened.ok()) return opened;
  }
  ++transactions_;
  ++in_file_;
  return Write(text);
}

absl::Status BookSink::AddTail(absl::string_view text) {
  if (!dir_.empty() && files_.empty()) {
    if (absl::Status opened = NextFile(); !opened.ok()) return opened;
  }
  return Write(text);
}

absl::Status BookSink::Finish(
    absl::FunctionRef<std::string(absl::Span<const std::string> files)> includes) {
  if (dir_.empty()) return absl::OkStatus();
  if (absl::Status made = AddTail(""); !made.ok()) return made;
  if (absl::Status closed = CloseFile(); !closed.ok()) return closed;
  first_file_ = (std::filesystem::path(dir_) / files_.front()).string();
  const std::string end = includes(files_);
  if (end.empty()) return absl::OkStatus();
  if (absl::Status opened = OpenFile(absl::StrCat(names_.stem, ".", names_.extension));
      !opened.ok()) {
    return opened;
  }
  first_file_ = path_;
  if (absl::Status written = Write(absl::StrCat(main_, end)); !written.ok()) return written;
  return CloseFile();
}

std::string BookSink::Summary(absl::string_view what) const {
  if (dir_.empty()) return "";
  return absl::StrCat(CountText(Int128{transactions_}), " ", what, " in ", files_.size(),
                      files_.size() == 1 ? " file" : " files", "; begin with ", first_file_, "\n");
}

absl::Status BookSink::NextFile() {
  if (!files_.empty()) {
    if (absl::Status closed = CloseFile(); !closed.ok()) return closed;
  }
  in_file_ = 0;
  files_.push_back(absl::StrFormat("%s-%04d.%s", names_.stem, files_.size() + 1, names_.extension));
  if (absl::Status opened = OpenFile(files_.back()); !opened.ok()) return opened;
  return Write(head_);
}

absl::Status BookSink::OpenFile(const std::string& name) {
  path_ = (std::filesystem::path(dir_) / name).string();
  file_.open(path_, std::ios::binary | std::ios::trunc);
  return file_ ? absl::OkStatus() : CannotWrite(path_, std::strerror(errno));
}

absl::Status BookSink::Write(absl::string_view text) {
  if (dir_.empty()) {
    out_->Write(text);
    return absl::OkStatus();
  }
  file_.write(text.data(), static_cast<std::streamsize>(text.size()));
  return file_ ? absl::OkStatus() : CannotWrite(path_, std::strerror(errno));
}

absl::Status BookSink::CloseFile() {
  file_.close();
  return file_ ? absl::OkStatus() : CannotWrite(path_, std::strerror(errno));
}

}  // namespace qmarket
