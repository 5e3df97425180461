#include "record/last_step.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

#include "audit/wire/file_frame.hpp"
#include "record/journal.hpp"
#include "record/kv_table.hpp"

namespace assay::php {

namespace {

// The record is there already, behind the end.
void lengthen_tail(const Shared& shared, const SharedHead::Step& step) {
  const std::string path =
      Journal::path(shared.folder(), step.worker.load()) + std::string(audit::wire::kTailSuffix);
  const int tail = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (tail < 0) return;
  const std::uint64_t used = step.used;
  static_cast<void>(::pwrite(tail, &used, sizeof used, audit::wire::kFileHead + 8));
  ::close(tail);
}

// A log that was begun anew has new salt and starts at its first frame.
bool has_grown(const WalPosition& before, const WalPosition& now) {
  return now.salt == before.salt ? now.frames > before.frames : now.frames > 0;
}

// The dead may have written the pages of its commit, all of them, but not the index of the log. Then it has not
// happened, until somebody opens the database alone and makes a new index of what he finds. So the first of
// those pages is made one that belongs to no log. Nobody else writes there: who has taken no slot since the death
// has written nothing, and who takes one comes here first.
void erase_leftover(const std::string& database, const WalPosition& now) {
  constexpr std::size_t kHead = 32, kFrameHead = 24, kPageSize = 8;
  const int log = ::open((database + "-wal").c_str(), O_RDWR | O_CLOEXEC);
  if (log < 0) return;
  std::array<unsigned char, 4> size{};
  if (::pread(log, size.data(), size.size(), kPageSize) == static_cast<ssize_t>(size.size())) {
    const std::uint64_t page = std::uint64_t{size[0]} << 24 | size[1] << 16 | size[2] << 8 | size[3];
    const auto place = static_cast<off_t>(kHead + now.frames * (kFrameHead + page));
    const std::array<char, kFrameHead> nothing{};
    if (lseek(log, 0, SEEK_END) > place)
      static_cast<void>(::pwrite(log, nothing.data(), nothing.size(), place));
  }
  ::close(log);
}

// A connection that reads, which makes SQLite repair what the death has left. The last one to be closed removes the log.
class Reader {
 public:
  explicit Reader(const char* path) {
    good_ = sqlite3_open_v2(path, &database_, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK &&
            sqlite3_busy_timeout(database_, 10000) == SQLITE_OK &&
            sqlite3_prepare_v2(database_, "PRAGMA schema_version", -1, &statement_, nullptr) == SQLITE_OK &&
            sqlite3_step(statement_) == SQLITE_ROW;
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    sqlite3_finalize(statement_);
    sqlite3_close_v2(database_);
  }
  bool good() const { return good_; }
  WalPosition position() const { return wal_position(database_); }

 private:
  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  bool good_ = false;
};

}  // namespace

void finish_table_step(Shared& shared) {
  SharedHead::TableStep& step = shared.head().table_step;
  if (step.worker.load() == 0) return;
  KvTable(shared).apply({step.word, step.value, 0});
  lengthen_tail(shared, step);
  step.worker.store(0);
}

void finish_commit_step(Shared& shared) {
  SharedHead::CommitStep& step = shared.head().commit_step;
  // Several may come here, each with the slot that it waited for.
  lock_robust(shared.head().commit_step_lock);
  if (step.worker.load() != 0) {
    const Reader reader(step.database);
    const WalPosition now = reader.good() ? reader.position() : step.before;
    if (has_grown(step.before, now)) {
      lengthen_tail(shared, step);
    } else if (reader.good()) {
      erase_leftover(step.database, now);
    }
    step.worker.store(0);
  }
  pthread_mutex_unlock(&shared.head().commit_step_lock);
}

WalPosition wal_position(sqlite3* database) {
  // The head of SQLite's index of the log ("WAL-mode File Format", section 2.1), read through SQLite: a file
  // descriptor of our own would take its locks away when it is closed.
  constexpr int kIndexPage = 32768;
  constexpr std::size_t kFrames = 16, kSalt = 32;
  WalPosition position{};
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return position;
  if (file->pMethods == nullptr || file->pMethods->iVersion < 2) return position;
  void volatile* page = nullptr;
  if (file->pMethods->xShmMap(file, 0, kIndexPage, 0, &page) != SQLITE_OK || page == nullptr) return position;
  const auto* bytes = const_cast<const char*>(static_cast<char volatile*>(page));
  std::memcpy(&position.frames, bytes + kFrames, sizeof position.frames);
  std::memcpy(&position.salt, bytes + kSalt, sizeof position.salt);
  return position;
}

}  // namespace assay::php
