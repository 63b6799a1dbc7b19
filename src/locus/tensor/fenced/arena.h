// The fenced memory: one range of addresses without access rights, except while it is open.
#pragma once

#include <cstdint>

namespace locus::fenced {

void* take(int64_t bytes);
void give(void* block, int64_t bytes);
int64_t available();

// While an object of this class exists, the memory taken before it can be used. One at a time.
class OpenArena {
 public:
  OpenArena();
  ~OpenArena();
  OpenArena(const OpenArena&) = delete;
  OpenArena& operator=(const OpenArena&) = delete;

 private:
  int64_t bytes_;
};

}  // namespace locus::fenced
