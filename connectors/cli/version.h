// The versions that go with a build: of the program, of the market's rules, of the events' schema.
#ifndef QMARKET_CONNECTORS_CLI_VERSION_H_
#define QMARKET_CONNECTORS_CLI_VERSION_H_

#include <cstdint>
#include <string>

namespace qmarket {

// Of events/*.fbs: goes up with every type or field that is added there.
inline constexpr std::uint32_t kSchemaVersion = 1;

// "qmarket 0.1.0 (rules 1, schema 1)"
[[nodiscard]] std::string VersionText();

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_VERSION_H_
