#include "tests/scenarios/expectation_words.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include "tests/matcher/values.h"

namespace qmarket {

namespace {

const Schema* FindSchema(absl::string_view name) {
  for (const auto schemas : {StateSchemas(), OutcomeSchemas()}) {
    const auto found = std::ranges::find(schemas, name, &Schema::name);
    if (found != schemas.end()) return &*found;
  }
  return name == ChangedSchema().name ? &ChangedSchema() : nullptr;
}

std::string SchemaNames() {
  std::vector<std::string> names;
  for (const auto schemas : {StateSchemas(), OutcomeSchemas()}) {
    for (const Schema& schema : schemas)
      names.push_back(schema.name);
  }
  names.push_back(ChangedSchema().name);
  return absl::StrJoin(names, ", ");
}

std::string ColumnNames(const Schema& schema) {
  return absl::StrJoin(schema.columns, ", ",
                       [](std::string* out, const Column& column) { out->append(column.name); });
}

template <typename T, typename Format>
std::optional<std::string> Formatted(const std::optional<T>& value, Format format) {
  return value ? std::optional<std::string>(format(*value)) : std::nullopt;
}

// The value in the one form that texts are compared in.
std::optional<std::string> Canonical(Form form, const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "none") return text;
  switch (form) {
    case Form::kWord:
      return text;
    case Form::kCount:
      return Formatted(ParseInteger(text), [](std::int64_t v) { return absl::StrCat(v); });
    case Form::kAmount:
      return Formatted(ParseMicros(text), FormatMicros);
    case Form::kClock:
      return Formatted(ParseClock(text), FormatClock);
    case Form::kDuration:
      return Formatted(ParseDuration(text), FormatDuration);
  }
  return std::nullopt;
}

absl::string_view FormName(Form form) {
  switch (form) {
    case Form::kWord:
      return "a word";
    case Form::kCount:
      return "a whole number";
    case Form::kAmount:
      return "credits with up to six decimals, or none";
    case Form::kClock:
      return "a time like 00:05";
    case Form::kDuration:
      return "a duration like 5m";
  }
  return "";
}

void ReadValue(Words& words, std::size_t index, Expectation& expectation) {
  const Column& column = expectation.schema->columns[index];
  const auto value = Canonical(column.form, words.Peek());
  if (!value) {
    words.Fail(absl::StrCat(column.name, ", ", FormName(column.form)));
    return;
  }
  words.Skip();
  expectation.values.push_back({.column = index, .value = *value});
}

// Keys, then pairs of a column and its value. The name of the first column after the keys may be
// left out.
void ReadPairs(Words& words, Expectation& expectation) {
  const Schema& schema = *expectation.schema;
  for (std::size_t k = 0; k < schema.keys; ++k) {
    if (words.AtEnd() && expectation.nothing) return;
    expectation.keys.push_back(words.Word(absl::StrCat("a ", schema.columns[k].name)));
  }
  for (bool first = true; !words.AtEnd(); first = false) {
    const auto named = std::ranges::find(schema.columns, words.Peek(), &Column::name);
    if (named != schema.columns.end()) {
      words.Skip();
      ReadValue(words, static_cast<std::size_t>(named - schema.columns.begin()), expectation);
    } else if (first) {
      ReadValue(words, schema.keys, expectation);
    } else {
      words.Fail(absl::StrCat("one of ", ColumnNames(schema)));
    }
  }
}

}  // namespace

ExpectLine ReadExpectLine(Words& words) {
  ExpectLine line;
  line.expectation.nothing = words.Accept("nothing");
  line.expectation.schema = FindSchema(words.Peek());
  if (line.expectation.schema == nullptr) {
    words.Fail(absl::StrCat("one of ", SchemaNames()));
    return line;
  }
  words.Skip();
  // "expect late" alone says enough.
  if (words.AtEnd() && !line.expectation.nothing && line.expectation.schema->name != "late") {
    line.head = true;
    return line;
  }
  ReadPairs(words, line.expectation);
  return line;
}

absl::StatusOr<std::vector<Expectation>> TableReader::Read(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  absl::ConsumePrefix(&line, "|");
  absl::ConsumeSuffix(&line, "|");
  std::vector<std::string> cells;
  for (const absl::string_view cell : absl::StrSplit(line, '|'))
    cells.emplace_back(absl::StripAsciiWhitespace(cell));
  std::vector<Expectation> expectations;
  if (columns_.empty()) {
    absl::Status status = ReadHead(cells);
    if (!status.ok()) return status;
    return expectations;
  }
  has_rows_ = true;
  absl::StatusOr<Expectation> row = ReadRow(cells);
  if (!row.ok()) return row.status();
  expectations.push_back(*std::move(row));
  return expectations;
}

absl::Status TableReader::ReadHead(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto found = std::ranges::find(schema_.columns, cells[i], &Column::name);
    const auto column = static_cast<std::size_t>(found - schema_.columns.begin());
    if (found == schema_.columns.end() || (i < schema_.keys && column != i)) {
      return absl::InvalidArgumentError(absl::StrCat("expected columns of ", ColumnNames(schema_),
                                                     ", the first ", schema_.keys,
                                                     " of them always, found \"", cells[i], "\""));
    }
    columns_.push_back(column);
  }
  if (columns_.size() > schema_.keys) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected more columns of ", ColumnNames(schema_), ", found only the keys"));
}

absl::StatusOr<Expectation> TableReader::ReadRow(const std::vector<std::string>& cells) {
  if (cells.size() != columns_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", columns_.size(), " cells, found ", cells.size()));
  }
  Expectation expectation;
  expectation.schema = &schema_;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = schema_.columns[columns_[i]];
    if (i < schema_.keys) {
      expectation.keys.push_back(cells[i]);
      continue;
    }
    if (cells[i].empty()) continue;
    const auto value = Canonical(column.form, cells[i]);
    if (!value) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected ", column.name, ", ", FormName(column.form), ", found \"", cells[i], "\""));
    }
    expectation.values.push_back({.column = columns_[i], .value = *value});
  }
  return expectation;
}

}  // namespace qmarket
