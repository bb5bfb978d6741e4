// Plain structs to and from FlatBuffers tables, field by field after TableOf, for the .cc files of
// this room. A record is verified with the verifier that flatc generates before any of this reads
// it.
#ifndef QMARKET_EVENTS_WIRE_TABLES_H_
#define QMARKET_EVENTS_WIRE_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"

#include "events/field_table.h"
#include "events/outcome_fields.h"

namespace qmarket {

// How a value is stored in a table: flags as bytes, enums as their integers.
template <typename V>
struct WireType {
  using Type = V;
};

template <>
struct WireType<bool> {
  using Type = std::uint8_t;
};

template <typename V>
requires std::is_enum_v<V>

struct WireType<V> {
  using Type = std::underlying_type_t<V>;
};

inline flatbuffers::voffset_t WireSlot(std::size_t id) {
  return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(id));
}

// Whether fields at their default are written too.
enum class Defaults { kLeftOut, kWritten };

class WireWriter {
 public:
  using Reference = flatbuffers::Offset<void>;  // null: nothing

  WireWriter(flatbuffers::FlatBufferBuilder& builder, Defaults defaults)
      : builder_(builder), all_(defaults == Defaults::kWritten) {}

  // Writes `table` with everything that it refers to.
  template <typename T>
  Reference Table(const T& table) {
    return TableWith(table, std::make_index_sequence<kFieldCount<T>>(), [] {});
  }

  // The same; add_more() adds the fields that TableOf does not have.
  template <typename T, typename AddMore>
  Reference Table(const T& table, AddMore add_more) {
    return TableWith(table, std::make_index_sequence<kFieldCount<T>>(), add_more);
  }

 private:
  template <typename T, std::size_t... Id, typename AddMore>
  Reference TableWith(const T& table, std::index_sequence<Id...>, AddMore add_more) {
    [[maybe_unused]] const T defaults;
    // What a table refers to is written before the table.
    [[maybe_unused]] const std::array<Reference, sizeof...(Id)> references = {
        Referred(std::get<Id>(TableOf<T>::kFields), table)...};
    const flatbuffers::uoffset_t start = builder_.StartTable();
    (AddField(Id, std::get<Id>(TableOf<T>::kFields), table, defaults, references[Id]), ...);
    add_more();
    return {builder_.EndTable(start)};
  }

  template <typename T, typename V>
  Reference Referred(const Field<T, V>& field, const T& table) {
    const V& value = table.*field.member;
    if constexpr (std::is_same_v<V, std::string>) {
      if (value.empty() && !field.required && !all_) return {};
      return {builder_.CreateString(value.data(), value.size()).o};
    } else if constexpr (IsVector<V>::value) {
      std::vector<flatbuffers::Offset<flatbuffers::Table>> items;
      items.reserve(value.size());
      for (const auto& item : value)
        items.emplace_back(Table(item).o);
      return {builder_.CreateVector(items).o};
    } else {
      return {};
    }
  }

  template <typename T, typename V>
  void AddField(std::size_t id, const Field<T, V>& field, const T& table, const T& defaults,
                Reference reference) {
    const V& value = table.*field.member;
    if constexpr (std::is_same_v<V, std::string> || IsVector<V>::value) {
      builder_.AddOffset(WireSlot(id), reference);
    } else if constexpr (IsOptional<V>::value) {
      if (value.has_value()) AddNumber(id, *value);
    } else {
      if (all_ || field.required || value != defaults.*field.member) AddNumber(id, value);
    }
  }

  template <typename V>
  void AddNumber(std::size_t id, V value) {
    builder_.AddElement(WireSlot(id), static_cast<typename WireType<V>::Type>(value));
  }

  flatbuffers::FlatBufferBuilder& builder_;
  bool all_;
};

// Reads tables of one verified record. The first thing that is wrong is kept as the status; what is
// read after it means nothing.
class WireReader {
 public:
  // Parts of a record may overlap. The texts that are read must not be more than `max_text_bytes`
  // together, so that a small record cannot fill the memory.
  explicit WireReader(std::size_t max_text_bytes) : text_bytes_left_(max_text_bytes) {}

