#include "events/kafka/broker_contact.h"

#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

bool BrokerContact::WasAway(absl::Duration at_least, absl::Time since) const {
  const std::lock_guard lock(mutex_);
  if (away_ && absl::Now() - since_ >= at_least) return true;
  return last_end_ >= since && last_outage_ >= at_least;
}

void BrokerContact::Back() {
  const std::lock_guard lock(mutex_);
  if (!away_) return;
  away_ = false;
  last_end_ = absl::Now();
  const absl::Duration outage = last_end_ - since_;
  last_outage_ = outage;
  report_(absl::StrCat("Kafka answers again, after ",
                       absl::StrFormat("%.1f s", absl::ToDoubleSeconds(outage))));
}

}  // namespace qmarket
