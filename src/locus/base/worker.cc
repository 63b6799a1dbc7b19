#include "locus/base/worker.h"

#include <pthread.h>

namespace locus {
namespace {

cpu_set_t without(cpu_set_t set, int processor) {
  CPU_CLR(processor, &set);  // nothing, where there is no such processor
  return set;
}

}  // namespace

void Worker::keep_off(int processor) {
  cpu_set_t now;
  if (processor == avoided_ || pthread_getaffinity_np(thread_.native_handle(), sizeof now, &now) != 0) return;
  const cpu_set_t given = without(usual_, avoided_);
  if (!CPU_EQUAL(&now, &given)) usual_ = now;  // its first, or somebody else has had a say
  avoided_ = processor;
  const cpu_set_t others = without(usual_, processor), &wanted = CPU_COUNT(&others) > 0 ? others : usual_;
  pthread_setaffinity_np(thread_.native_handle(), sizeof wanted, &wanted);
}

}  // namespace locus
