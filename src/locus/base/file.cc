#include "locus/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "locus/base/error.h"

namespace locus {
namespace {

[[noreturn]] void fail_io(const char* action, const std::string& path) {
  fail(Fault::io, "cannot {} '{}': {}", action, path, std::strerror(errno));
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

// After a rename the directory itself must reach the disk, or the new name may be lost with the power.
void sync_directory(const std::filesystem::path& directory) {
  const Descriptor handle(
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() < 0 || (::fsync(handle.get()) != 0 && errno != EINVAL))
    fail_io("sync the folder", directory);
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t limit) {
  // O_NONBLOCK: opening a pipe must not wait for a writer; it is refused below.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail_io("open", path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail_io("look at", path);
  if (!S_ISREG(info.st_mode)) fail(Fault::io, "cannot read '{}': it is not a regular file", path.string());
  const auto size = static_cast<uint64_t>(info.st_size);
  require(size <= limit, "'{}' has {} bytes, expected at most {}", path.string(), size, limit);
  std::vector<std::byte> bytes(size);
  for (uint64_t done = 0; done < size;) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, std::min<uint64_t>(size - done, 1 << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io("read", path);
    require(got > 0, "'{}' became shorter while it was read: {} of {} bytes", path.string(), done, size);
    done += static_cast<uint64_t>(got);
  }
  return bytes;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  struct stat info {};
  // The rename would put a file in the place of a device or a pipe, and root is allowed to.
  if (::stat(path_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    fail(Fault::io, "cannot write '{}': it is there and not a regular file", path_.string());
  }
  static std::atomic<uint64_t> serial{0};
  do {  // a name may be taken by the debris of a killed process
    temporary_ = fmt::format("{}.{}-{}.part", path_.string(), ::getpid(), serial++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && (errno == EEXIST || errno == EINTR));
  if (descriptor_ < 0) fail_io("create a file beside", path_);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), std::min<size_t>(bytes.size(), 1 << 30));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_io("write", path_);
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail_io("sync", path_);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_io("put in place", path_);
  ::close(std::exchange(descriptor_, -1));
  sync_directory(path_.parent_path());
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace locus
