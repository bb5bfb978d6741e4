#include "events/kafka/kafka_log.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/kafka/event_producer.h"
#include "events/kafka/topic_admin.h"
#include "events/kafka/topic_reader.h"

namespace qmarket {

struct KafkaLog::Impl {
  KafkaConfig config;
  MarketTopics topics;
  std::unique_ptr<TopicReader> reader;
  std::unique_ptr<EventProducer> producer;  // made for the first append
  std::mutex read_mutex;                    // of the reader
  std::mutex append_mutex;                  // of the producer
};

absl::StatusOr<std::unique_ptr<KafkaLog>> KafkaLog::Open(const KafkaConfig& config,
                                                         const MarketTopics& topics) {
  absl::StatusOr<std::unique_ptr<TopicReader>> reader = TopicReader::Open(config, topics.events);
  if (absl::IsNotFound(reader.status())) {
    return absl::NotFoundError(absl::StrCat(reader.status().message(), "; make it with `",
                                            CreateTopicsCommand(config, topics), "`"));
  }
  if (!reader.ok()) return reader.status();
  auto impl = std::make_unique<Impl>();
  impl->config = config;
  impl->topics = topics;
  impl->reader = *std::move(reader);
  return std::unique_ptr<KafkaLog>(new KafkaLog(std::move(impl)));
}

KafkaLog::KafkaLog(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

KafkaLog::~KafkaLog() = default;

absl::StatusOr<AppendedRange> KafkaLog::Append(absl::Span<const std::string> records,
                                               Durability /*durability*/) {
  const std::lock_guard lock(impl_->append_mutex);
  if (impl_->producer == nullptr) {
    absl::StatusOr<std::unique_ptr<EventProducer>> producer =
        EventProducer::Open(impl_->config, impl_->topics);
    if (!producer.ok()) return producer.status();
    impl_->producer = *std::move(producer);
  }
  const absl::StatusOr<AppendedRange> range = impl_->producer->Append(records);
  if (range.ok()) impl_->reader->Expect(range->end);
  return range;
}

absl::StatusOr<LogBatch> KafkaLog::Read(std::uint64_t from, std::size_t max_records,
                                        std::size_t max_bytes) {
  const std::lock_guard lock(impl_->read_mutex);
  return impl_->reader->Read(from, max_records, max_bytes);
}

absl::StatusOr<std::uint64_t> KafkaLog::FindByTime(std::int64_t append_time_ms) {
  const std::lock_guard lock(impl_->read_mutex);
  return impl_->reader->FindByTime(append_time_ms);
}

absl::StatusOr<std::uint64_t> KafkaLog::EndOffset() {
  const std::lock_guard lock(impl_->read_mutex);
  const absl::StatusOr<TopicReader::Bounds> bounds = impl_->reader->FindBounds();
  if (!bounds.ok()) return bounds.status();
  return bounds->end;
}

absl::StatusOr<bool> KafkaLog::WaitFor(std::uint64_t from, absl::Duration timeout) {
  const std::lock_guard lock(impl_->read_mutex);
  return impl_->reader->WaitFor(from, timeout);
}

std::string KafkaLog::Identity() const {
  return absl::StrCat(kKafkaIdentity, impl_->reader->cluster(), "/", impl_->topics.events);
}

}  // namespace qmarket
