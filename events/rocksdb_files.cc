#include "events/rocksdb_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/options.h"

#include "events/rocksdb_journal.h"
#include "events/rocksdb_manifest.h"

namespace qmarket {
namespace {

constexpr int kAttempts = 20;
constexpr absl::Duration kPause = absl::Milliseconds(20);
constexpr std::size_t kReadBytes = 1 << 20;

// Nothing is written into the folder.
class NoMessages : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;

  void Logv(const char* /*format*/, std::va_list /*values*/) override {}
};

// None where there is no such file.
std::optional<std::string> ReadWhole(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::uint64_t NumberIn(absl::string_view name) {
  std::uint64_t number = 0;
  const std::size_t first = name.find_first_of("0123456789");
  if (first == absl::string_view::npos) return 0;
  const absl::string_view digits = name.substr(first, name.find_first_not_of("0123456789", first));
  return absl::SimpleAtoi(digits.substr(0, digits.find('.')), &number) ? number : 0;
}

// The table file that a message of RocksDB names; empty where there is none.
std::string TableNamedIn(absl::string_view message) {
  constexpr absl::string_view kEnding = ".sst";
  const std::size_t end = message.find(kEnding);
  if (end == absl::string_view::npos) return "";
  const std::size_t begin = message.find_last_not_of("0123456789", end - 1) + 1;
  return std::string(message.substr(begin, end + kEnding.size() - begin));
}

// One look at the files. Where a writer has just removed one, it is to be repeated.
class Look {
 public:
  explicit Look(const std::string& dir) : dir_(dir) {}

  DatabaseFiles Run() {
    CheckManifest();
    CheckJournals();
    // Where the tables are is only known if the MANIFEST is whole.
    if (found_.damages.empty() && !passing_) CheckTables();
    return std::move(found_);
  }

  // A file that was to be read is gone.
  [[nodiscard]] bool passing() const { return passing_; }

 private:
  void CheckManifest() {
    const std::optional<std::string> current = ReadWhole(dir_ + "/CURRENT");
    if (!current.has_value()) {
      passing_ = true;
      return;
    }
    ++found_.files;
    found_.bytes += current->size();
    absl::string_view name = *current;
    const bool named = absl::ConsumeSuffix(&name, "\n") && absl::StartsWith(name, "MANIFEST-");
    if (named) manifest_ = ReadWhole(absl::StrCat(dir_, "/", name));
    if (!manifest_.has_value()) {
      Damaged("CURRENT", std::nullopt, "it names no MANIFEST that is there");
      return;
    }
    CheckJournalFile(std::string(name), *manifest_);
  }

  void CheckJournals() {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator file(dir_, error), end; !error && file != end;
         file.increment(error)) {
      if (file->path().extension() == ".log") names.push_back(file->path().filename().string());
    }
    std::ranges::sort(names);
    for (const std::string& name : names) {
      const std::optional<std::string> bytes = ReadWhole(dir_ + "/" + name);
      if (bytes.has_value()) CheckJournalFile(name, *bytes);
      passing_ = passing_ || !bytes.has_value();
    }
  }

  void CheckJournalFile(const std::string& name, absl::string_view bytes) {
    const JournalCheck check = CheckJournal(bytes, NumberIn(name));
    ++found_.files;
    found_.bytes += check.bytes;
    if (!check.damage.has_value()) return;
    Damaged(name, check.damage->position,
            check.damage->torn ? absl::StrCat(check.damage->what,
                                              "; a writer that was stopped while it wrote leaves "
                                              "this too, and mends it when it is started again")
                               : check.damage->what);
  }

  void CheckTables() {
    const std::optional<std::vector<TableFile>> tables = TablesOfManifest(*manifest_);
    for (const TableFile& table : tables.value_or(std::vector<TableFile>()))
      CheckTable(table);
    // What has no checksum of its own is left to RocksDB.
    const bool unknown = !tables.has_value() || found_.without_checksum > 0;
    if (!unknown || !found_.damages.empty() || passing_) return;
    rocksdb::Options options;
    options.info_log = std::make_shared<NoMessages>();
    rocksdb::DB* opened = nullptr;
    rocksdb::Status status = rocksdb::DB::OpenForReadOnly(options, dir_, &opened);
    const std::unique_ptr<rocksdb::DB> db(opened);
    if (status.ok()) status = db->VerifyChecksum();
    if (!status.ok()) Damaged(TableNamedIn(status.ToString()), std::nullopt, status.ToString());
  }

  void CheckTable(const TableFile& table) {
    const std::string name = absl::StrFormat("%06d.sst", table.number);
    std::ifstream stream(dir_ + "/" + name, std::ios::binary);
    if (!stream) {
      passing_ = true;
      Damaged(name, std::nullopt, "it is missing");
      return;
    }
    ++found_.files;
    const std::unique_ptr<rocksdb::FileChecksumGenerator> generator =
        rocksdb::GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator({});
    std::uint64_t bytes = 0;
    std::string buffer(kReadBytes, '\0');
    while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
           stream.gcount() > 0) {
      generator->Update(buffer.data(), static_cast<std::size_t>(stream.gcount()));
      bytes += static_cast<std::uint64_t>(stream.gcount());
    }
    generator->Finalize();
    found_.bytes += bytes;
    if (bytes != table.bytes) {
      Damaged(name, std::nullopt, absl::StrCat("it has ", bytes, " bytes, and had ", table.bytes));
    } else if (table.checksum_name != generator->Name()) {
      ++found_.without_checksum;
    } else if (generator->GetChecksum() != table.checksum) {
      Damaged(name, std::nullopt,
              "its bytes are not those that were written: the checksum of the file is wrong");
    }
  }

  void Damaged(std::string file, std::optional<std::uint64_t> position, std::string what) {
    found_.damages.push_back(
        {.file = std::move(file), .position = position, .what = std::move(what)});
  }

  const std::string& dir_;
  DatabaseFiles found_;
  std::optional<std::string> manifest_;
  bool passing_ = false;
};

}  // namespace

absl::StatusOr<DatabaseFiles> CheckDatabaseFiles(const std::string& dir) {
  std::error_code error;
  if (!std::filesystem::exists(dir + "/CURRENT", error)) {
    return absl::NotFoundError(absl::StrCat("there is no database in ", dir));
  }
  DatabaseFiles files;
  bool passing = false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Look look(dir);
    files = look.Run();
    passing = look.passing();
    if (files.damages.empty() && !passing) return files;
    if (!HasWriter(dir)) return files;
    absl::SleepFor(kPause);  // a live writer: what it is about to write, or has just removed
  }
  if (passing) {
    return absl::UnavailableError(absl::StrCat(dir, ": its writer changes it too fast to be read"));
  }
  return files;
}

bool HasWriter(const std::string& dir) {
  const int file = open((dir + "/LOCK").c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return false;

  struct flock lock {};

  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool held = fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(file);
  return held;
}

}  // namespace qmarket
