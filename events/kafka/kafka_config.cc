#include "events/kafka/kafka_config.h"

#include <cstddef>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace qmarket {

absl::StatusOr<std::vector<KafkaProperty>> ReadKafkaProperties(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  std::vector<KafkaProperty> properties;
  std::set<std::string> keys;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty() || text.front() == '#') continue;
    const auto problem = [&](absl::string_view what) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", what));
    };
    const std::size_t equals = text.find('=');
    if (equals == absl::string_view::npos) return problem("no \"=\"; expected key=value");
    KafkaProperty property = {
        .key = std::string(absl::StripAsciiWhitespace(text.substr(0, equals))),
        .value = std::string(absl::StripAsciiWhitespace(text.substr(equals + 1)))};
    if (property.key.empty()) return problem("no key before \"=\"; expected key=value");
    if (!keys.insert(property.key).second) {
      return problem(absl::StrCat(property.key, " is given twice"));
    }
    properties.push_back(std::move(property));
  }
  if (file.bad()) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  return properties;
}

}  // namespace qmarket
