#include "events/kafka/broker_contact.h"

#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace qmarket {

BrokerContact::BrokerContact(std::function<void(const std::string& line)> report)
    : report_(std::move(report)) {}

void BrokerContact::Lost(absl::string_view why) {
  const std::lock_guard lock(mutex_);
  if (away_) return;
  away_ = true;
  since_ = absl::Now();
  report_(absl::StrCat("no Kafka broker answers (", why, "): waiting until one does"));
}

void BrokerContact::Back() {
  const std::lock_guard lock(mutex_);
  if (!away_) return;
  away_ = false;
  report_(absl::StrCat("Kafka answers again, after ",
                       absl::FormatDuration(absl::Trunc(absl::Now() - since_, absl::Seconds(1)))));
}

}  // namespace qmarket
