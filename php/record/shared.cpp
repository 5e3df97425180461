#include "record/shared.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "record/last_step.hpp"

namespace assay::php {

namespace {

void make_mutex(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

// Only the first process after a start of the machine or of the server may do this.
void make_mutexes(SharedHead& head) {
  make_mutex(head.table_lock);
  make_mutex(head.commit_step_lock);
  for (SharedHead::Reader& reader : head.readers) make_mutex(reader.lock);
}

std::string trouble(const std::string& path, const char* what) {
  return path + ": " + what + ": " + std::strerror(errno);
}

}  // namespace

Shared::~Shared() {
  if (head_ != nullptr) munmap(head_, size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string Shared::open(const std::string& path, std::size_t size) {
  folder_ = path.substr(0, path.rfind('/'));
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0660);
  if (descriptor_ < 0) return trouble(path, "cannot be opened");
  // Whoever gets the file for itself alone finds nobody in the middle of anything; the others wait here until
  // it is ready. Forked workers share this lock, so it is held as long as any of them lives.
  const bool alone = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  if (!alone && flock(descriptor_, LOCK_SH) != 0) return trouble(path, "cannot be locked");
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) return trouble(path, "cannot be examined");
  const auto present = static_cast<std::size_t>(status.st_size);
  size_ = present >= sizeof(SharedHead) ? present : std::max(size, 2 * sizeof(SharedHead));
  if (alone && present != size_ && ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
    return trouble(path, "cannot be made large enough");
  }
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) return trouble(path, "cannot be mapped");
  head_ = static_cast<SharedHead*>(memory);
  if (alone) {
    if (head_->magic.load() != SharedHead::kMagic) {
      if (present != 0) return path + ": is not the recorder's shared memory";
      head_->size = size_;
      head_->unused = (sizeof(SharedHead) + 63) / 64 * 64;
    }
    make_mutexes(*head_);
    finish_table_step(*this);
    finish_commit_step(*this);
    head_->magic.store(SharedHead::kMagic);
    if (flock(descriptor_, LOCK_SH) != 0) return trouble(path, "cannot be locked");
  }
  if (head_->magic.load() != SharedHead::kMagic || head_->size != size_)
    return path + ": is not the recorder's shared memory";
  return {};
}

bool lock_robust(pthread_mutex_t& mutex) {
  if (pthread_mutex_lock(&mutex) != EOWNERDEAD) return false;
  pthread_mutex_consistent(&mutex);
  return true;
}

}  // namespace assay::php
