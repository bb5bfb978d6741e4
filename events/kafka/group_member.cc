#include "events/kafka/group_member.h"

#include <algorithm>
#include <memory>
#include <regex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include <librdkafka/rdkafka.h>

#include "events/kafka/client.h"

namespace qmarket {
namespace {

constexpr absl::Duration kForTopics = absl::Seconds(2);

}  // namespace

class GroupMember::Impl {
 public:
  Impl(KafkaConfig config, std::string pattern, Handlers handlers)
      : config_(std::move(config)), pattern_(std::move(pattern)), handlers_(std::move(handlers)) {
    events_.impl = this;
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() {
    if (client_ != nullptr) rd_kafka_consumer_close(client_.get());
  }

  absl::Status Join(const std::string& group);
  absl::Status Poll(absl::Duration duration);
  absl::StatusOr<Topics> FindTopics();

 private:
  struct Events : kafka::ClientEvents {
    Impl* impl = nullptr;
  };

  static void OnRebalance(rd_kafka_t* client, rd_kafka_resp_err_t error,
                          rd_kafka_topic_partition_list_t* partitions, void* opaque);
  void Rebalance(rd_kafka_resp_err_t error, rd_kafka_topic_partition_list_t* partitions);

  KafkaConfig config_;
  std::string pattern_;
  Handlers handlers_;
  Events events_;
  kafka::Handle client_;
};

absl::Status GroupMember::Impl::Join(const std::string& group) {
  kafka::ClientOptions options;
  options.type = RD_KAFKA_CONSUMER;
  // Round robin shares topics of one partition evenly; the range assignor would give all of them to
  // one member.
  options.fixed = {{"group.id", group},
                   {"partition.assignment.strategy", "roundrobin"},
                   {"session.timeout.ms", "6000"},
                   {"heartbeat.interval.ms", "1500"},
                   {"enable.auto.commit", "false"},
                   {"enable.auto.offset.store", "false"},
                   {"auto.offset.reset", "latest"},
                   {"topic.metadata.refresh.interval.ms", "5000"}};
  options.set_up = [](rd_kafka_conf_t* conf) { rd_kafka_conf_set_rebalance_cb(conf, OnRebalance); };
  options.events = &events_;
  absl::StatusOr<kafka::Handle> client = kafka::MakeClient(config_, options);
  if (!client.ok()) return client.status();
  client_ = *std::move(client);
  const absl::StatusOr<std::string> cluster = kafka::Connect(client_.get(), config_);
  if (!cluster.ok()) return cluster.status();
  rd_kafka_poll_set_consumer(client_.get());
  const kafka::Partitions topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), pattern_.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t error = rd_kafka_subscribe(client_.get(), topics.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return kafka::StatusOf(error, absl::StrCat("subscribing to ", pattern_));
  }
  return absl::OkStatus();
}

void GroupMember::Impl::OnRebalance(rd_kafka_t* /*client*/, rd_kafka_resp_err_t error,
                                    rd_kafka_topic_partition_list_t* partitions, void* opaque) {
  static_cast<Events*>(opaque)->impl->Rebalance(error, partitions);
}

void GroupMember::Impl::Rebalance(rd_kafka_resp_err_t error,
                                  rd_kafka_topic_partition_list_t* partitions) {
  if (error != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    const bool lost = rd_kafka_assignment_lost(client_.get()) != 0;
    // First stop, then let go.
    handlers_.release(lost);
    rd_kafka_assign(client_.get(), nullptr);
    return;
  }
  Topics topics;
  for (int i = 0; i < partitions->cnt; ++i) {
    rd_kafka_topic_partition_t& partition = partitions->elems[i];
    if (partition.partition == 0) topics.emplace_back(partition.topic);
    partition.offset = RD_KAFKA_OFFSET_END;
  }
  rd_kafka_assign(client_.get(), partitions);
  rd_kafka_pause_partitions(client_.get(), partitions);
  handlers_.own(topics);
}

absl::Status GroupMember::Impl::Poll(absl::Duration duration) {
  const absl::Time deadline = absl::Now() + duration;
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    const kafka::Message message(
        rd_kafka_consumer_poll(client_.get(), kafka::ToMs(std::max(left, absl::ZeroDuration()))));
    if (message == nullptr) return absl::OkStatus();
    switch (message->err) {
      case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      case RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL:
      case RD_KAFKA_RESP_ERR__FATAL:
      case RD_KAFKA_RESP_ERR__AUTHENTICATION:
        return kafka::StatusOf(message->err, "the Kafka consumer group");
      default:
        break;  // a record of a partition before it was paused, or trouble that passes
    }
  }
}

absl::StatusOr<GroupMember::Topics> GroupMember::Impl::FindTopics() {
  Topics topics;
  const std::regex pattern(pattern_, std::regex::extended);
  const rd_kafka_resp_err_t error = kafka::Retry(config_, kForTopics, [&](int timeout_ms) {
    const rd_kafka_metadata_t* metadata = nullptr;
    const rd_kafka_resp_err_t result =
        rd_kafka_metadata(client_.get(), 1, nullptr, &metadata, timeout_ms);
    if (metadata == nullptr) return result;
    topics.clear();
    for (int i = 0; i < metadata->topic_cnt; ++i) {
      if (std::regex_search(metadata->topics[i].topic, pattern)) {
        topics.emplace_back(metadata->topics[i].topic);
      }
    }
    rd_kafka_metadata_destroy(metadata);
    return result;
  });
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka::StatusOf(error, "listing Kafka's topics");
  return topics;
}

absl::StatusOr<std::unique_ptr<GroupMember>> GroupMember::Join(const KafkaConfig& config,
                                                               const std::string& group,
                                                               const std::string& pattern,
                                                               Handlers handlers) {
  auto impl = std::make_unique<Impl>(config, pattern, std::move(handlers));
  if (absl::Status joined = impl->Join(group); !joined.ok()) return joined;
  return std::unique_ptr<GroupMember>(new GroupMember(std::move(impl)));
}

GroupMember::GroupMember(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

GroupMember::~GroupMember() = default;

absl::Status GroupMember::Poll(absl::Duration duration) {
  return impl_->Poll(duration);
}

absl::StatusOr<GroupMember::Topics> GroupMember::FindTopics() {
  return impl_->FindTopics();
}

}  // namespace qmarket
