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
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"

#include "events/rocksdb_journal.h"
#include "events/rocksdb_status.h"

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

// One look at the files. Where a writer has just removed one, it is to be repeated.
class Look {
 public:
  explicit Look(const std::string& dir) : dir_(dir) {}

  DatabaseFiles Run() {
    CheckManifest();
    CheckJournals();
    if (found_.damages.empty()) CheckTables();
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
    if (!absl::ConsumeSuffix(&name, "\n") || !absl::StartsWith(name, "MANIFEST-") ||
        !ReadWhole(absl::StrCat(dir_, "/", name)).has_value()) {
      Damaged("CURRENT", std::nullopt, "it names no MANIFEST that is there");
      return;
    }
    CheckJournalFile(std::string(name));
  }

  void CheckJournals() {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator file(dir_, error), end; !error && file != end;
         file.increment(error)) {
      if (file->path().extension() == ".log") names.push_back(file->path().filename().string());
    }
    std::ranges::sort(names);
    for (const std::string& name : names)
      CheckJournalFile(name);
  }

  void CheckJournalFile(const std::string& name) {
    const std::optional<std::string> bytes = ReadWhole(dir_ + "/" + name);
    if (!bytes.has_value()) {
      passing_ = true;
      return;
    }
    const JournalCheck check = CheckJournal(*bytes, NumberIn(name));
    ++found_.files;
    found_.bytes += check.bytes;
    if (check.damage.has_value()) {
      Damaged(name, check.damage->position,
              check.damage->torn
                  ? absl::StrCat(check.damage->what,
                                 "; a writer that was stopped while it wrote leaves this too, and "
                                 "mends it when it is started again")
                  : check.damage->what);
    }
  }

  void CheckTables() {
    rocksdb::Options options;
    options.info_log = std::make_shared<NoMessages>();
    options.skip_stats_update_on_db_open = true;
    options.max_open_files = 20;
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    rocksdb::DB* opened = nullptr;
    const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(options, dir_, &opened);
    const std::unique_ptr<rocksdb::DB> db(opened);
    if (!status.ok()) {
      Damaged("", std::nullopt, absl::StrCat("it cannot be opened: ", status.ToString()));
      return;
    }
    std::vector<rocksdb::LiveFileMetaData> tables;
    db->GetLiveFilesMetaData(&tables);
    std::ranges::sort(tables, {}, &rocksdb::LiveFileMetaData::relative_filename);
    bool blocks = false;
    for (const rocksdb::LiveFileMetaData& table : tables)
      blocks = !CheckTable(table) || blocks;
    if (!blocks || !found_.damages.empty()) return;
    if (const rocksdb::Status read = db->VerifyChecksum(); !read.ok()) {
      Damaged("", std::nullopt, read.ToString());
    }
  }

  // False where there is no checksum of the file to hold it against.
  bool CheckTable(const rocksdb::LiveFileMetaData& table) {
    ++found_.files;
    found_.bytes += table.size;
    const auto factory = rocksdb::GetFileChecksumGenCrc32cFactory();
    const std::unique_ptr<rocksdb::FileChecksumGenerator> generator =
        factory->CreateFileChecksumGenerator({});
    if (table.file_checksum_func_name != generator->Name()) {
      ++found_.without_checksum;
      return false;
    }
    std::ifstream stream(dir_ + "/" + table.relative_filename, std::ios::binary);
    if (!stream) {
      passing_ = true;
      Damaged(table.relative_filename, std::nullopt, "it is missing");
      return true;
    }
    std::string buffer(kReadBytes, '\0');
    while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
           stream.gcount() > 0) {
      generator->Update(buffer.data(), static_cast<std::size_t>(stream.gcount()));
    }
    generator->Finalize();
    if (generator->GetChecksum() != table.file_checksum) {
      Damaged(table.relative_filename, std::nullopt,
              "its bytes are not those that were written: the checksum of the file is wrong");
    }
    return true;
  }

  void Damaged(std::string file, std::optional<std::uint64_t> position, std::string what) {
    found_.damages.push_back(
        {.file = std::move(file), .position = position, .what = std::move(what)});
  }

  const std::string& dir_;
  DatabaseFiles found_;
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
