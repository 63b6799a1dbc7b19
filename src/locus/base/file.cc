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
  const Code code = errno == ENOENT ? Code::missing_file : Code::none;
  fail({Fault::io, code}, "cannot {} '{}': {}", action, path, std::strerror(errno));
}

struct stat state_of(const Descriptor& file, const std::string& path) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail_io("get the status of", path);
  return info;
}

int64_t time_written(const struct stat& info) {
  return int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

std::string name_of_open(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// An unnamed file in the folder of `path`. It vanishes with the process unless it gets a name. -1 if the
// system has no unnamed files, or no way to name them later.
int open_nameless(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (file < 0 || ::access(name_of_open(file).c_str(), F_OK) == 0) return file;
  ::close(file);
  return -1;
}

}  // namespace

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

// O_NONBLOCK: opening a pipe must not wait for a writer. The constructor then rejects it.
InputFile::InputFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_.get() < 0) fail_io("open", path_);
  const struct stat info = state_of(descriptor_, path_);
  if (!S_ISREG(info.st_mode)) fail(Fault::io, "cannot read '{}': not a regular file", path_.string());
  size_ = static_cast<uint64_t>(info.st_size);
  written_ = time_written(info);
}

void InputFile::require_unchanged() const {
  const struct stat info = state_of(descriptor_, path_);
  require(static_cast<uint64_t>(info.st_size) == size_ && time_written(info) == written_,
          "'{}' was modified after it was opened; open it again", path_.string());
}

void InputFile::read_at(uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_.get(), bytes.data(), std::min<size_t>(bytes.size(), 1 << 30),
                                static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io("read", path_);
    require(got > 0, Code::damaged_file,
            "'{}' was truncated while it was read: it ends at byte {}, expected {} bytes", path_.string(),
            offset, size_);
    bytes = bytes.subspan(static_cast<size_t>(got));
    offset += static_cast<uint64_t>(got);
  }
}

std::string read_file(const std::filesystem::path& path, uint64_t limit) {
  const InputFile file(path);
  require(file.size() <= limit, "'{}' is too large: got {} bytes, expected at most {}", path.string(),
          file.size(), limit);
  std::string bytes(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // Writing through a symbolic link replaces its target and keeps the link.
  std::error_code fault;
  if (std::filesystem::is_symlink(path_, fault)) path_ = std::filesystem::weakly_canonical(path_, fault);
  struct stat info {};
  // The rename would replace a device or a pipe with a file, and root may do that.
  if (::stat(path_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    fail(Fault::io, "cannot write '{}': it exists and is not a regular file", path_.string());
  }
  descriptor_ = open_nameless(path_);
  if (descriptor_ < 0) {
    claim_unique_name([&](const char* name) {
      descriptor_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return descriptor_ >= 0;
    });
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::claim_unique_name(const std::function<bool(const char*)>& claim) {
  static std::atomic<uint64_t> serial{0};
  do {  // a killed process may have left a file of this name
    temporary_ = fmt::format("{}.{}-{}.part", path_.string(), ::getpid(), serial++);
    if (claim(temporary_.c_str())) return;
  } while (errno == EEXIST || errno == EINTR);
  temporary_.clear();
  fail_io("create a temporary file next to", path_);
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

void AtomicFile::overwrite_start(std::string_view text) {
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) fail_io("write", path_);
  write(text);
  if (::lseek(descriptor_, 0, SEEK_END) < 0) fail_io("write", path_);
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail_io("sync", path_);
  if (temporary_.empty()) {  // linkat() cannot replace a file, rename() can: name it first
    const std::string nameless = name_of_open(descriptor_);
    claim_unique_name([&](const char* name) {
      return ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    });
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_io("rename the temporary file to", path_);
  temporary_.clear();
  ::close(std::exchange(descriptor_, -1));
  sync_folder(path_.parent_path());
}

void make_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail(Fault::io, "cannot create the folder '{}': {}", path.string(), error.message());
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor handle(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() < 0 || (::fsync(handle.get()) != 0 && errno != EINVAL)) fail_io("sync the folder", folder);
}

}  // namespace locus
