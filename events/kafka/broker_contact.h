// Tells people when the brokers are away, and when they are back.
//
//   auto contact = std::make_shared<BrokerContact>([](const std::string& line) { ... });
//   contact->Lost("Connection refused");   // reports once, however many clients say so
//   contact->Answered();                   // reports for how long they were away
//
// Thread-safe. It reads the clock, for its reports only.
#ifndef QMARKET_EVENTS_KAFKA_BROKER_CONTACT_H_
#define QMARKET_EVENTS_KAFKA_BROKER_CONTACT_H_

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace qmarket {

class BrokerContact {
 public:
  // `report` is called with one line at a time, from any thread.
  explicit BrokerContact(std::function<void(const std::string& line)> report);

  // A client found that no broker answers.
  void Lost(absl::string_view why);

  // Whether the brokers are away for so long now, or were when they were away last, if that ended
  // since then.
  [[nodiscard]] bool WasAway(absl::Duration at_least, absl::Time since) const;

  // A client got an answer. Cheap: call it often.
  void Answered() {
    if (away_) Back();
  }

 private:
  void Back();

  std::function<void(const std::string& line)> report_;
  std::atomic<bool> away_ = false;
  mutable std::mutex mutex_;  // of the rest
  absl::Time since_;
  absl::Duration last_outage_;  // how long it was, and when it ended
  absl::Time last_end_ = absl::InfinitePast();
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_BROKER_CONTACT_H_
