// The versions that go with a build: of the program, of the market's rules, of the events' schema.
#ifndef QMARKET_CONNECTORS_CLI_VERSION_H_
#define QMARKET_CONNECTORS_CLI_VERSION_H_

#include <string>

namespace qmarket {

// "qmarket 0.1.0 (rules 1, schema 1)"
[[nodiscard]] std::string VersionText();

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_VERSION_H_
