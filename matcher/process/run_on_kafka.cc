#include "matcher/process/run_on_kafka.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "events/check.h"
#include "events/kafka/broker_contact.h"
#include "events/kafka/group_member.h"
#include "matcher/process/data_dir.h"
#include "matcher/process/market_follower.h"
#include "matcher/process/stall_watch.h"
#include "matcher/process/stop_signal.h"

namespace qmarket {
namespace {

constexpr absl::Duration kLookAround = absl::Milliseconds(100);
// The group takes a member for dead that was silent for so long (group_member.h).
constexpr absl::Duration kThoughtDead = absl::Seconds(6);
// How often new markets are looked for, and those that failed are tried again.
constexpr absl::Duration kLookForMarkets = absl::Seconds(5);
constexpr absl::Duration kTryAgain = absl::Seconds(10);

class KafkaRunner {
 public:
  explicit KafkaRunner(const KafkaRunOptions& options) : options_(options), kafka_(options.kafka) {
    kafka_.contact =
        std::make_shared<BrokerContact>([this](const std::string& line) { Report(line); });
  }

  absl::Status Run() { return options_.group.empty() ? RunOne() : RunGroup(); }

 private:
  struct Followed {
    std::unique_ptr<MarketFollower> follower;
    bool owned = false;                 // by this process, says the group
    std::optional<absl::Time> retry{};  // it has failed, and is tried again then
    absl::Status status{};              // of its last failure
  };

  absl::StatusOr<std::unique_ptr<MarketFollower>> Follow(const std::string& market) {
    absl::StatusOr<MarketTopics> topics = TopicsOfMarket(options_.prefix, market);
    if (!topics.ok()) return topics.status();
    if (!IsMarketName(market)) {
      return absl::InvalidArgumentError(absl::StrCat("\"", market, "\" is no name of a market"));
    }
    return std::make_unique<MarketFollower>(
        FollowerOptions{.kafka = kafka_,
                        .topics = *std::move(topics),
                        .dir = MarketDir(options_.data_dir, market),
                        .mirror_json = options_.mirror_json,
                        .observe = options_.observe,
                        .once = options_.once,
                        .max_batch_records = options_.max_batch_records,
                        .checkpoint_records = options_.checkpoint_records,
                        .on_rebuild =
                            [this](std::uint64_t done, std::uint64_t all) {
                              const std::lock_guard lock(mutex_);
                              if (options_.on_rebuild) options_.on_rebuild(done, all);
                            },
                        .on_report = [this](const std::string& line) { Report(line); }});
  }

  absl::Status RunOne() {
    absl::StatusOr<std::unique_ptr<MarketFollower>> follower = Follow(options_.market);
    if (!follower.ok()) return follower.status();
    if (!options_.observe) (*follower)->Own();
    while (!stop_.Raised() && !(*follower)->ended())
      absl::SleepFor(options_.once ? absl::Milliseconds(5) : kLookAround);
    (*follower)->Stop();
    return (*follower)->status();
  }

  absl::Status RunGroup() {
    const std::string pattern =
        absl::StrCat("^", absl::StrReplaceAll(options_.prefix, {{".", "\\."}}), "\\.(",
                     options_.market, ")\\.events$");
    KafkaConfig kafka = kafka_;
    kafka.stopped = [this] { return stop_.Raised(); };
    absl::StatusOr<std::unique_ptr<GroupMember>> member =
        GroupMember::Join(kafka, options_.group, pattern,
                          {.own = [this](const GroupMember::Topics& topics) { TakeOver(topics); },
                           .release = [this](bool lost) { LetGo(lost); }});
    if (!member.ok()) return stop_.Raised() ? absl::OkStatus() : member.status();
    Report(absl::StrCat("joined group ", options_.group));
    absl::Status status = Serve(**member);
    member->reset();  // it lets go of its markets, so the followers are still needed
    for (auto& [name, market] : markets_) {
      if (market.follower == nullptr) continue;
      market.follower->Stop();
      status.Update(market.follower->status());
    }
    return status;
  }

