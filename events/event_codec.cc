#include "events/event_codec.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"

#include "events/canonical_bytes.h"
#include "events/event_fields.h"
#include "events/events_generated.h"
#include "events/wire_tables.h"

namespace qmarket {
namespace {

constexpr std::size_t kPayloadTypes = std::variant_size_v<Payload>;
static_assert(static_cast<std::size_t>(fbs::Payload::MAX) == kPayloadTypes,
              "the union of events.fbs and Payload have the same types in the same order");

// The first byte of all canonical events.
constexpr std::uint64_t kCanonicalVersion = 1;

constexpr std::size_t kUsualBytes = 512;

// An event has two tables, and no more than one lies in another.
constexpr flatbuffers::uoffset_t kMaxTables = 8;

absl::StatusOr<const fbs::Event*> Verified(const AlignedBytes& bytes) {
  if (bytes.size() > kMaxEventBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the record has ", bytes.size(), " bytes, expected at most ", kMaxEventBytes));
  }
  constexpr std::size_t kHeaderBytes = 8;
  if (bytes.size() < kHeaderBytes || !fbs::EventBufferHasIdentifier(bytes.data())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the record, of ", bytes.size(), " bytes, has no file identifier QMEV"));
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxTables, kMaxTables);
  if (!fbs::VerifyEventBuffer(verifier)) {
    return absl::InvalidArgumentError(
        "the record is not a whole event: it is damaged, or a required field is missing");
  }
  return fbs::GetEvent(bytes.data());
}

const flatbuffers::Table& AsTable(const void* table) {
  return *static_cast<const flatbuffers::Table*>(table);
}

template <std::size_t... Index>
Payload ReadPayload(std::size_t index, const flatbuffers::Table& wire, WireReader& reader,
                    std::index_sequence<Index...>) {
  Payload payload;
  static_cast<void>(
      ((index == Index &&
        (payload = reader.Table<std::variant_alternative_t<Index, Payload>>(wire), true)) ||
       ...));
  return payload;
}

}  // namespace

std::string EncodeEvent(const Event& event) {
  flatbuffers::FlatBufferBuilder builder(kUsualBytes);
  WireWriter writer(builder, Defaults::kLeftOut);
  const WireWriter::Reference payload =
      std::visit([&](const auto& value) { return writer.Table(value); }, event.payload);
  const WireWriter::Reference root = writer.Table(event, [&] {
    builder.AddOffset(fbs::Event::VT_PAYLOAD, payload);
    builder.AddElement(fbs::Event::VT_PAYLOAD_TYPE,
                       static_cast<std::uint8_t>(event.payload.index() + 1));
  });
  builder.Finish(root, fbs::EventIdentifier());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

absl::StatusOr<Event> DecodeEvent(absl::string_view bytes) {
  const AlignedBytes aligned(bytes);
  absl::StatusOr<const fbs::Event*> wire = Verified(aligned);
  if (!wire.ok()) return wire.status();

  const auto type = static_cast<std::size_t>((*wire)->payload_type());
  if (type == 0) return absl::InvalidArgumentError("the event has no payload_type");
  if (type > kPayloadTypes) {
    return WireReader::NewerSchema(absl::StrCat("payload type ", type));
  }
  WireReader reader(bytes.size());
  constexpr std::size_t kEventFields = kFieldCount<Event> + 2;  // payload_type and payload
  Event event = reader.Table<Event>(AsTable(*wire), kEventFields);
  event.payload = ReadPayload(type - 1, AsTable((*wire)->payload()), reader,
                              std::make_index_sequence<kPayloadTypes>());
  if (!reader.status().ok()) return reader.status();
  return event;
}

std::string ReadEventId(absl::string_view bytes) {
  const AlignedBytes aligned(bytes);
  absl::StatusOr<const fbs::Event*> wire = Verified(aligned);
  return wire.ok() ? (*wire)->event_id()->str() : std::string();
}

std::string CanonicalEvent(const Event& event) {
  std::string bytes;
  CanonicalWriter writer(bytes);
  writer.Unsigned(kCanonicalVersion);
  writer.Value(event);
  writer.Unsigned(event.payload.index());
  std::visit([&](const auto& payload) { writer.Value(payload); }, event.payload);
  return bytes;
}

}  // namespace qmarket
