#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/key_file.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/input.h"
#include "connectors/cli/json_writer.h"
#include "connectors/cli/options.h"
#include "connectors/cli/records.h"
#include "connectors/cli/text.h"
#include "events/event_log.h"
#include "events/fingerprint.h"
#include "ledger/store/store.h"
#include "replay/signature.h"
#include "replay/statement.h"

namespace qmarket {
namespace {

constexpr char kNotASigner[] =
    "This proves that the statement is whole, not who signed it: hold the key above against the "
    "one that you know, or give it with --public-key.";

// What a verification found.
struct Verified {
  std::string failure;      // empty: nothing is wrong
  bool pinned = false;      // the key is the one that was given
  bool with_books = false;  // held against a ledger
  std::string books_note;   // why not
};

class AuditStatementCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "statement",
            .group = kAuditGroup,
            .summary = "State all balances as of a moment, signed; verify such a statement",
            .explanation =
                "Prints what the books say as of a moment (--at, --offset; now, if neither is "
                "given): the balance of every account, and the digest of all that had happened. "
                "What happened at that very time is in it: --at 2026-02-01 has the settlement of "
                "that midnight, the last one of January. "
                "With --key it is signed (Ed25519). Where standard output is no terminal the "
                "statement is printed as the JSON document that can be verified, else as a table. "
                "With --verify it checks the signature of one, and holds it against the books of "
                "the data folder, if there are some; it exits with 4 where anything differs. "
                "--public-key says whose signature it must be. --new-key makes a key, and prints "
                "its public part.",
            .example =
                "qmarket audit statement --new-key books.pem > books-public.pem\n"
                "  qmarket audit statement --at 2026-02-01 --key books.pem > january.json\n"
                "  qmarket audit statement --verify january.json --public-key books-public.pem"};
  }

  void AddOptions(CLI::App& app) override {
    data_option_ = AddDataOption(app, options_.data_dir);
    AddLogOptions(app, options_.log);
    CLI::Option* offset =
        app.add_option("--offset", options_.offset, "As of this offset")->type_name("N");
    CLI::Option* at =
        app.add_option("--at", options_.at, "As of this time: ISO 8601, or ms since the epoch")
            ->type_name("TIME")
            ->excludes(offset);
    CLI::Option* key =
        app.add_option("--key", key_path_, "Sign with this private key (PEM)")->type_name("FILE");
    CLI::Option* verify =
        app.add_option("--verify", verify_path_, "Verify this statement; - is stdin")
            ->type_name("FILE")
            ->excludes(offset)
            ->excludes(at)
            ->excludes(key);
    CLI::Option* public_key =
        app.add_option("--public-key", public_key_path_,
                       "With --verify: it must be signed with the key that this belongs to (PEM)")
            ->type_name("FILE")
            ->needs(verify);
    app.add_option("--new-key", new_key_path_, "Make a private key in this new file, and end")
        ->type_name("FILE")
        ->excludes(offset)
        ->excludes(at)
        ->excludes(key)
        ->excludes(verify)
        ->excludes(public_key);
    format_option_ = AddFormatOption(app, options_.format);
  }

  absl::Status Run(Output& out) override {
    if (options_.format == Format::kCsv) return UsageError("--format is table or json here");
    if (absl::Status checked = CheckLogOptions(options_.log); !checked.ok()) return checked;
    if (!new_key_path_.empty()) return MakeKey(out);
    return verify_path_.empty() ? Make(out) : Verify(out);
  }

 private:
  absl::Status MakeKey(Output& out) const {
    const absl::StatusOr<SigningKey> key = MakeKeyFile(new_key_path_);
    if (!key.ok()) return key.status();
    std::cerr << absl::StrCat("qmarket: ", new_key_path_,
                              " is a private key: keep it secret. Its public part, for those who "
                              "verify, follows.\n");
    out.Write(PublicKeyToPem(key->public_key()));
    return absl::OkStatus();
  }

  absl::Status Make(Output& out) const {
    // The key is read first, so that a wrong one is found before the books are.
    std::optional<SigningKey> key;
    if (!key_path_.empty()) {
      absl::StatusOr<SigningKey> read = ReadKeyFile(key_path_);
      if (!read.ok()) return read.status();
      key = *std::move(read);
    }
    const absl::StatusOr<Query> query = Query::Open(options_);
    if (!query.ok()) return query.status();
    if (absl::Status same = CheckLogBeside(query->store().state()); !same.ok()) return same;
    if (!query->offset().has_value()) {
      return absl::FailedPreconditionError(
          "there is nothing to state: no event had taken effect by then");
    }
    absl::StatusOr<Statement> statement =
        MakeStatement(query->store(), options_.log.market, *query->offset());
    if (!statement.ok()) return statement.status();
    SealedStatement sealed = {.statement = *std::move(statement), .seal = std::nullopt};
    if (key.has_value()) {
      sealed.seal = Seal{.public_key = key->public_key(),
                         .signature = key->Sign(StatementBody(sealed.statement))};
    }
    const bool for_people =
        format_option_->count() > 0 ? options_.format == Format::kTable : out.is_terminal();
    if (for_people) {
      PrintTable(sealed, out);
    } else {
      out.Write(StatementText(sealed));
    }
    return absl::OkStatus();
  }

  // A statement of a ledger that was made from another log than the one beside it would be signed
  // unaware. One whose log is on Kafka, or cannot be opened, states what the ledger has.
  [[nodiscard]] absl::Status CheckLogBeside(const StoreState& state) const {
    if (options_.log.kafka()) return absl::OkStatus();
    const absl::StatusOr<std::unique_ptr<EventLog>> log =
        OpenLogForReading(options_.log, options_.data_dir);
    return log.ok() ? CheckLogOfStore(**log, state, options_.log, options_.data_dir)
                    : absl::OkStatus();
  }

  static void PrintTable(const SealedStatement& sealed, Output& out) {
    const Statement& statement = sealed.statement;
    RecordPrinter printer(out, Format::kTable, "balances",
                          {{"account", "account"},
                           {"currency", "currency"},
                           {"balance_micros", "balance cr", Kind::kMicros}});
    out.Write(absl::StrCat("Market ", statement.market, " of the log ", statement.log, "\n"));
    printer.Moment(statement.offset, statement.effective_time_ms);
    for (const StatedBalance& balance : statement.balances) {
      printer.Add({balance.account, balance.currency, balance.balance_micros});
    }
    printer.Finish("No account has had a posting.");
    out.Write(absl::StrCat("\ndigest ", ToHex(statement.digest), "\n"));
    out.Write(sealed.seal.has_value()
                  ? absl::StrCat("signed with the key ", PublicKeyText(sealed.seal->public_key),
                                 "; --format json is what can be verified\n")
                  : "not signed\n");
  }

  absl::Status Verify(Output& out) const {
    std::optional<PublicKey> pinned;
    if (!public_key_path_.empty()) {
      const absl::StatusOr<PublicKey> key = ReadPublicKeyFile(public_key_path_);
      if (!key.ok()) return key.status();
      pinned = *key;
    }
    absl::StatusOr<InputFile> input = InputFile::Open(verify_path_);
    if (!input.ok()) return input.status();
    const absl::StatusOr<std::string> text = input->ReadAll();
    if (!text.ok()) return text.status();
    const absl::StatusOr<SealedStatement> sealed = ReadStatement(*text);
    if (!sealed.ok()) {
      return VerificationError(absl::StrCat(input->name(), ": ", sealed.status().message()));
    }
    Verified verified;
    verified.failure = CheckSeal(*sealed, pinned);
    verified.pinned = pinned.has_value();
    if (verified.failure.empty()) {
      if (absl::Status checked = CheckBooks(sealed->statement, verified); !checked.ok()) {
        return checked;
      }
    }
    Print(*sealed, verified, out);
    if (verified.failure.empty()) return absl::OkStatus();
    return VerificationError(absl::StrCat(input->name(), ": ", verified.failure));
  }

  // What is wrong with the signature; empty where nothing is.
  static std::string CheckSeal(const SealedStatement& sealed,
                               const std::optional<PublicKey>& pinned) {
    if (!sealed.seal.has_value()) return "the statement is not signed";
    if (pinned.has_value() && *pinned != sealed.seal->public_key) {
      return absl::StrCat("signed with the key ", PublicKeyText(sealed.seal->public_key),
                          ", expected ", PublicKeyText(*pinned));
    }
    return IsSealed(sealed) ? "" : "the signature is not that of this statement and this key";
  }

  // Holds the statement against the ledger. A folder that was not asked for by name need not be
  // there, nor be of that market.
  absl::Status CheckBooks(const Statement& statement, Verified& verified) const {
    const bool asked = data_option_->count() > 0;
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store =
        OpenStoreForReading(options_.log, options_.data_dir);
    if (!asked && absl::IsNotFound(store.status())) {
      verified.books_note = absl::StrCat(options_.data_dir, " has no ledger of this market");
      return absl::OkStatus();
    }
    if (!store.ok()) return store.status();
    if (!asked && (*store)->state().log_identity != statement.log) {
      verified.books_note = absl::StrCat(options_.data_dir, " has the ledger of another log");
      return absl::OkStatus();
    }
    const absl::StatusOr<std::optional<std::string>> difference =
        CompareWithBooks(statement, **store, options_.log.market);
    if (!difference.ok()) return difference.status();
    verified.with_books = true;
    verified.failure = difference->value_or("");
    return absl::OkStatus();
  }

  void Print(const SealedStatement& sealed, const Verified& verified, Output& out) const {
    const Statement& statement = sealed.statement;
    const std::string key =
        sealed.seal.has_value() ? PublicKeyText(sealed.seal->public_key) : std::string();
    const bool good = verified.failure.empty();
    if (options_.format == Format::kJson) {
      JsonWriter json;
      json.BeginObject()
          .Field("verified", good)
          .Field("market", statement.market)
          .Field("log", statement.log)
          .Field("offset", statement.offset)
          .Field("time_ms", statement.effective_time_ms)
          .Field("digest", ToHex(statement.digest))
          .Field("accounts", statement.balances.size())
          .Key("public_key");
      if (key.empty()) {
        json.Null();
      } else {
        json.Value(key);
      }
      json.Field("expected_key", verified.pinned).Field("held_against_books", verified.with_books);
      if (!good) json.Field("difference", verified.failure);
      out.Write(json.EndObject().Take());
      return;
    }
    if (!good) return;
    out.Write(absl::StrCat(
        "The signature is good: market ", statement.market, ", offset ", statement.offset,
        statement.effective_time_ms.has_value()
            ? absl::StrCat(", ", TimeText(*statement.effective_time_ms))
            : "",
        ", ", CountText(Int128{statement.balances.size()}), " accounts.\n",
        verified.with_books
            ? "The books say the same, balance by balance, and have its digest.\n"
            : absl::StrCat("Not held against any books: ", verified.books_note, ".\n"),
        "key ", key, "\n", verified.pinned ? "" : absl::StrCat(kNotASigner, "\n")));
  }

  QueryOptions options_;
  std::string key_path_;
  std::string verify_path_;
  std::string public_key_path_;
  std::string new_key_path_;
  CLI::Option* data_option_ = nullptr;
  CLI::Option* format_option_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> NewAuditStatementCommand() {
  return std::make_unique<AuditStatementCommand>();
}

}  // namespace qmarket
