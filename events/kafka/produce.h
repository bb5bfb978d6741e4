// Hands records to a librdkafka producer. For the .cc files of this folder.
#ifndef QMARKET_EVENTS_KAFKA_PRODUCE_H_
#define QMARKET_EVENTS_KAFKA_PRODUCE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include <librdkafka/rdkafka.h>

#include "events/kafka/record_headers.h"

namespace qmarket::kafka {

// Queues a copy of the record for partition 0 of the topic. `opaque` comes back with its delivery
// report. Waits, serving callbacks, where the queue is full. An empty key is none.
rd_kafka_resp_err_t Produce(rd_kafka_t* producer, const std::string& topic, absl::string_view key,
                            absl::string_view value, absl::Span<const RecordHeader> headers,
                            void* opaque);

}  // namespace qmarket::kafka

#endif  // QMARKET_EVENTS_KAFKA_PRODUCE_H_
