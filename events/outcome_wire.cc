#include "events/outcome_wire.h"

#include <tuple>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "flatbuffers/flatbuffers.h"

#include "events/json_text.h"
#include "events/outcome_fields.h"
#include "events/outcomes_generated.h"
#include "events/wire_tables.h"

namespace qmarket {
namespace {

constexpr std::size_t kPayloadTypes = std::variant_size_v<Outcome>;
static_assert(static_cast<std::size_t>(fbs::OutcomePayload::MAX) == kPayloadTypes,
              "the union of outcomes.fbs and Outcome have the same types in the same order");

constexpr std::size_t kUsualBytes = 512;

// The outcome, its payload, and the pools of a MarketCleared.
constexpr flatbuffers::uoffset_t kMaxDepth = 4;
constexpr flatbuffers::uoffset_t kMaxTables = 1'000'000;

// What others see of an EventRejected: its offset is repeated in it.
struct RejectionOnWire {
  std::string event_id;
  std::uint64_t offset = 0;
  RejectionCode code = RejectionCode::kMalformed;
  std::string message;
};

}  // namespace

template <>
struct TableOf<RejectionOnWire> {
  static constexpr absl::string_view kName = TableOf<EventRejected>::kName;
  static constexpr auto kFields = std::make_tuple(
      Row("event_id", &RejectionOnWire::event_id), Row("offset", &RejectionOnWire::offset),
      Row("code", &RejectionOnWire::code), Row("message", &RejectionOnWire::message));
};

template <>
struct TableOf<OutcomeRecord> {  // but for the payload
  static constexpr absl::string_view kName = "Outcome";
  static constexpr auto kFields =
      std::make_tuple(Row("offset", &OutcomeRecord::offset), Row("index", &OutcomeRecord::index));
};

namespace {

template <typename T>
const T& OnWire(const T& outcome, std::uint64_t /*offset*/) {
  return outcome;
}

RejectionOnWire OnWire(const EventRejected& rejected, std::uint64_t offset) {
  return {rejected.event_id, offset, rejected.code, rejected.message};
}

template <typename T>
Outcome ReadPayload(const flatbuffers::Table& wire, WireReader& reader) {
  if constexpr (std::is_same_v<T, EventRejected>) {
    RejectionOnWire rejected = reader.Table<RejectionOnWire>(wire);
    return EventRejected{std::move(rejected.event_id), rejected.code, std::move(rejected.message)};
  } else {
    return reader.Table<T>(wire);
  }
}

template <std::size_t... Index>
Outcome ReadPayload(std::size_t index, const flatbuffers::Table& wire, WireReader& reader,
                    std::index_sequence<Index...>) {
  Outcome outcome;
  static_cast<void>(
      ((index == Index &&
        (outcome = ReadPayload<std::variant_alternative_t<Index, Outcome>>(wire, reader), true)) ||
       ...));
  return outcome;
}

const flatbuffers::Table& AsTable(const void* table) {
  return *static_cast<const flatbuffers::Table*>(table);
}

absl::StatusOr<const fbs::Outcome*> Verified(const AlignedBytes& bytes) {
  if (bytes.size() > kMaxOutcomeBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the record has ", bytes.size(),
                                                   " bytes, expected at most ", kMaxOutcomeBytes));
  }
  constexpr std::size_t kHeaderBytes = 8;
  if (bytes.size() < kHeaderBytes || !fbs::OutcomeBufferHasIdentifier(bytes.data())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the record, of ", bytes.size(), " bytes, has no file identifier QMOC"));
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, kMaxTables);
  if (!fbs::VerifyOutcomeBuffer(verifier)) {
    return absl::InvalidArgumentError(
        "the record is not a whole outcome: it is damaged, or a required field is missing");
  }
  return fbs::GetOutcome(bytes.data());
}

std::string TeamOfPosting(const CreditsPosted& posted) {
  for (absl::string_view account : {absl::string_view(posted.from), absl::string_view(posted.to)}) {
    if (absl::ConsumePrefix(&account, "team:")) return std::string(account);
  }
  return {};
}

}  // namespace

std::string EncodeOutcomeRecord(std::uint64_t offset, std::uint32_t index, const Outcome& outcome) {
  flatbuffers::FlatBufferBuilder builder(kUsualBytes);
  WireWriter writer(builder, Defaults::kWritten);
  const WireWriter::Reference payload =
      std::visit([&](const auto& value) { return writer.Table(OnWire(value, offset)); }, outcome);
  OutcomeRecord place;
  place.offset = offset;
  place.index = index;
  const WireWriter::Reference root = writer.Table(place, [&] {
    builder.AddOffset(fbs::Outcome::VT_PAYLOAD, payload);
    builder.AddElement(fbs::Outcome::VT_PAYLOAD_TYPE,
                       static_cast<std::uint8_t>(outcome.index() + 1));
  });
  builder.Finish(root, fbs::OutcomeIdentifier());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

absl::StatusOr<OutcomeRecord> DecodeOutcomeRecord(absl::string_view bytes) {
  const AlignedBytes aligned(bytes);
  absl::StatusOr<const fbs::Outcome*> wire = Verified(aligned);
  if (!wire.ok()) return wire.status();

  const auto type = static_cast<std::size_t>((*wire)->payload_type());
  if (type == 0) return absl::InvalidArgumentError("the outcome has no payload_type");
  if (type > kPayloadTypes) {
    return WireReader::NewerSchema(absl::StrCat("payload type ", type));
  }
  WireReader reader(bytes.size());
  constexpr std::size_t kOutcomeFields = kFieldCount<OutcomeRecord> + 2;  // payload and its type
  OutcomeRecord record = reader.Table<OutcomeRecord>(AsTable(*wire), kOutcomeFields);
  record.outcome = ReadPayload(type - 1, AsTable((*wire)->payload()), reader,
                               std::make_index_sequence<kPayloadTypes>());
  if (!reader.status().ok()) return reader.status();
  return record;
}

std::string OutcomeToJson(std::uint64_t offset, std::uint32_t index, const Outcome& outcome) {
  std::string json;
  JsonObject object(json);
  object.Key("offset");
  object.Value(offset);
  object.Key("index");
  object.Value(index);
  object.Key("payload_type");
  object.Value(std::string(OutcomeTypeName(outcome)));
  object.Key("payload");
  std::visit([&](const auto& value) { object.Value(OnWire(value, offset)); }, outcome);
  object.Close();
  return json;
}

absl::string_view OutcomeTypeName(const Outcome& outcome) {
  return std::visit([]<typename T>(const T& /*value*/) { return TableOf<T>::kName; }, outcome);
}

std::string OutcomeKey(const Outcome& outcome) {
  return std::visit(
      []<typename T>(const T& value) {
        if constexpr (std::is_same_v<T, CreditsPosted>) {
          return TeamOfPosting(value);
        } else if constexpr (std::is_same_v<T, MarketCleared>) {
          return value.resource;
        } else if constexpr (std::is_same_v<T, EventRejected> || std::is_same_v<T, EventLate>) {
          return std::string();
        } else {
          return value.team;
        }
      },
      outcome);
}

}  // namespace qmarket
