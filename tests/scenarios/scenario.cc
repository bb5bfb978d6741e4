#include "tests/scenarios/scenario.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "events/event_json.h"
#include "events/field_rules.h"
#include "tests/matcher/values.h"
#include "tests/scenarios/event_words.h"
#include "tests/scenarios/expectation_words.h"
#include "tests/scenarios/words.h"

namespace qmarket {

namespace {

constexpr std::int64_t kMostTicks = 100'000;

Event EventOf(std::string id, std::int64_t time_ms, Payload payload) {
  Event event;
  event.event_id = std::move(id);
  event.time_ms = time_ms;
  event.payload = std::move(payload);
  return event;
}

class Reader {
 public:
  explicit Reader(absl::string_view name) { scenario_.name = std::string(name); }

  absl::StatusOr<Scenario> Read(absl::string_view text) {
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      ++line_;
      text_ = std::string(absl::StripAsciiWhitespace(line));
      const std::string problem = ReadLine();
      if (!problem.empty()) return Error(problem);
    }
    if (table_ && !table_->has_rows()) {
      return Error("expected the rows of a table, found the end of the file");
    }
    if (!expects_) return Error("expected at least one \"expect\" line, found none");
    return std::move(scenario_);
  }

 private:
  [[nodiscard]] absl::Status Error(absl::string_view problem) const {
    return absl::InvalidArgumentError(absl::StrCat(scenario_.name, ":", line_, ": ", problem));
  }

  // Returns what is wrong with it; "" where nothing is.
  std::string ReadLine() {
    const bool is_comment = absl::StartsWith(text_, "#");
    if (line_ == 1 && !is_comment) return "expected a comment that says what the scenario shows";
    if (!is_comment && absl::StrContains(text_, '|')) return ReadTableLine();
    if (table_ && !table_->has_rows()) return "expected the rows of a table, with | between cells";
    table_.reset();
    Words words(text_);
    if (words.AtEnd()) return "";
    if (words.Accept("expect")) return ReadExpectation(words);
    if (words.Accept("tick every")) return ReadTicks(words);
    return ReadHappening(words);
  }

  std::string ReadHappening(Words& words) {
    std::int64_t time = kDayStartMs;
    if (words.Accept("at")) {
      time = words.Clock("a time");
    } else if (!words.Accept("given")) {
      words.Fail("given, at, \"tick every\" or expect");
    }
    Happening happening{.line = line_, .text = text_, .arrivals = {}};
    Arrival arrival;
    std::string id = absl::StrCat("line-", line_);
    if (words.Accept("id")) id = words.Word("an event id");
    if (words.Accept("received")) arrival.append_time_ms = words.Clock("a time");
    if (words.Accept("unreadable bytes")) {
      arrival.event = Malformed{.event_id = "", .message = "these bytes are no event"};
    } else {
      arrival.event = EventOf(std::move(id), time, ReadPayload(words));
    }
    words.RequireEnd("the end of the line");
    latest_ = std::max(latest_, time);
    happening.arrivals.push_back(std::move(arrival));
    scenario_.steps.emplace_back(std::move(happening));
    return words.problem();
  }

  // Ticks at the whole multiples of a duration, after all that was before.
  std::string ReadTicks(Words& words) {
    const std::int64_t every = words.Duration("the time between two ticks");
    words.Require("until");
    const std::int64_t until = words.Clock("the time of the last tick");
    words.RequireEnd("the end of the line");
    if (!words.problem().empty()) return words.problem();
    if (every <= 0 || (until - latest_) / every > kMostTicks) return "expected fewer ticks";
    Happening happening{.line = line_, .text = text_, .arrivals = {}};
    std::int64_t since_start = (latest_ - kDayStartMs) / every * every + every;
    for (; kDayStartMs + since_start <= until; since_start += every) {
      Arrival tick;
      tick.event = EventOf(absl::StrCat("line-", line_, "-", happening.arrivals.size() + 1),
                           kDayStartMs + since_start, ClockTicked{});
      happening.arrivals.push_back(std::move(tick));
    }
    if (happening.arrivals.empty()) return "expected a time after the last event";
    latest_ = until;
    scenario_.steps.emplace_back(std::move(happening));
    return "";
  }

  std::string ReadExpectation(Words& words) {
    ExpectLine line = ReadExpectLine(words);
    if (!words.problem().empty()) return words.problem();
    if (line.head) {
      table_.emplace(*line.expectation.schema);
    } else {
      AddExpectation(std::move(line.expectation));
    }
    return "";
  }

  std::string ReadTableLine() {
    if (!table_) return "expected no row of a table here; write \"expect TABLE\" above it";
    absl::StatusOr<std::vector<Expectation>> rows = table_->Read(text_);
    if (!rows.ok()) return std::string(rows.status().message());
    for (Expectation& row : *rows)
      AddExpectation(std::move(row));
    return "";
  }

  void AddExpectation(Expectation expectation) {
    expectation.line = line_;
    expectation.text = text_;
    expects_ = true;
    scenario_.steps.emplace_back(std::move(expectation));
  }

  Scenario scenario_;
  int line_ = 0;
  std::string text_;
  std::int64_t latest_ = kDayStartMs;
  bool expects_ = false;
  std::optional<TableReader> table_;  // whose rows follow
};

}  // namespace

const Schema& ChangedSchema() {
  static const Schema& schema = *new Schema{.name = "changed",
                                            .keys = 2,
                                            .columns = {{.name = "table"},
                                                        {.name = "name"},
                                                        {.name = "column"},
                                                        {.name = "before"},
                                                        {.name = "after"}}};
  return schema;
}

absl::StatusOr<Scenario> ReadScenario(absl::string_view name, absl::string_view text) {
  return Reader(name).Read(text);
}

absl::StatusOr<std::string> EventsAsJson(const Scenario& scenario) {
  std::string lines;
  for (const auto& step : scenario.steps) {
    const Happening* happening = std::get_if<Happening>(&step);
    if (happening == nullptr) continue;
    for (const Arrival& arrival : happening->arrivals) {
      const Event* event = std::get_if<Event>(&arrival.event);
      if (event == nullptr || arrival.append_time_ms || CheckForm(*event) || CheckRanges(*event)) {
        return absl::FailedPreconditionError(
            absl::StrCat(scenario.name, ":", happening->line,
                         ": JSON Lines cannot say this event: ", happening->text));
      }
      absl::StrAppend(&lines, EventToJson(*event), "\n");
    }
  }
  return lines;
}

}  // namespace qmarket
