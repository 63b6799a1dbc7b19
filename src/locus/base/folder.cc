#include "locus/base/folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/base/paths.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

void rename_or_fail(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return;
  fail(Fault::io, "cannot rename '{}' to '{}': {}", from.string(), to.string(), std::strerror(errno));
}

// Removes the temporary folders of `name` that processes left which no longer run.
void clear_killed(const fs::path& name) {
  const std::string before = name.filename().string() + ".", after = ".part";
  for (const fs::path& entry : entries_of(name.parent_path())) {
    const std::string found = entry.filename();
    const bool long_enough = found.size() >= before.size() + after.size();
    if (!long_enough || !found.starts_with(before) || !found.ends_with(after)) continue;
    const std::string_view number(found.data() + before.size(), found.size() - before.size() - after.size());
    const pid_t process = parse<pid_t>(number).value_or(0);
    const bool named = process > 0 && is_folder(entry);
    if (named && ::kill(process, 0) != 0 && errno == ESRCH) remove_whole(entry);
  }
}

fs::path unfinished(const fs::path& name) { return name.string() + ".part"; }

}  // namespace

void publish_folder(const fs::path& finished, const fs::path& name) {
  sync_folder(finished);
  rename_or_fail(finished, name);
  sync_folder(name.parent_path());
}

void require_free(const fs::path& name) {
  if (!is_there(name) || (is_folder(name) && entries_of(name).empty())) return;
  fail({Fault::usage, Code::output_exists, "choose a new name or an empty folder"},
       "output '{}' already exists{}", name.string(), is_folder(name) ? " and is not empty" : "");
}

void write_folder(const fs::path& name, const std::function<void(const fs::path&)>& write) {
  require_free(name);
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(absolute_path(name / "").parent_path(), ignored);
  const fs::path fresh = fmt::format("{}.{}.part", whole.string(), ::getpid());
  make_folder(whole.parent_path());
  clear_killed(whole);
  if (::mkdir(fresh.c_str(), 0777) != 0) {
    fail(Fault::io, "cannot create the folder '{}': {}", fresh.string(), std::strerror(errno));
  }
  try {
    write(fresh);
    publish_folder(fresh, whole);
  } catch (...) {
    fs::remove_all(fresh, ignored);  // report the first error, not that of the cleanup
    throw;
  }
}

void discard_folder(const fs::path& name) {
  std::error_code fault;
  if (fs::symlink_status(name, fault).type() == fs::file_type::not_found) return;
  remove_whole(unfinished(name));
  rename_or_fail(name, unfinished(name));
  remove_whole(unfinished(name));
}

void point_link(const fs::path& link, const fs::path& target) {
  std::error_code fault;
  if (fs::read_symlink(link, fault) == target) return;
  const fs::path fresh = unfinished(link);
  remove_whole(fresh);
  if (::symlink(target.c_str(), fresh.c_str()) != 0) {
    fail(Fault::io, "cannot create the link '{}': {}", fresh.string(), std::strerror(errno));
  }
  rename_or_fail(fresh, link);
  sync_folder(link.parent_path());
}

bool take_folder(const fs::path& folder, const char* mark) {
  const bool started = is_folder(folder / mark);
  if (!started && is_folder(folder) && !entries_of(folder).empty()) {
    fail({Fault::usage, Code::output_exists, "choose a new or empty folder"},
         "folder '{}' is not empty and has no subfolder '{}' of an earlier run", folder.string(), mark);
  }
  make_folder(folder / mark);
  return started;
}

FolderLock::FolderLock(const fs::path& file)
    : descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (descriptor_.get() < 0) fail(Fault::io, "cannot open '{}': {}", file.string(), std::strerror(errno));
  char text[24] = {};
  if (::pread(descriptor_.get(), text, sizeof text - 1, 0) < 0) {
    fail(Fault::io, "cannot read '{}': {}", file.string(), std::strerror(errno));
  }
  const std::string holder = text;
  if (::flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail(Fault::io, "cannot lock '{}': {}", file.string(), std::strerror(errno));
    fail({Fault::io, Code::none, "wait until it ends, or choose another folder"},
         "folder '{}' is in use by another run{}{}", file.parent_path().string(),
         holder.empty() ? "" : ", process ", holder);
  }
  if (holder.find_first_not_of("0123456789") != std::string::npos) {
    fail(Fault::io, "'{}' is not a lock file of Locus: expected a process number in it", file.string());
  }
  // The number is only for the error in another process. flock() alone decides who has the lock.
  const std::string self = std::to_string(::getpid());
  if (::ftruncate(descriptor_.get(), 0) != 0 ||
      ::pwrite(descriptor_.get(), self.data(), self.size(), 0) != static_cast<ssize_t>(self.size())) {
    fail(Fault::io, "cannot write '{}': {}", file.string(), std::strerror(errno));
  }
}

}  // namespace locus
