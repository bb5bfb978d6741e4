// The document of `qmarket replay`: for programs as the contract has it, and for people.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_STATE_REPORT_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_STATE_REPORT_H_

#include "connectors/cli/json_writer.h"
#include "connectors/cli/output.h"
#include "replay/rebuild.h"

namespace qmarket {

void WriteReport(const StateReport& report, JsonWriter& json);

// One value a record: part of the document, name, field, value.
void PrintReportCsv(const StateReport& report, Output& out);

void PrintReport(const StateReport& report, Output& out);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_STATE_REPORT_H_
