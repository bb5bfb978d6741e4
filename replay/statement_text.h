// Writing and reading the text of a statement, piece by piece. Private to statement*.cc.
#ifndef QMARKET_REPLAY_STATEMENT_TEXT_H_
#define QMARKET_REPLAY_STATEMENT_TEXT_H_

#include "absl/strings/string_view.h"

namespace qmarket {

// Whether it is printable ASCII that a JSON string has as it is.
[[nodiscard]] bool IsPlainText(absl::string_view text);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_STATEMENT_TEXT_H_
