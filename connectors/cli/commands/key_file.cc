#include "connectors/cli/commands/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/input.h"

namespace qmarket {
namespace {

absl::Status WithPath(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<std::string> ReadAll(const std::string& path) {
  absl::StatusOr<InputFile> input = InputFile::Open(path);
  if (!input.ok()) return input.status();
  return input->ReadAll();
}

absl::Status CheckSecret(const std::string& path) {
  struct stat info {};

  // What cannot be looked at is reported by whoever reads it.
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return absl::OkStatus();
  if ((info.st_mode & S_IRWXO) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        path,
        ": any user can read or change this private key; expected one that is its owner's "
        "alone: make a new one, or `chmod 600` it if nobody has read it"));
  }
  if ((info.st_mode & S_IRWXG) != 0) {
    std::cerr << absl::StrCat("qmarket: ", path, ": its group can read this private key\n");
  }
  return absl::OkStatus();
}

bool WriteAll(int descriptor, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0;
}

}  // namespace

absl::StatusOr<SigningKey> MakeKeyFile(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) {
    const int error = errno;
    if (error == EEXIST) {
      return absl::AlreadyExistsError(
          absl::StrCat(path, ": there is a file already, which is left as it is"));
    }
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": cannot make the file: ", std::strerror(error)));
  }
  SigningKey key = SigningKey::Make();
  const bool written = WriteAll(descriptor, key.ToPem());
  const int error = errno;
  const bool closed = ::close(descriptor) == 0;
  if (written && closed) return key;
  ::unlink(path.c_str());
  return absl::ResourceExhaustedError(
      absl::StrCat(path, ": cannot write the file: ", std::strerror(written ? errno : error)));
}

absl::StatusOr<SigningKey> ReadKeyFile(const std::string& path) {
  if (absl::Status secret = CheckSecret(path); !secret.ok()) return secret;
  const absl::StatusOr<std::string> pem = ReadAll(path);
  if (!pem.ok()) return pem.status();
  absl::StatusOr<SigningKey> key = SigningKey::FromPem(*pem);
  if (!key.ok()) return WithPath(path, key.status());
  return key;
}

absl::StatusOr<PublicKey> ReadPublicKeyFile(const std::string& path) {
  const absl::StatusOr<std::string> pem = ReadAll(path);
  if (!pem.ok()) return pem.status();
  absl::StatusOr<PublicKey> key = PublicKeyFromPem(*pem);
  if (!key.ok()) return WithPath(path, key.status());
  return key;
}

}  // namespace qmarket