  [[nodiscard]] const absl::Status& status() const { return status_; }

  static absl::Status NewerSchema(absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("the record comes from a newer schema: this version does not know ", what));
  }

  // The fields of `wire` that TableOf<T> has. Fails where it has any with an id of `known_fields`
  // or above.
  template <typename T>
  T Table(const flatbuffers::Table& wire, std::size_t known_fields = kFieldCount<T>) {
    T table;
    ForEachField<T>([&]<typename V>(const Field<T, V>& field, std::size_t id) {
      Read(wire, id, field, table);
    });
    CheckKnown(wire, TableOf<T>::kName, known_fields);
    return table;
  }

 private:
  void Fail(const absl::Status& status) { status_.Update(status); }

  template <typename T, typename V>
  void Read(const flatbuffers::Table& wire, std::size_t id, const Field<T, V>& field, T& table) {
    const flatbuffers::voffset_t slot = WireSlot(id);
    V& value = table.*field.member;
    if constexpr (std::is_same_v<V, std::string>) {
      const auto* text = wire.GetPointer<const flatbuffers::String*>(slot);
      if (text != nullptr) value = Text(*text);
    } else if constexpr (IsVector<V>::value) {
      using Items = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;
      const auto* items = wire.GetPointer<const Items*>(slot);
      if (items == nullptr) return;
      for (const flatbuffers::Table* item : *items) {
        if (!status_.ok()) return;
        value.push_back(Table<typename IsVector<V>::Inner>(*item));
      }
    } else if constexpr (IsOptional<V>::value) {
      using Inner = typename IsOptional<V>::Inner;
      if (wire.CheckField(slot)) value = Number<Inner>(wire, slot);
    } else if (wire.CheckField(slot)) {
      value = Number<V>(wire, slot);
    }
    if (field.required && !wire.CheckField(slot)) {
      Fail(absl::InvalidArgumentError(
          absl::StrCat(TableOf<T>::kName, ".", field.name, " is missing")));
    }
  }

  template <typename V>
  V Number(const flatbuffers::Table& wire, flatbuffers::voffset_t slot) {
    const auto stored = wire.GetField<typename WireType<V>::Type>(slot, {});
    if constexpr (std::is_enum_v<V>) {
      if (stored > static_cast<std::underlying_type_t<V>>(kLastOf<V>)) {
        Fail(NewerSchema(absl::StrCat("the value ", stored, " of an enum")));
        return V{};
      }
    }
    if constexpr (std::is_same_v<V, bool>) {
      return stored != 0;
    } else {
      return static_cast<V>(stored);
    }
  }

  std::string Text(const flatbuffers::String& text) {
    if (text.size() > text_bytes_left_) {
      Fail(absl::InvalidArgumentError("the texts of the record overlap"));
      return {};
    }
    text_bytes_left_ -= text.size();
    return text.str();
  }

  void CheckKnown(const flatbuffers::Table& wire, absl::string_view name,
                  std::size_t known_fields) {
    const std::uint8_t* vtable = wire.GetVTable();
    const auto size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable);
    for (std::size_t id = known_fields; WireSlot(id) < size; ++id) {
      if (!wire.CheckField(WireSlot(id))) continue;
      Fail(NewerSchema(absl::StrCat("field ", id, " of ", name)));
      return;
    }
  }

  absl::Status status_;
  std::size_t text_bytes_left_;
};

// Bytes at an address that FlatBuffers can read them from; copied only where they must be.
class AlignedBytes {
 public:
  explicit AlignedBytes(absl::string_view bytes) : bytes_(bytes) {
    constexpr std::uintptr_t kAlignment = 8;
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment == 0) return;
    copy_.assign(bytes.begin(), bytes.end());
    bytes_ = absl::string_view(copy_.data(), copy_.size());
  }

  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  ~AlignedBytes() = default;

  [[nodiscard]] const std::uint8_t* data() const {
    return reinterpret_cast<const std::uint8_t*>(bytes_.data());
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<char> copy_;
  absl::string_view bytes_;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_WIRE_TABLES_H_
