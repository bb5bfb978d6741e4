#include <algorithm>
#include <ios>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include "events/event_json.h"

namespace qmarket {
namespace {

constexpr std::size_t kFirstBufferBytes = 4096;

bool IsBlank(absl::string_view line) {
  return line.find_first_not_of(" \t\r") == absl::string_view::npos;
}

}  // namespace

EventLineReader::EventLineReader(std::istream& stream, absl::string_view name)
    : stream_(stream), name_(name), buffer_(kFirstBufferBytes, '\0') {}

absl::StatusOr<std::optional<Event>> EventLineReader::Next() {
  while (true) {
    const LineKind kind = ReadLine();
    if (kind == LineKind::kEnd) return std::nullopt;
    ++line_;
    if (kind == LineKind::kFailed) {
      return absl::DataLossError(absl::StrCat(name_, ":", line_, ": cannot be read"));
    }
    if (kind == LineKind::kTooLong) {
      return absl::InvalidArgumentError(absl::StrCat(name_, ":", line_,
                                                     ": the line is too long, expected at most ",
                                                     kMaxJsonLineBytes, " bytes"));
    }
    const absl::string_view text(buffer_.data(), length_);
    if (IsBlank(text)) continue;
    absl::StatusOr<Event> event = ParseEvent(text);
    if (event.ok()) return std::optional<Event>(*std::move(event));
    return absl::Status(event.status().code(),
                        absl::StrCat(name_, ":", line_, ": ", event.status().message()));
  }
}

EventLineReader::LineKind EventLineReader::ReadLine() {
  length_ = 0;
  if (stream_.eof()) return LineKind::kEnd;
  if (stream_.fail()) return LineKind::kFailed;
  while (true) {
    stream_.getline(buffer_.data() + length_,
                    static_cast<std::streamsize>(buffer_.size() - length_));
    length_ += static_cast<std::size_t>(stream_.gcount());
    if (stream_.bad()) return LineKind::kFailed;
    // The last line, without a newline; or nothing.
    if (stream_.eof()) return length_ == 0 ? LineKind::kEnd : LineKind::kLine;
    if (!stream_.fail()) break;
    // The buffer is full, but for the zero that getline puts at the end.
    stream_.clear(stream_.rdstate() & ~std::ios::failbit);
    if (buffer_.size() > kMaxJsonLineBytes) {
      // The rest of the line is skipped, so that the next one can be read.
      stream_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      return LineKind::kTooLong;
    }
    buffer_.resize(std::min(2 * buffer_.size(), kMaxJsonLineBytes + 1));
  }
  --length_;  // gcount counts the newline
  return LineKind::kLine;
}

}  // namespace qmarket
