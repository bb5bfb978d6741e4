#include "connectors/cli/version.h"

#include "absl/strings/str_cat.h"

#include "events/schema_version.h"
#include "matcher/core/market.h"

namespace qmarket {

std::string VersionText() {
  return absl::StrCat("qmarket ", QMARKET_VERSION, " (rules ", kRulesVersion, ", schema ",
                      kSchemaVersion, ")");
}

}  // namespace qmarket
