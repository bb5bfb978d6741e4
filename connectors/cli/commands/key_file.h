// Files with keys for signing, as `openssl genpkey -algorithm ed25519` makes them.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_KEY_FILE_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_KEY_FILE_H_

#include <string>

#include "absl/status/statusor.h"

#include "replay/signature.h"

namespace qmarket {

// Makes a key and writes it to a new file that its owner alone can read. Errors: AlreadyExists
// where there is a file; others where it cannot be written, and then there is none.
[[nodiscard]] absl::StatusOr<SigningKey> MakeKeyFile(const std::string& path);

// Errors name the path: those of InputFile::Open and SigningKey::FromPem; PermissionDenied where
// any user could have read the key. One that its group can read is named on stderr.
[[nodiscard]] absl::StatusOr<SigningKey> ReadKeyFile(const std::string& path);

// Errors name the path: those of InputFile::Open and PublicKeyFromPem.
[[nodiscard]] absl::StatusOr<PublicKey> ReadPublicKeyFile(const std::string& path);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_KEY_FILE_H_
