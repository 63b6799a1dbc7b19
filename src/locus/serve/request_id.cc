#include "locus/serve/request_id.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <random>

namespace locus::serve {
namespace {

bool fits_id(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
         std::string_view("-_.:/+=").find(c) != std::string_view::npos;
}

}  // namespace

std::string request_id(std::string_view given) {
  constexpr size_t kMost = 128;
  std::string id;
  for (const char c : given) {
    if (fits_id(c) && id.size() < kMost) id += c;
  }
  if (!id.empty()) return id;
  // The numbers of a process follow each other from a random one, so that those of two processes differ.
  static std::atomic<uint64_t> next = (uint64_t{std::random_device()()} << 32) | std::random_device()();
  return fmt::format("{:016x}", next++);
}

}  // namespace locus::serve
