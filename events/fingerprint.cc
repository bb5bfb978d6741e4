#include "events/fingerprint.h"

#include <openssl/evp.h>

#include <algorithm>

#include "absl/strings/escaping.h"

#include "events/check.h"

namespace qmarket {
namespace {

// A hash ready to start. Looking the algorithm up costs more than hashing a small message, so each
// thread does it once.
class Hasher {
 public:
  Hasher() : algorithm_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
    QM_CHECK(algorithm_ != nullptr && context_ != nullptr, "SHA-256 is not available");
  }

  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  ~Hasher() {
    EVP_MD_CTX_free(context_);
    EVP_MD_free(algorithm_);
  }

  Digest Hash(absl::Span<const absl::string_view> parts) {
    QM_CHECK(EVP_DigestInit_ex2(context_, algorithm_, nullptr) == 1, "SHA-256 does not start");
    for (const absl::string_view part : parts) {
      QM_CHECK(EVP_DigestUpdate(context_, part.data(), part.size()) == 1, "SHA-256 fails");
    }
    Digest digest;
    QM_CHECK(EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1, "SHA-256 does not end");
    return digest;
  }

 private:
  EVP_MD* algorithm_;
  EVP_MD_CTX* context_;
};

}  // namespace

Digest Sha256(absl::Span<const absl::string_view> parts) {
  thread_local Hasher hasher;
  return hasher.Hash(parts);
}

Fingerprint FrontOf(const Digest& digest) {
  Fingerprint front;
  std::copy_n(digest.begin(), front.size(), front.begin());
  return front;
}

Fingerprint FingerprintOf(absl::string_view bytes) {
  return FrontOf(Sha256({bytes}));
}

std::string ToHex(absl::Span<const std::uint8_t> bytes) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace qmarket
