// Always-on checks of invariants.
//
// A broken invariant is a bug of ours, never bad input: the process stops at once, in release
// builds too, and says what was violated. Bad input is reported with absl::Status or a rejection
// instead.
//
//   QM_CHECK(balance >= 0, "a team's balance went below zero");
#ifndef QMARKET_EVENTS_CHECK_H_
#define QMARKET_EVENTS_CHECK_H_

namespace qmarket {

// Prints the violated condition to stderr and aborts. Never returns.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const char* message);

}  // namespace qmarket

#define QM_CHECK(condition, message)                                     \
  do {                                                                   \
    if (!(condition)) [[unlikely]] {                                     \
      ::qmarket::CheckFailed(__FILE__, __LINE__, #condition, (message)); \
    }                                                                    \
  } while (false)

#endif  // QMARKET_EVENTS_CHECK_H_
