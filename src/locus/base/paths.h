// Queries about files and folders. They fail with Fault::io where std::filesystem throws its own exceptions.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace locus {

bool is_there(const std::filesystem::path& path);  // links are followed
bool is_folder(const std::filesystem::path& path);
std::filesystem::path absolute_path(const std::filesystem::path& path);              // without . and ..
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);  // sorted

void remove_whole(const std::filesystem::path& path);  // recursive; does nothing if it does not exist

// Removes unfinished files, folders and links that a killed process left in a folder (AtomicFile,
// discard_folder, point_link): NAME.part and NAME.123-0.part for each name. Without names: everything that
// ends in .part.
void clear_debris(const std::filesystem::path& folder, const std::vector<std::string_view>& names = {});

}  // namespace locus
