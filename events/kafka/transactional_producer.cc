#include "events/kafka/transactional_producer.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include <librdkafka/rdkafka.h>

#include "events/kafka/client.h"
#include "events/kafka/produce.h"

namespace qmarket {
namespace {

// A call is given so long before `stop` is looked at again.
constexpr int kCallMs = 1000;
constexpr int kAbortMs = 5000;

// Calls `step` again as long as that may help.
kafka::Error Persist(const std::atomic<bool>& stop, absl::FunctionRef<rd_kafka_error_t*()> step) {
  while (true) {
    kafka::Error error(step());
    if (error == nullptr || !rd_kafka_error_is_retriable(error.get()) || stop) return error;
  }
}

}  // namespace

class TransactionalProducer::Impl {
 public:
  explicit Impl(const std::atomic<bool>& stop) : stop_(stop) {}

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  absl::Status Open(const KafkaConfig& config, const std::string& id,
                    const std::vector<std::string>& topics);
  absl::Status Commit(absl::Span<const KeyedRecord> records);

 private:
  // Where records of a topic were put last; the offsets of a topic grow.
  struct Events : kafka::ClientEvents {
    std::map<std::string, std::int64_t> last_offsets;
    std::string made_anew;  // a topic whose offsets did not
  };

  static void OnDelivered(rd_kafka_t* client, const rd_kafka_message_t* message, void* opaque);

  // What the error of a call means to the caller.
  absl::Status StatusOf(const rd_kafka_error_t& error, const char* what);
  void Answered();

  const std::atomic<bool>& stop_;
  Events events_;
  kafka::Handle producer_;
  std::vector<kafka::Topic> topics_;
  bool open_ = false;  // a transaction
};

absl::Status TransactionalProducer::Impl::Open(const KafkaConfig& config, const std::string& id,
                                               const std::vector<std::string>& topics) {
  kafka::ClientOptions options;
  options.type = RD_KAFKA_PRODUCER;
  options.fixed = {{"transactional.id", id},
                   {"transaction.timeout.ms", "60000"},
                   {"enable.idempotence", "true"},
                   {"acks", "all"},
                   {"message.timeout.ms", "60000"},
                   {"request.timeout.ms", "10000"},
                   {"message.max.bytes", "20000000"},
                   // With more, librdkafka 2.0.2 keeps a core busy while it waits for answers.
                   {"max.in.flight.requests.per.connection", "1"},
                   {"queue.buffering.max.messages", "1000000"},
                   {"linger.ms", "5"},
                   {"compression.codec", "lz4"}};
  options.set_up = [](rd_kafka_conf_t* conf) { rd_kafka_conf_set_dr_msg_cb(conf, OnDelivered); };
  options.events = &events_;
  absl::StatusOr<kafka::Handle> client = kafka::MakeClient(config, options);
  if (!client.ok()) return client.status();
  producer_ = *std::move(client);
  rd_kafka_t* const producer = producer_.get();
  const kafka::Error error = Persist(stop_, [producer] {
    rd_kafka_poll(producer, 0);
    return rd_kafka_init_transactions(producer, kCallMs);
  });
  if (error != nullptr) return StatusOf(*error, "taking over the transactions");
  Answered();
  // A producer that does not know a topic's leader can keep the first record for a second.
  for (const std::string& topic : topics) {
    kafka::Topic handle(rd_kafka_topic_new(producer, topic.c_str(), nullptr));
    if (handle == nullptr) return kafka::StatusOf(rd_kafka_last_error(), topic);
    topics_.push_back(std::move(handle));
    const rd_kafka_metadata_t* metadata = nullptr;
    rd_kafka_metadata(producer, 0, topics_.back().get(), &metadata, kCallMs);
    if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
  }
  return absl::OkStatus();
}

void TransactionalProducer::Impl::OnDelivered(rd_kafka_t* /*client*/,
                                              const rd_kafka_message_t* message, void* opaque) {
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR || message->offset < 0) return;
  auto* const events = static_cast<Events*>(static_cast<kafka::ClientEvents*>(opaque));
  const char* const topic = rd_kafka_topic_name(message->rkt);
  std::int64_t& last = events->last_offsets.try_emplace(topic, -1).first->second;
  if (message->offset <= last) events->made_anew = topic;
  last = message->offset;
}

TransactionalProducer::Impl::~Impl() {
  if (producer_ == nullptr || !open_) return;
  rd_kafka_purge(producer_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  const kafka::Error ignored(rd_kafka_abort_transaction(producer_.get(), kAbortMs));
}

void TransactionalProducer::Impl::Answered() {
  if (events_.contact != nullptr) events_.contact->Answered();
}

absl::Status TransactionalProducer::Impl::StatusOf(const rd_kafka_error_t& error,
                                                   const char* what) {
  const std::string message = absl::StrCat(what, ": ", rd_kafka_error_string(&error));
  const rd_kafka_resp_err_t code = rd_kafka_error_code(&error);
  const rd_kafka_resp_err_t fatal = rd_kafka_fatal_error(producer_.get(), nullptr, 0);
  for (const rd_kafka_resp_err_t cause : {code, fatal}) {
    if (cause == RD_KAFKA_RESP_ERR__FENCED || cause == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
        cause == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH) {
      open_ = false;  // it is aborted
      return absl::AbortedError(message);
    }
  }
  if (stop_) return absl::CancelledError(message);
  for (const rd_kafka_resp_err_t cause :
       {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
        RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED}) {
    if (code == cause) return kafka::StatusOf(code, what);
  }
  return absl::UnavailableError(message);
}

absl::Status TransactionalProducer::Impl::Commit(absl::Span<const KeyedRecord> records) {
  rd_kafka_t* const producer = producer_.get();
  kafka::Error error(rd_kafka_begin_transaction(producer));
  if (error != nullptr) return StatusOf(*error, "beginning a transaction");
  open_ = true;
  for (const KeyedRecord& record : records) {
    const rd_kafka_resp_err_t code =
        kafka::Produce(producer, record.topic, record.key, record.value, record.headers, nullptr);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    error.reset(rd_kafka_error_new(code, "%s", rd_kafka_err2str(code)));
    return StatusOf(*error, "appending in a transaction");
  }
  while (rd_kafka_flush(producer, kCallMs) == RD_KAFKA_RESP_ERR__TIMED_OUT && !stop_ &&
         rd_kafka_fatal_error(producer, nullptr, 0) == RD_KAFKA_RESP_ERR_NO_ERROR) {
  }
  if (!events_.made_anew.empty()) {
    return absl::DataLossError(absl::StrCat(
        "Kafka topic ", events_.made_anew,
        " ends before what was appended to it: it was made anew, or has lost records"));
  }
  error = Persist(stop_, [producer] {
    rd_kafka_poll(producer, 0);
    return rd_kafka_commit_transaction(producer, kCallMs);
  });
  if (error != nullptr) return StatusOf(*error, "committing a transaction");
  open_ = false;
  Answered();
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TransactionalProducer>> TransactionalProducer::Open(
    const KafkaConfig& config, const std::string& id, const std::vector<std::string>& topics,
    const std::atomic<bool>& stop) {
  auto impl = std::make_unique<Impl>(stop);
  if (absl::Status opened = impl->Open(config, id, topics); !opened.ok()) return opened;
  return std::unique_ptr<TransactionalProducer>(new TransactionalProducer(std::move(impl)));
}

TransactionalProducer::TransactionalProducer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

TransactionalProducer::~TransactionalProducer() = default;

absl::Status TransactionalProducer::Commit(absl::Span<const KeyedRecord> records) {
  return impl_->Commit(records);
}

}  // namespace qmarket
