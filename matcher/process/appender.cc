#include "matcher/process/appender.h"

#include <httplib.h>
#include <sys/socket.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/embedded_log.h"
#include "events/event_log.h"
#include "matcher/process/append_protocol.h"
#include "matcher/process/data_dir.h"
#include "matcher/process/disk_space.h"
#include "matcher/process/socket_path.h"

namespace qmarket {
namespace {

constexpr absl::Duration kRetryPause = absl::Milliseconds(20);
constexpr std::time_t kAnswerSeconds = 60;

class LogAppender : public Appender {
 public:
  LogAppender(std::string data_dir, std::unique_ptr<EmbeddedLog> log)
      : data_dir_(std::move(data_dir)), log_(std::move(log)) {}

  absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> records) override {
    if (absl::Status status = CheckAppendSize(records); !status.ok()) return status;
    if (absl::Status status = CheckDiskSpace(data_dir_); !status.ok()) return status;
    return log_->Append(records, EventLog::Durability::kDurable);
  }

 private:
  std::string data_dir_;
  std::unique_ptr<EmbeddedLog> log_;
};

// One connection a call, so that a client that does nothing takes no place at the service.
class ServiceAppender : public Appender {
 public:
  ServiceAppender(std::string path, ShortSocketPath short_path, absl::Duration patience)
      : path_(std::move(path)),
        short_path_(std::move(short_path)),
        patience_(patience),
        client_(short_path_.get()) {
    client_.set_address_family(AF_UNIX);
    client_.set_read_timeout(kAnswerSeconds);
    client_.set_write_timeout(kAnswerSeconds);
  }

  // Whether somebody answers.
  bool Answers() {
    const httplib::Result result = client_.Get("/");
    return result && result->status == 200;
  }

  absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> records) override {
    if (absl::Status status = CheckAppendSize(records); !status.ok()) return status;
    const std::string body = PackRecords(records);
    const absl::Time deadline = absl::Now() + patience_;
    while (true) {
      const httplib::Result result = client_.Post(kAppendPath, body, kAppendType);
      if (result) {
        const absl::StatusOr<std::uint64_t> first = FirstOffset(*result);
        if (!first.ok()) return first.status();
        return AppendedRange{.first = *first, .end = *first + records.size()};
      }
      if (result.error() != httplib::Error::Connection) {
        return absl::UnavailableError(
            absl::StrCat("the matcher at ", path_, " ended without an answer (",
                         httplib::to_string(result.error()), "): the last ", records.size(),
                         " events may be in the log or not"));
      }
      // Nothing was sent: it has ended, or too many want to connect at once.
      if (absl::Now() >= deadline) {
        return absl::UnavailableError(absl::StrCat("the matcher at ", path_, " is gone"));
      }
      absl::SleepFor(kRetryPause);
    }
  }

 private:
  absl::StatusOr<std::uint64_t> FirstOffset(const httplib::Response& response) const {
    if (absl::Status status = StatusOfHttp(response.status, response.body); !status.ok()) {
      return status;
    }
    std::uint64_t first = 0;
    if (!absl::SimpleAtoi(response.body, &first)) {
      return absl::InternalError(
          absl::StrCat("the matcher at ", path_, " answers without an offset"));
    }
    return first;
  }

  std::string path_;
  ShortSocketPath short_path_;
  absl::Duration patience_;
  httplib::Client client_;
};

// None where nobody answers there.
std::unique_ptr<Appender> FindService(const std::string& data_dir, absl::Duration patience) {
  const std::string path = SocketPath(data_dir);
  if (std::error_code ignored; !std::filesystem::exists(path, ignored)) return nullptr;
  absl::StatusOr<ShortSocketPath> short_path = ShortSocketPath::For(path);
  if (!short_path.ok()) return nullptr;
  auto service = std::make_unique<ServiceAppender>(path, *std::move(short_path), patience);
  if (!service->Answers()) return nullptr;
  return service;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Appender>> OpenAppender(const std::string& data_dir,
                                                       absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  while (true) {
    if (std::unique_ptr<Appender> service = FindService(data_dir, patience)) return service;
    absl::StatusOr<std::unique_ptr<EmbeddedLog>> log =
        EmbeddedLog::Open(LogDir(data_dir), EmbeddedLog::Mode::kReadWrite);
    if (log.ok()) return std::make_unique<LogAppender>(data_dir, *std::move(log));
    if (!absl::IsUnavailable(log.status()) || absl::Now() >= deadline) return log.status();
    absl::SleepFor(kRetryPause);
  }
}

bool IsMatcherServing(const std::string& data_dir) {
  return FindService(data_dir, absl::ZeroDuration()) != nullptr;
}

}  // namespace qmarket
