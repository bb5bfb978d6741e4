// A statement of account: what a market's books say as of an offset, to be signed and handed on.
//
//   absl::StatusOr<Statement> statement = MakeStatement(store, "main", offset);
//   std::string body = StatementBody(*statement);
//   std::string text = StatementText({*statement, Seal{key.public_key(), key.Sign(body)}});
//   ...
//   absl::StatusOr<SealedStatement> read = ReadStatement(text);
//   bool whole = IsSealed(*read);
//   absl::StatusOr<std::optional<std::string>> difference = CompareWithBooks(*read, store, "main");
//
// There is one way to write a statement: the same books give the same bytes at any time, and a
// reader takes nothing else. The form is described in docs/statement.md; change the two together
// and raise the version. Values; use the functions from any thread.
#ifndef QMARKET_REPLAY_STATEMENT_H_
#define QMARKET_REPLAY_STATEMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/fingerprint.h"
#include "events/int128.h"
#include "ledger/store/store.h"
#include "replay/signature.h"

namespace qmarket {

inline constexpr std::uint64_t kStatementVersion = 1;

// The currency that is no pool's.
inline constexpr char kStatedReference[] = "(reference)";

struct StatedBalance {
  std::string account;
  Int128 balance_micros = 0;
  std::string currency;  // a pool, or kStatedReference

  friend bool operator==(const StatedBalance&, const StatedBalance&) = default;
};

struct Statement {
  std::string market;
  std::string log;  // its identity
  std::uint64_t rules_version = 0;
  std::uint64_t offset = 0;
  std::optional<std::int64_t> effective_time_ms;  // of the last event that took effect by then
  Digest digest{};                                // of the chain of outcomes after the offset
  std::vector<StatedBalance> balances;  // of all accounts that had a posting by then, by name

  friend bool operator==(const Statement&, const Statement&) = default;
};

// Who vouches for it.
struct Seal {
  PublicKey public_key{};
  Signature signature{};

  friend bool operator==(const Seal&, const Seal&) = default;
};

struct SealedStatement {
  Statement statement;
  std::optional<Seal> seal;

  friend bool operator==(const SealedStatement&, const SealedStatement&) = default;
};

// As of an offset that the store has applied. Errors: those of the store; InvalidArgument where a
// name has characters that a statement has no form for.
[[nodiscard]] absl::StatusOr<Statement> MakeStatement(const LedgerStore& store,
                                                      const std::string& market,
                                                      std::uint64_t offset);

// The bytes that are signed.
[[nodiscard]] std::string StatementBody(const Statement& statement);

// The document: the body, the key and the signature. One line.
[[nodiscard]] std::string StatementText(const SealedStatement& sealed);

// Errors: InvalidArgument, with the byte at which the text is not what StatementText gives for any
// statement, and what was expected there.
[[nodiscard]] absl::StatusOr<SealedStatement> ReadStatement(absl::string_view text);

// Whether it has a seal, and the seal is that of its body. That says nothing of whose key it is.
[[nodiscard]] bool IsSealed(const SealedStatement& sealed);

// The first thing in which the store's books of a market say something else. Computes digest and
// balances anew from the first offset on. Errors: those of the store.
[[nodiscard]] absl::StatusOr<std::optional<std::string>> CompareWithBooks(
    const Statement& statement, const LedgerStore& store, const std::string& market);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_STATEMENT_H_
