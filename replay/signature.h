// Ed25519 signatures (RFC 8032, the plain form), and their keys as the usual PEM files.
//
//   absl::StatusOr<SigningKey> key = SigningKey::FromPem(pem);   // openssl genpkey -algorithm
//   ed25519 Signature signature = key->Sign(bytes); bool good = IsSignatureOf(key->public_key(),
//   bytes, signature);
//
// The same key and bytes always give the same signature. All that is of OpenSSL is in the .cc file.
// Use from any thread.
#ifndef QMARKET_REPLAY_SIGNATURE_H_
#define QMARKET_REPLAY_SIGNATURE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace qmarket {

using PublicKey = std::array<std::uint8_t, 32>;
using Signature = std::array<std::uint8_t, 64>;

class SigningKey {
 public:
  // A new key from the system's random numbers.
  [[nodiscard]] static SigningKey Make();

  // InvalidArgument where the text is no private key in PEM, is encrypted, or is of another kind.
  [[nodiscard]] static absl::StatusOr<SigningKey> FromPem(absl::string_view pem);

  SigningKey(SigningKey&&) noexcept;
  SigningKey& operator=(SigningKey&&) noexcept;
  SigningKey(const SigningKey&) = delete;
  SigningKey& operator=(const SigningKey&) = delete;
  ~SigningKey();

  // PKCS #8, not encrypted. Whoever has it can sign.
  [[nodiscard]] std::string ToPem() const;

  [[nodiscard]] PublicKey public_key() const;

  [[nodiscard]] Signature Sign(absl::string_view bytes) const;

 private:
  class Impl;

  explicit SigningKey(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// A public key in PEM (SubjectPublicKeyInfo), and its one line of base64 between the two of words.
[[nodiscard]] std::string PublicKeyToPem(const PublicKey& key);
[[nodiscard]] std::string PublicKeyText(const PublicKey& key);

// InvalidArgument where it is no public key in PEM, or one of another kind.
[[nodiscard]] absl::StatusOr<PublicKey> PublicKeyFromPem(absl::string_view pem);
// InvalidArgument where it is not exactly what PublicKeyText gives for some key.
[[nodiscard]] absl::StatusOr<PublicKey> PublicKeyFromText(absl::string_view text);

// Base64 of the 64 bytes.
[[nodiscard]] std::string SignatureText(const Signature& signature);
// InvalidArgument where it is not exactly what SignatureText gives for some signature.
[[nodiscard]] absl::StatusOr<Signature> SignatureFromText(absl::string_view text);

[[nodiscard]] bool IsSignatureOf(const PublicKey& key, absl::string_view bytes,
                                 const Signature& signature);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_SIGNATURE_H_
