#include "connectors/cli/records.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "connectors/cli/table.h"
#include "connectors/cli/text.h"
#include "events/check.h"
#include "events/units.h"

namespace qmarket {
namespace {

// 1234 tenths are "123.4".
std::string TenthsText(Int128 tenths) {
  return absl::StrCat(CountText(tenths / 10), ".", ToString(tenths % 10));
}

std::string ForPeople(const Cell& cell, Kind kind) {
  if (const auto* text = std::get_if<std::string>(&cell)) return text->empty() ? kNoValue : *text;
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
  const auto* number = std::get_if<Int128>(&cell);
  if (number == nullptr) return kNoValue;
  switch (kind) {
    case Kind::kText:
    case Kind::kDecimal:
    case Kind::kOffset:
      return ToString(*number);
    case Kind::kCount:
      return CountText(*number);
    case Kind::kMicros:
      return CreditsNumber(*number);
    case Kind::kTimeMs:
      return TimeText(static_cast<std::int64_t>(*number));
    case Kind::kHours:
      return TenthsText(*number / (kMsPerHour / 10));
    case Kind::kPpm:
      return TenthsText(*number / 1'000);
  }
  return kNoValue;
}

Align AlignOf(Kind kind) {
  if (kind == Kind::kMicros || kind == Kind::kDecimal) return Align::kDecimal;
  return kind == Kind::kText || kind == Kind::kTimeMs ? Align::kLeft : Align::kRight;
}

std::string ForPrograms(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<Int128>(&cell)) return ToString(*number);
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "true" : "false";
  return "";
}

std::string CsvLine(const std::vector<std::string>& cells) {
  const auto append = [](std::string* line, const std::string& cell) { *line += CsvField(cell); };
  return absl::StrCat(absl::StrJoin(cells, ",", append), "\n");
}

}  // namespace

RecordPrinter::RecordPrinter(Output& out, Format format, std::string list,
                             std::vector<RecordField> fields)
    : out_(out), format_(format), list_(std::move(list)), fields_(std::move(fields)) {
  if (format_ == Format::kJson) json_.BeginObject();
}

void RecordPrinter::Moment(std::optional<std::uint64_t> offset,
                           std::optional<std::int64_t> time_ms) {
  QM_CHECK(!begun_, "the moment of records comes before them");
  if (format_ == Format::kJson) json_.Field("offset", offset).Field("time_ms", time_ms);
  if (format_ == Format::kTable && offset.has_value()) {
    out_.Write(absl::StrCat("After offset ", *offset,
                            time_ms.has_value() ? ", " + TimeText(*time_ms) : "", "\n\n"));
  }
}

void RecordPrinter::BeginList() {
  if (std::exchange(begun_, true)) return;
  if (format_ == Format::kJson) json_.Key(list_).BeginArray();
  if (format_ == Format::kCsv) {
    std::vector<std::string> keys;
    for (const RecordField& field : fields_)
      keys.push_back(field.key);
    out_.Write(CsvLine(keys));
  }
}

bool RecordPrinter::Add(std::vector<Cell> cells) {
  QM_CHECK(cells.size() == fields_.size(), "a record has too few or too many fields");
  BeginList();
  ++records_;
  switch (format_) {
    case Format::kJson:
      WriteJson(cells);
      break;
    case Format::kCsv:
      WriteCsv(cells);
      break;
    case Format::kTable:
      rows_.push_back(std::move(cells));
      if (rows_.size() > kMostTableRows) rows_.pop_front();
      break;
  }
  return out_.ok();
}

void RecordPrinter::WriteJson(const std::vector<Cell>& cells) {
  json_.BeginObject();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    json_.Key(fields_[i].key);
    if (const auto* text = std::get_if<std::string>(&cells[i])) {
      json_.Value(*text);
    } else if (const auto* number = std::get_if<Int128>(&cells[i])) {
      json_.Value(*number);
    } else if (const auto* flag = std::get_if<bool>(&cells[i])) {
      json_.Value(*flag);
    } else {
      json_.Null();
    }
  }
  json_.EndObject();
  out_.Write(json_.Take());
}

void RecordPrinter::WriteCsv(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  texts.reserve(cells.size());
  for (const Cell& cell : cells)
    texts.push_back(ForPrograms(cell));
  out_.Write(CsvLine(texts));
}

void RecordPrinter::WriteTable(const std::string& none) {
  if (rows_.empty()) {
    out_.Write(none + "\n");
    return;
  }
  std::vector<Column> columns;
  for (const RecordField& field : fields_) {
    if (!field.detail) columns.push_back({field.title, AlignOf(field.kind)});
  }
  Table table(std::move(columns));
  for (const std::vector<Cell>& row : rows_) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!fields_[i].detail) texts.push_back(ForPeople(row[i], fields_[i].kind));
    }
    table.AddRow(std::move(texts));
  }
  table.Print(out_);
  if (records_ > rows_.size()) {
    out_.Write(absl::StrCat("The last ", CountText(Int128{rows_.size()}), " of ",
                            CountText(Int128{records_}), "; --format json or csv has them all.\n"));
  }
}

void RecordPrinter::Finish(const std::string& none) {
  BeginList();
  if (format_ == Format::kTable) WriteTable(none);
  if (format_ == Format::kJson) out_.Write(json_.EndArray().EndObject().Take());
}

}  // namespace qmarket
