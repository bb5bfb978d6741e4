// A line of a scenario, read word by word.
//
// The first thing that is not as expected is kept; after it every call does nothing and gives a
// default, so that a reader asks once, at the end, whether all went well.
#ifndef QMARKET_TESTS_SCENARIOS_WORDS_H_
#define QMARKET_TESTS_SCENARIOS_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace qmarket {

class Words {
 public:
  // Words are separated by blanks. What follows a # is a comment.
  explicit Words(absl::string_view line);

  [[nodiscard]] bool AtEnd() const { return !problem_.empty() || next_ == words_.size(); }

  // The next word, not taken; "" at the end.
  [[nodiscard]] const std::string& Peek() const;

  // Takes the next word, whatever it is.
  void Skip();

  // Takes the next words if they are these.
  bool Accept(absl::string_view phrase);

  // Takes them; they must be next.
  void Require(absl::string_view phrase);

  // Takes a word. `what` says in messages what was expected: "a team".
  std::string Word(absl::string_view what);

  std::int64_t Integer(absl::string_view what);
  std::uint32_t Count(absl::string_view what);
  std::int64_t Micros(absl::string_view what);         // 4.475
  std::int64_t MicrosPerHour(absl::string_view what);  // 60/h
  std::uint32_t Percent(absl::string_view what);       // 25%
  std::int64_t Duration(absl::string_view what);       // 30m
  std::int64_t Clock(absl::string_view what);          // 00:05:30

  // The rest of the line must be empty; `expected` says what might have followed.
  void RequireEnd(absl::string_view expected);

  // Notes that at the next word something else was expected.
  void Fail(absl::string_view expected);

  // "expected a team, found "x""; "" where all went well.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  std::string problem_;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_SCENARIOS_WORDS_H_
