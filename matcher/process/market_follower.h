// Follows one market on Kafka: applies its log into a store of its own, and, while it owns the
// market, publishes the outcomes and appends the ticks.
//
//   MarketFollower follower(options);
//   follower.Own();                            // owner from now on, as soon as the state is
//   rebuilt follower.Release();                        // hot standby again, once this returns
//
// It works in a thread of its own. All methods may be called from any thread.
#ifndef QMARKET_MATCHER_PROCESS_MARKET_FOLLOWER_H_
#define QMARKET_MATCHER_PROCESS_MARKET_FOLLOWER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"

#include "events/kafka/kafka_config.h"
#include "events/kafka/market_topics.h"

namespace qmarket {

struct FollowerOptions {
  KafkaConfig kafka;
  MarketTopics topics;
  std::string dir;  // the market's folder (data_dir.h)
  bool mirror_json = false;
  // Owns nothing, ever: applies the log, publishes nothing, and adds no ticks.
  bool observe = false;
  // Adds no ticks, and ends when all that is in the log once the market is owned has been applied
  // and published; an observer, when it is applied.
  bool once = false;
  std::size_t max_batch_records = 1024;
  std::optional<std::uint64_t> checkpoint_records{};  // engine.h
  std::function<void(std::uint64_t done, std::uint64_t all)> on_rebuild{};
  std::function<void(const std::string& line)> on_report{};  // from any thread
};

class MarketFollower {
 public:
  explicit MarketFollower(FollowerOptions options);

  MarketFollower(const MarketFollower&) = delete;
  MarketFollower& operator=(const MarketFollower&) = delete;

  // Stops it.
  ~MarketFollower();

  // Ends it: what was applied is durable, and nothing is published any more. Then status() says
  // how that went.
  void Stop();

  void Own();
  void Release();

  [[nodiscard]] bool owns() const;

  // Whether it has ended, and why: OK where it was stopped, and after `once`; else an error of the
  // log, the topics, the store, the engine or the publisher.
  [[nodiscard]] bool ended() const;
  [[nodiscard]] absl::Status status() const;

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_MARKET_FOLLOWER_H_
