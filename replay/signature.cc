#include "replay/signature.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "events/check.h"

namespace qmarket {
namespace {

constexpr char kKind[] = "ED25519";
constexpr std::size_t kMostPemBytes = 65'536;

// The DER of a SubjectPublicKeyInfo is these bytes and the key (RFC 8410).
constexpr std::array<std::uint8_t, 12> kPublicKeyHead = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                                         0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
};

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

using KeyHandle = std::unique_ptr<EVP_PKEY, FreeKey>;
using BioHandle = std::unique_ptr<BIO, FreeBio>;
using ContextHandle = std::unique_ptr<EVP_MD_CTX, FreeContext>;

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

absl::string_view View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// A key that is encrypted is not asked about on the terminal: it has no passphrase here.
int NoPassphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) {
  return -1;
}

using ReadPem = EVP_PKEY* (*)(BIO*, EVP_PKEY**, pem_password_cb*, void*);

// Of what is not the key that it should be.
absl::string_view WhatItIs(absl::string_view pem, bool expect_public) {
  if (expect_public && absl::StrContains(pem, "PRIVATE KEY-----")) {
    return "this is a private key, which stays with who signs";
  }
  if (!expect_public && absl::StrContains(pem, "BEGIN PUBLIC KEY-----")) {
    return "this is a public key";
  }
  return absl::StrContains(pem, "ENCRYPTED") ? "the key is encrypted" : "no such key";
}

absl::StatusOr<KeyHandle> ReadKey(absl::string_view pem, ReadPem read, absl::string_view expected) {
  if (pem.size() > kMostPemBytes) {
    return absl::InvalidArgumentError(absl::StrCat("too long for a key; expected ", expected));
  }
  if (pem.empty()) {  // OpenSSL takes no empty memory
    return absl::InvalidArgumentError(absl::StrCat("no such key; expected ", expected));
  }
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  QM_CHECK(bio != nullptr, "no memory for a key");
  KeyHandle key(read(bio.get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(WhatItIs(pem, read == PEM_read_bio_PUBKEY), "; expected ", expected));
  }
  if (EVP_PKEY_is_a(key.get(), kKind) != 1) {
    const char* kind = EVP_PKEY_get0_type_name(key.get());
    return absl::InvalidArgumentError(absl::StrCat(
        "the key is of the kind ", kind == nullptr ? "unknown" : kind, "; expected ", expected));
  }
  return key;
}

std::string TextOf(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return std::string(text, static_cast<std::size_t>(size));
}

PublicKey PublicBytes(EVP_PKEY* key) {
  PublicKey bytes{};
  std::size_t size = bytes.size();
  QM_CHECK(EVP_PKEY_get_raw_public_key(key, bytes.data(), &size) == 1 && size == bytes.size(),
           "a key has no public part");
  return bytes;
}

// The bytes of base64 text in the one way of writing them.
absl::StatusOr<std::string> Unescaped(absl::string_view text, absl::string_view what) {
  std::string bytes;
  if (!absl::Base64Unescape(text, &bytes) || absl::Base64Escape(bytes) != text) {
    return absl::InvalidArgumentError(absl::StrCat("no ", what, " in base64"));
  }
  return bytes;
}

}  // namespace

class SigningKey::Impl {
 public:
  explicit Impl(KeyHandle handle) : key(std::move(handle)) {}

  KeyHandle key;
};

