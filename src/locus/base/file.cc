#include "locus/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "locus/base/error.h"

namespace locus {
namespace {

[[noreturn]] void fail_io(const char* action, const std::string& path) {
  fail(Fault::io, "cannot {} '{}': {}", action, path, std::strerror(errno));
}

// After a rename the directory itself must reach the disk, or the new name may be lost with the power.
void sync_directory(const std::filesystem::path& directory) {
  const Descriptor handle(
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() < 0 || (::fsync(handle.get()) != 0 && errno != EINVAL))
    fail_io("sync the folder", directory);
}

}  // namespace

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

// O_NONBLOCK: opening a pipe must not wait for a writer; it is refused below.
InputFile::InputFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_.get() < 0) fail_io("open", path_);
  struct stat info {};
  if (::fstat(descriptor_.get(), &info) != 0) fail_io("look at", path_);
  if (!S_ISREG(info.st_mode)) fail(Fault::io, "cannot read '{}': it is not a regular file", path_.string());
  size_ = static_cast<uint64_t>(info.st_size);
}

void InputFile::read_at(uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_.get(), bytes.data(), std::min<size_t>(bytes.size(), 1 << 30),
                                static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io("read", path_);
    require(got > 0, "'{}' became shorter while it was read: it ends before byte {} of {}", path_.string(),
            offset, size_);
    bytes = bytes.subspan(static_cast<size_t>(got));
    offset += static_cast<uint64_t>(got);
  }
}

std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t limit) {
  const InputFile file(path);
  require(file.size() <= limit, "'{}' has {} bytes, expected at most {}", path.string(), file.size(), limit);
  std::vector<std::byte> bytes(file.size());
  file.read_at(0, bytes);
  return bytes;
}

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_.string() + ".XXXXXX") {
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail_io("create a file beside", path_);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor_,
           0666 & ~mask);  // mkostemp makes it private; a result should be readable as any other file
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
