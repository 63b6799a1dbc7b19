// Folders that appear and vanish whole, links that change at once, and a folder used by one process at a
// time.
#pragma once

#include <filesystem>
#include <functional>

#include "locus/base/file.h"

namespace locus {

// Gives a finished folder its name; the name must be free.
void publish_folder(const std::filesystem::path& finished, const std::filesystem::path& name);

// Refuses a name under which there is something, an empty folder aside: files of two would mix. Fault::usage.
// For whoever works long before there is something to write.
void require_free(const std::filesystem::path& name);

// A new folder that is there whole or not at all: `write` fills another beside it, which then gets the name,
// which must be free. What killed processes left of such a folder is removed.
void write_folder(const std::filesystem::path& name,
                  const std::function<void(const std::filesystem::path&)>& write);

// Takes the name from a folder, then removes it: a removal that is interrupted leaves `name`.part, never a
// part of the folder under its own name. None there: nothing happens.
void discard_folder(const std::filesystem::path& name);

// A symbolic link that refers to the old target or to the new one, at every moment. A relative target is seen
// from the link's own folder.
void point_link(const std::filesystem::path& link, const std::filesystem::path& target);

// Takes a folder for a run: one that is not there, or is empty, or has the folder `mark` of an earlier start,
// which is made. Others keep what they hold: Fault::usage. Returns whether there was an earlier start.
bool take_folder(const std::filesystem::path& folder, const char* mark);

// Held, no other process gets it; it ends with the process, however that ends, so none is ever left behind.
// Another holder: Fault::io, with its process number. A file that is no lock, or a link, stays as it is:
// Fault::io.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& file);

 private:
  Descriptor descriptor_;
};

}  // namespace locus
