// The answer of `qmarket explain`, and how it is told.
//
// What the market says comes from replay/explain.h; beside it stands what the log and the store
// know of the bid's past.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_EXPLAIN_ANSWER_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_EXPLAIN_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "connectors/cli/output.h"
#include "replay/explanation.h"

namespace qmarket {

// An event of the bid's.
struct BidEvent {
  std::uint64_t offset = 0;
  std::int64_t time_ms = 0;  // as it claims; effective where it is past
  std::string reason{};      // of a withdrawal
};

struct ExplainAnswer {
  std::optional<std::uint64_t> offset;  // the moment asked about
  std::optional<std::int64_t> time_ms;
  Explanation explanation;
  std::optional<Loss> last_loss;      // of chips, at the moment or before it
  std::optional<BidEvent> placed;     // where it is placed after the moment
  std::optional<BidEvent> withdrawn;  // where it has ended
};

// What is the case and why, in a few plain sentences.
[[nodiscard]] std::vector<std::string> Sentences(const ExplainAnswer& answer);

// For people; one JSON document; and a value a record (part, name, field, value).
void PrintExplainPage(const ExplainAnswer& answer, Output& out);
void PrintExplainJson(const ExplainAnswer& answer, Output& out);
void PrintExplainCsv(const ExplainAnswer& answer, Output& out);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_EXPLAIN_ANSWER_H_
