// What the file system says about a name. Where std::filesystem would throw an exception of its own, these
// fail with Fault::io.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace locus {

bool is_there(const std::filesystem::path& path);  // links are followed
bool is_folder(const std::filesystem::path& path);
std::filesystem::path absolute_path(const std::filesystem::path& path);              // without . and ..
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);  // sorted

void remove_whole(const std::filesystem::path& path);  // with all that is below; none there is fine

// Removes what a killed process left unfinished of the files, folders and links of these names in a folder
// (AtomicFile, discard_folder, point_link): NAME.part, NAME.123-0.part. No names: whatever ends in .part.
void clear_debris(const std::filesystem::path& folder, const std::vector<std::string_view>& names = {});

}  // namespace locus
