// The version of the schemas in this folder.
#ifndef QMARKET_EVENTS_SCHEMA_VERSION_H_
#define QMARKET_EVENTS_SCHEMA_VERSION_H_

#include <cstdint>

namespace qmarket {

// Of events/*.fbs: goes up with every type or field that is added there.
inline constexpr std::uint32_t kSchemaVersion = 2;

}  // namespace qmarket

#endif  // QMARKET_EVENTS_SCHEMA_VERSION_H_
