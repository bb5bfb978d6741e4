// The schemas say the same as the tables of fields in code: names, ids, types, defaults, and what
// is required.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <variant>

#include "flatbuffers/reflection.h"
#include "gtest/gtest.h"

#include "events/event_fields.h"
#include "events/events_bfbs_generated.h"
#include "events/outcome_fields.h"
#include "events/outcomes_bfbs_generated.h"

namespace qmarket {
namespace {

const reflection::Schema& EventSchema() {
  return *reflection::GetSchema(fbs::EventBinarySchema::data());
}

const reflection::Schema& OutcomeSchema() {
  return *reflection::GetSchema(fbs::OutcomeBinarySchema::data());
}

// By name among tables or enums; nullptr where there is none.
template <typename List>
auto Find(const List& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto* item) {
    return item->name()->str() == "qmarket.fbs." + name;
  });
  return found == list.end() ? nullptr : *found;
}

template <typename V>
reflection::BaseType BaseTypeOf() {
  if constexpr (IsOptional<V>::value) {
    return BaseTypeOf<typename IsOptional<V>::Inner>();
  } else if constexpr (IsVector<V>::value) {
    return reflection::Vector;
  } else if constexpr (std::is_same_v<V, std::string>) {
    return reflection::String;
  } else if constexpr (std::is_same_v<V, bool>) {
    return reflection::Bool;
  } else if constexpr (std::is_enum_v<V>) {
    return reflection::UByte;
  } else if constexpr (std::is_same_v<V, std::int64_t>) {
    return reflection::Long;
  } else if constexpr (std::is_same_v<V, std::uint64_t>) {
    return reflection::ULong;
  } else if constexpr (std::is_same_v<V, std::int32_t>) {
    return reflection::Int;
  } else {
    static_assert(std::is_same_v<V, std::uint32_t>);
    return reflection::UInt;
  }
}

std::map<std::size_t, const reflection::Field*> ById(const reflection::Object& table) {
  std::map<std::size_t, const reflection::Field*> fields;
  for (const reflection::Field* field : *table.fields())
    fields[field->id()] = field;
  return fields;
}

// `more` fields follow those of the table in code.
template <typename T>
void ExpectSameFields(const reflection::Schema& schema, bool all_texts_required, std::size_t more) {
  const std::string name(TableOf<T>::kName);
  const reflection::Object* table = Find(*schema.objects(), name);
  ASSERT_NE(table, nullptr) << name;
  std::map<std::size_t, const reflection::Field*> fields = ById(*table);
  EXPECT_EQ(fields.size(), kFieldCount<T> + more) << name;
  [[maybe_unused]] const T defaults;
  ForEachField<T>([&]<typename V>(const Field<T, V>& field, std::size_t id) {
    ASSERT_TRUE(fields.contains(id)) << name << " " << field.name;
    const reflection::Field& wire = *fields[id];
    const std::string about = name + "." + wire.name()->str();
    EXPECT_EQ(wire.name()->str(), field.name);
    EXPECT_EQ(wire.type()->base_type(), BaseTypeOf<V>()) << about;
    if constexpr (std::is_same_v<V, std::string> || IsVector<V>::value) {
      EXPECT_EQ(wire.required(), field.required || all_texts_required) << about;
    } else if constexpr (IsOptional<V>::value) {
      EXPECT_TRUE(wire.optional()) << about;
    } else {
      EXPECT_EQ(wire.optional(), field.required) << about;
      const auto value = static_cast<std::int64_t>(defaults.*field.member);
      if (!field.required) {
        EXPECT_EQ(wire.default_integer(), value) << about;
      }
    }
  });
}

template <typename Variant, std::size_t... Index>
void ExpectSameUnion(const reflection::Schema& schema, const std::string& name,
                     std::index_sequence<Index...>) {
  const reflection::Enum* types = Find(*schema.enums(), name);
  ASSERT_NE(types, nullptr);
  EXPECT_EQ(types->values()->size(), std::variant_size_v<Variant> + 1);  // with NONE
  for (const reflection::EnumVal* value : *types->values()) {
    const std::vector<std::string> names = {
        "NONE", std::string(TableOf<std::variant_alternative_t<Index, Variant>>::kName)...};
    ASSERT_LT(static_cast<std::size_t>(value->value()), names.size());
    EXPECT_EQ(value->name()->str(), names[static_cast<std::size_t>(value->value())]);
  }
}

template <typename E>
void ExpectSameEnum(const std::string& name) {
  const reflection::Enum* values = Find(*OutcomeSchema().enums(), name);
  ASSERT_NE(values, nullptr);
  EXPECT_EQ(values->values()->size(), static_cast<std::size_t>(kLastOf<E>) + 1);
  for (const reflection::EnumVal* value : *values->values()) {
    EXPECT_EQ(value->name()->str(), EnumName(static_cast<E>(value->value())));
  }
}

TEST(EventSchema, HasTheFieldsOfTheTables) {
  ExpectSameFields<Event>(EventSchema(), false, 2);  // payload_type and payload
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (ExpectSameFields<std::variant_alternative_t<Index, Payload>>(EventSchema(), false, 0), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Payload>>());
  // One table for the event and one for each payload: none is left out here.
  EXPECT_EQ(EventSchema().objects()->size(), 1 + std::variant_size_v<Payload>);
}

TEST(EventSchema, HasTheUnionOfTheTypes) {
  ExpectSameUnion<Payload>(EventSchema(), "Payload",
                           std::make_index_sequence<std::variant_size_v<Payload>>());
  EXPECT_EQ(EventSchema().file_ident()->str(), "QMEV");
  EXPECT_EQ(EventSchema().root_table()->name()->str(), "qmarket.fbs.Event");
}

TEST(OutcomeSchema, HasTheFieldsOfTheTables) {
  ExpectSameFields<PoolCleared>(OutcomeSchema(), true, 0);
  ExpectSameFields<MarketCleared>(OutcomeSchema(), true, 0);
  ExpectSameFields<QuotaChanged>(OutcomeSchema(), true, 0);
  ExpectSameFields<BidFilled>(OutcomeSchema(), true, 0);
  ExpectSameFields<BidPreempted>(OutcomeSchema(), true, 0);
  ExpectSameFields<CreditsPosted>(OutcomeSchema(), true, 0);
  ExpectSameFields<EventLate>(OutcomeSchema(), true, 0);
  // The event, EventRejected (with an offset of its own) and those above.
  EXPECT_EQ(OutcomeSchema().objects()->size(), 2U + 7U);
}

TEST(OutcomeSchema, HasTheUnionAndEnums) {
  ExpectSameUnion<Outcome>(OutcomeSchema(), "OutcomePayload",
                           std::make_index_sequence<std::variant_size_v<Outcome>>());
  ExpectSameEnum<RejectionCode>("RejectionCode");
  ExpectSameEnum<PostingKind>("PostingKind");
  EXPECT_EQ(OutcomeSchema().file_ident()->str(), "QMOC");
}

}  // namespace
}  // namespace qmarket
