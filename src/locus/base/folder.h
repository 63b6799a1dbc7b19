// Folders that appear and disappear atomically, symbolic links that change atomically, and a lock that gives
// one process at a time the use of a folder.
#pragma once

#include <filesystem>
#include <functional>

#include "locus/base/file.h"

namespace locus {

// Renames a finished folder to `name`, which must not exist.
void publish_folder(const std::filesystem::path& finished, const std::filesystem::path& name);

// Fails with Code::output_exists if `name` exists and is not an empty folder: new files would mix with old
// ones. Call it early in a long job, before there is anything to write.
void require_free(const std::filesystem::path& name);

// Creates a folder atomically: `write` fills a temporary folder next to it, which is then renamed to `name`.
// `name` must not exist, or be an empty folder. Removes temporary folders of killed processes.
void write_folder(const std::filesystem::path& name,
                  const std::function<void(const std::filesystem::path&)>& write);

// Renames a folder, then removes it. An interrupted removal leaves `name`.part, never a partial folder under
// its own name. Does nothing if the folder does not exist.
void discard_folder(const std::filesystem::path& name);

// Points a symbolic link at a new target atomically: at every moment it leads to the old target or the new
// one. A relative target is relative to the link's folder.
void point_link(const std::filesystem::path& link, const std::filesystem::path& target);

// Claims a folder for a run and creates the subfolder `mark` in it. The folder must be missing, empty, or
// have `mark` from an earlier start; anything else fails with Code::output_exists and is not changed. Returns
// whether there was an earlier start.
bool take_folder(const std::filesystem::path& folder, const char* mark);

// An exclusive lock between processes. The kernel releases it when the process ends, in whatever way, so no
// stale lock remains. Fails with Fault::io and the other process's id if it is taken, and with Fault::io if
// the file is a link or not a lock file, which is not changed.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& file);

 private:
  Descriptor descriptor_;
};

}  // namespace locus