SigningKey::SigningKey(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

SigningKey::SigningKey(SigningKey&&) noexcept = default;
SigningKey& SigningKey::operator=(SigningKey&&) noexcept = default;
SigningKey::~SigningKey() = default;

SigningKey SigningKey::Make() {
  KeyHandle key(EVP_PKEY_Q_keygen(nullptr, nullptr, kKind));
  QM_CHECK(key != nullptr, "no key can be made: the system has no random numbers");
  return SigningKey(std::make_unique<Impl>(std::move(key)));
}

absl::StatusOr<SigningKey> SigningKey::FromPem(absl::string_view pem) {
  absl::StatusOr<KeyHandle> key =
      ReadKey(pem, PEM_read_bio_PrivateKey,
              "a private Ed25519 key in PEM, as `openssl genpkey -algorithm ed25519` makes it");
  if (!key.ok()) return key.status();
  return SigningKey(std::make_unique<Impl>(*std::move(key)));
}

std::string SigningKey::ToPem() const {
  const BioHandle bio(BIO_new(BIO_s_secmem()));
  QM_CHECK(bio != nullptr && PEM_write_bio_PKCS8PrivateKey(bio.get(), impl_->key.get(), nullptr,
                                                           nullptr, 0, nullptr, nullptr) == 1,
           "a private key cannot be written");
  return TextOf(bio.get());
}

PublicKey SigningKey::public_key() const {
  return PublicBytes(impl_->key.get());
}

Signature SigningKey::Sign(absl::string_view bytes) const {
  const ContextHandle context(EVP_MD_CTX_new());
  Signature signature{};
  std::size_t size = signature.size();
  QM_CHECK(context != nullptr &&
               EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, impl_->key.get()) == 1,
           "signing does not start");
  QM_CHECK(EVP_DigestSign(context.get(), signature.data(), &size, Bytes(bytes), bytes.size()) == 1,
           "signing fails");
  QM_CHECK(size == signature.size(), "a signature has another length");
  return signature;
}

std::string PublicKeyText(const PublicKey& key) {
  std::string der(View(kPublicKeyHead.data(), kPublicKeyHead.size()));
  absl::StrAppend(&der, View(key.data(), key.size()));
  return absl::Base64Escape(der);
}

std::string PublicKeyToPem(const PublicKey& key) {
  return absl::StrCat("-----BEGIN PUBLIC KEY-----\n", PublicKeyText(key),
                      "\n-----END PUBLIC KEY-----\n");
}

absl::StatusOr<PublicKey> PublicKeyFromPem(absl::string_view pem) {
  const absl::StatusOr<KeyHandle> key =
      ReadKey(pem, PEM_read_bio_PUBKEY,
              "a public Ed25519 key in PEM, as `openssl pkey -in KEY -pubout` gives it");
  if (!key.ok()) return key.status();
  return PublicBytes(key->get());
}

absl::StatusOr<PublicKey> PublicKeyFromText(absl::string_view text) {
  const absl::StatusOr<std::string> der = Unescaped(text, "public key");
  if (!der.ok()) return der.status();
  PublicKey key{};
  const absl::string_view head = View(kPublicKeyHead.data(), kPublicKeyHead.size());
  if (der->size() != head.size() + key.size() || !absl::StartsWith(*der, head)) {
    return absl::InvalidArgumentError("no public Ed25519 key");
  }
  std::copy_n(Bytes(*der) + head.size(), key.size(), key.begin());
  return key;
}

std::string SignatureText(const Signature& signature) {
  return absl::Base64Escape(View(signature.data(), signature.size()));
}

absl::StatusOr<Signature> SignatureFromText(absl::string_view text) {
  const absl::StatusOr<std::string> bytes = Unescaped(text, "signature");
  if (!bytes.ok()) return bytes.status();
  Signature signature{};
  if (bytes->size() != signature.size()) {
    return absl::InvalidArgumentError("no signature of 64 bytes");
  }
  std::copy_n(Bytes(*bytes), signature.size(), signature.begin());
  return signature;
}

bool IsSignatureOf(const PublicKey& key, absl::string_view bytes, const Signature& signature) {
  const KeyHandle handle(
      EVP_PKEY_new_raw_public_key_ex(nullptr, kKind, nullptr, key.data(), key.size()));
  const ContextHandle context(EVP_MD_CTX_new());
  if (handle == nullptr || context == nullptr) return false;
  if (EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, handle.get()) != 1) {
    return false;
  }
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), Bytes(bytes),
                          bytes.size()) == 1;
}

}  // namespace qmarket
