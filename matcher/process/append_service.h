// Takes appends of other processes while this one has the log open (append_protocol.h).
//
//   absl::StatusOr<std::unique_ptr<AppendService>> service =
//       AppendService::Start(*log, "qmarket-data/qmarket.sock");
//
// A few connections are served at once, and share syncs (event_log.h); more wait their turn. A
// request has a bounded size, and a client that is silent is dropped.
#ifndef QMARKET_MATCHER_PROCESS_APPEND_SERVICE_H_
#define QMARKET_MATCHER_PROCESS_APPEND_SERVICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "events/event_log.h"

namespace qmarket {

class AppendService {
 public:
  // Serves from the return on. A file that lies at the path is taken away: the caller has the log's
  // lock, so nobody serves there any more. `log` must outlive the service. Errors: Internal, the
  // socket cannot be made.
  static absl::StatusOr<std::unique_ptr<AppendService>> Start(EventLog& log,
                                                              const std::string& socket_path);

  AppendService(const AppendService&) = delete;
  AppendService& operator=(const AppendService&) = delete;

  // Finishes the requests that are being served, and takes the socket away.
  ~AppendService();

 private:
  class Impl;

  explicit AppendService(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_APPEND_SERVICE_H_
