// Statements from anyone: no bytes crash the reader, and what it takes has one form. A signature
// that holds for bytes other than those of the seeds would be a find, too: nobody has the key.
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/check.h"
#include "replay/signature.h"
#include "replay/statement.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<qmarket::SealedStatement> sealed = qmarket::ReadStatement(text);
  if (sealed.ok()) {
    QM_CHECK(qmarket::StatementText(*sealed) == text, "a statement has a second form");
    QM_CHECK(!qmarket::IsSealed(*sealed) || sealed->statement.market == "seed",
             "a signature holds for other bytes");
  } else {
    QM_CHECK(!sealed.status().message().empty(), "a bad statement gets no message");
  }
  const absl::StatusOr<qmarket::PublicKey> key = qmarket::PublicKeyFromPem(text);
  QM_CHECK(!key.ok() || qmarket::PublicKeyFromText(qmarket::PublicKeyText(*key)).ok(),
           "a public key has no text");
  const absl::StatusOr<qmarket::SigningKey> secret = qmarket::SigningKey::FromPem(text);
  QM_CHECK(secret.ok() || !secret.status().message().empty(), "a bad key gets no message");
  return 0;
}
