#include "matcher/process/append_service.h"

#include <httplib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "events/event_log.h"
#include "matcher/process/append_protocol.h"
#include "matcher/process/disk_space.h"
#include "matcher/process/socket_path.h"

namespace qmarket {
namespace {

constexpr std::size_t kThreads = 8;
constexpr std::time_t kSilenceSeconds = 5;
constexpr char kText[] = "text/plain";

absl::StatusOr<std::uint64_t> AppendBody(EventLog& log, const std::string& folder,
                                         const std::string& body) {
  const absl::StatusOr<std::vector<std::string>> records = UnpackRecords(body);
  if (!records.ok()) return records.status();
  if (absl::Status status = CheckAppendSize(*records); !status.ok()) return status;
  if (absl::Status status = CheckDiskSpace(folder); !status.ok()) return status;
  const absl::StatusOr<AppendedRange> range = log.Append(*records, EventLog::Durability::kDurable);
  if (!range.ok()) return range.status();
  return range->first;
}

}  // namespace

class AppendService::Impl {
 public:
  Impl(EventLog& log, std::string path, ShortSocketPath short_path)
      : log_(log),
        path_(std::move(path)),
        folder_(std::filesystem::path(path_).parent_path().string()),
        short_path_(std::move(short_path)) {}

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() {
    if (!thread_.joinable()) return;
    server_.stop();
    thread_.join();
    ::unlink(path_.c_str());
  }

  absl::Status Start() {
    server_.set_address_family(AF_UNIX);
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_payload_max_length(kMaxAppendBody);
    server_.set_keep_alive_max_count(1);
    server_.set_read_timeout(kSilenceSeconds);
    server_.set_write_timeout(kSilenceSeconds);
    server_.Get("/", [](const httplib::Request& /*request*/, httplib::Response& response) {
      response.set_content("qmarket append service\n", kText);
    });
    server_.Post(kAppendPath, [this](const httplib::Request& request, httplib::Response& response) {
      Answer(request, response);
    });
    ::unlink(path_.c_str());
    // Nobody else may write, from the first moment on.
    const mode_t mask = ::umask(S_IXUSR | S_IRWXG | S_IRWXO);
    // The port means nothing here.
    const bool bound = server_.bind_to_port(short_path_.get().c_str(), 1);
    ::umask(mask);
    if (!bound) return absl::InternalError(absl::StrCat("cannot make the socket ", path_));
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    // stop() before the server runs would be lost.
    while (!server_.is_running())
      std::this_thread::yield();
    return absl::OkStatus();
  }

 private:
  void Answer(const httplib::Request& request, httplib::Response& response) {
    const absl::StatusOr<std::uint64_t> first = AppendBody(log_, folder_, request.body);
    response.status = HttpStatusOf(first.status());
    response.set_content(first.ok() ? absl::StrCat(*first) : std::string(first.status().message()),
                         kText);
  }

  EventLog& log_;
  std::string path_;
  std::string folder_;
  ShortSocketPath short_path_;
  httplib::Server server_;
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<AppendService>> AppendService::Start(
    EventLog& log, const std::string& socket_path) {
  absl::StatusOr<ShortSocketPath> short_path = ShortSocketPath::For(socket_path);
  if (!short_path.ok()) return short_path.status();
  auto impl = std::make_unique<Impl>(log, socket_path, *std::move(short_path));
  if (absl::Status status = impl->Start(); !status.ok()) return status;
  return std::unique_ptr<AppendService>(new AppendService(std::move(impl)));
}

AppendService::AppendService(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

AppendService::~AppendService() = default;

}  // namespace qmarket
