// A member of a Kafka consumer group, for its sharing alone: which topics are this process's, and
// whose not. It reads no records.
//
//   absl::StatusOr<std::unique_ptr<GroupMember>> member = GroupMember::Join(config, group, pattern,
//                                                                           handlers);
//   while (...) absl::Status status = (*member)->Poll(absl::Milliseconds(100));
//
// A topic is given to one member at a time: the group waits until `release` has returned. A member
// that did not answer for a while is not waited for (`lost`): its topics may be another one's
// already.
//
// One thread at a time; handlers are called from Poll and from Leave.
#ifndef QMARKET_EVENTS_KAFKA_GROUP_MEMBER_H_
#define QMARKET_EVENTS_KAFKA_GROUP_MEMBER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include "events/kafka/kafka_config.h"

namespace qmarket {

class GroupMember {
 public:
  using Topics = std::vector<std::string>;

  struct Handlers {
    // All topics that are this process's from now on. Called after every change in the group, with
    // the same topics too.
    std::function<void(const Topics&)> own;
    // None is this process's from the return on. `lost`: another one's already, maybe.
    std::function<void(bool lost)> release;
  };

  // `pattern`: a regular expression over the names of topics, from "^" on; those made later count,
  // too. Errors: Unavailable, no broker answers within config.timeout; InvalidArgument, a property
  // or the pattern.
  static absl::StatusOr<std::unique_ptr<GroupMember>> Join(const KafkaConfig& config,
                                                           const std::string& group,
                                                           const std::string& pattern,
                                                           Handlers handlers);

  GroupMember(const GroupMember&) = delete;
  GroupMember& operator=(const GroupMember&) = delete;

  // Leaves.
  ~GroupMember();

  // Takes part in the group for so long. To be called every few seconds at least. Errors: those of
  // the group that do not go away by waiting.
  absl::Status Poll(absl::Duration duration);

  // Names of all topics there are that match. Errors: Unavailable.
  absl::StatusOr<Topics> FindTopics();

 private:
  class Impl;

  explicit GroupMember(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_GROUP_MEMBER_H_