  absl::Status Serve(GroupMember& member) {
    absl::Time look = absl::InfinitePast();
    while (!stop_.Raised()) {
      if (absl::Status status = member.Poll(kLookAround); !status.ok()) return status;
      if (absl::Status status = CheckAlive(); !status.ok()) return status;
      if (absl::Now() >= look) {
        look = absl::Now() + kLookForMarkets;
        if (options_.standby) FollowAll(member);
      }
      if (absl::Status status = TendMarkets(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // One that did not run for longer than the group waits may have lost its markets without knowing.
  absl::Status CheckAlive() {
    const absl::Duration stalled = watch_.TakeLongest();
    if (stalled <= kThoughtDead) return absl::OkStatus();
    std::vector<std::string> owned;
    for (const auto& [name, market] : markets_) {
      if (market.owned) owned.push_back(name);
    }
    owned.insert(owned.end(), lost_.begin(), lost_.end());
    if (owned.empty()) return absl::OkStatus();
    return absl::AbortedError(absl::StrCat(
        "this matcher did not run for ", absl::FormatDuration(stalled),
        ", and another one may have taken over ", absl::StrJoin(owned, ", "),
        ": it publishes nothing more, and ends. Start it again to have it as a standby"));
  }

  // Those whose topics have the name of a market; others are nobody's.
  std::vector<std::string> MarketsOf(const GroupMember::Topics& topics) const {
    std::vector<std::string> names;
    for (const std::string& topic : topics) {
      const std::optional<std::string> name = MarketOfEventsTopic(options_.prefix, topic);
      if (!name.has_value() || !IsMarketName(*name)) continue;
      if (TopicsOfMarket(options_.prefix, *name).ok()) names.push_back(*name);
    }
    return names;
  }

  void FollowAll(GroupMember& member) {
    const absl::StatusOr<GroupMember::Topics> topics = member.FindTopics();
    if (!topics.ok()) return;  // the brokers are away: next time
    for (const std::string& name : MarketsOf(*topics))
      markets_.try_emplace(name);
    if (markets_.empty() && !std::exchange(said_none_, true)) {
      Report(absl::StrCat("no market matches \"", options_.market, "\" yet"));
    }
  }

  void TakeOver(const GroupMember::Topics& topics) {
    const std::vector<std::string> names = MarketsOf(topics);
    Report(absl::StrCat("the group gives this matcher ",
                        names.empty() ? "no market" : absl::StrJoin(names, ", ")));
    for (const std::string& name : names) {
      Followed& market = markets_[name];
      market.owned = true;
      if (market.follower != nullptr) market.follower->Own();
    }
    lost_.clear();
    if (!options_.standby) std::erase_if(markets_, [](const auto& m) { return !m.second.owned; });
  }

  void LetGo(bool lost) {
    lost_.clear();
    for (auto& [name, market] : markets_) {
      if (lost && market.owned) lost_.push_back(name);
      if (market.owned) Report(absl::StrCat("market ", name, ": publishes nothing more for now"));
      market.owned = false;
      if (market.follower != nullptr) market.follower->Release();
    }
    if (lost) {
      Report(
          "the group has given up this matcher, which was silent for too long: it publishes "
          "nothing, and joins again");
    }
  }

  // Starts followers that are missing, and looks after those that have ended. The trouble of one
  // market does not stop the others.
  absl::Status TendMarkets() {
    for (auto& [name, market] : markets_) {
      if (market.follower == nullptr && (!market.retry || absl::Now() >= *market.retry)) {
        absl::StatusOr<std::unique_ptr<MarketFollower>> follower = Follow(name);
        QM_CHECK(follower.ok(), "a market has a name that it cannot have");
        market.follower = *std::move(follower);
        if (market.owned) market.follower->Own();
      }
      if (market.follower == nullptr || !market.follower->ended()) continue;
      market.status = market.follower->status();
      if (absl::IsAborted(market.status)) return market.status;
      market.follower.reset();
      market.retry = absl::Now() + kTryAgain;
      Report(absl::StrCat(market.status.message(), "; trying it again in ",
                          absl::FormatDuration(kTryAgain)));
    }
    // Brokers that are away come back; what is wrong with a topic or a store does not go away.
    const auto failed = [](const auto& m) {
      return m.second.follower == nullptr && !absl::IsUnavailable(m.second.status);
    };
    if (!markets_.empty() && std::ranges::all_of(markets_, failed)) {
      return markets_.begin()->second.status;
    }
    return absl::OkStatus();
  }

  void Report(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (options_.on_report) options_.on_report(line);
  }

  const KafkaRunOptions& options_;
  KafkaConfig kafka_;
  std::mutex mutex_;  // of the callbacks
  StopSignal stop_;   // before all threads
  StallWatch watch_;
  std::map<std::string, Followed> markets_;
  bool said_none_ = false;
  std::vector<std::string> lost_;  // markets that the group took away, until it gives some again
};

}  // namespace

absl::Status RunOnKafka(const KafkaRunOptions& options) {
  return KafkaRunner(options).Run();
}

}  // namespace qmarket
