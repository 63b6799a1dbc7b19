#include "locus/base/paths.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

void check(const std::error_code& fault, const char* action, const fs::path& path) {
  if (!fault) return;
  const bool missing = fault == std::errc::no_such_file_or_directory;
  fail({Fault::io, missing ? Code::missing_file : Code::none}, "cannot {} '{}': {}", action, path.string(),
       fault.message());
}

fs::file_type type_of(const fs::path& path) {
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (status.type() != fs::file_type::not_found) check(fault, "get the status of", path);
  return status.type();
}

}  // namespace

bool is_there(const fs::path& path) { return type_of(path) != fs::file_type::not_found; }
bool is_folder(const fs::path& path) { return type_of(path) == fs::file_type::directory; }

fs::path absolute_path(const fs::path& path) {
  std::error_code fault;
  const fs::path whole = fs::absolute(path, fault);
  check(fault, "make an absolute path of", path);
  return whole.lexically_normal();
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code fault;
  for (fs::directory_iterator i(folder, fault), end; !fault && i != end; i.increment(fault)) {
    found.push_back(i->path());
  }
  check(fault, "list", folder);
  std::ranges::sort(found);
  return found;
}

void remove_whole(const fs::path& path) {
  std::error_code fault;
  fs::remove_all(path, fault);
  check(fault, "remove", path);
}

void clear_debris(const fs::path& folder, const std::vector<std::string_view>& names) {
  for (const fs::path& entry : entries_of(folder)) {
    const std::string found = entry.filename();
    const bool ours = names.empty() || std::ranges::any_of(names, [&](std::string_view name) {
                        return found.starts_with(name) && found[name.size()] == '.';
                      });
    if (ours && entry.extension() == ".part") remove_whole(entry);
  }
}

}  // namespace locus
