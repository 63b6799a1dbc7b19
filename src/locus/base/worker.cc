#include "locus/base/worker.h"

#include <pthread.h>

namespace locus {
namespace {

cpu_set_t without(cpu_set_t set, int processor) {
  CPU_CLR(processor, &set);  // no effect if there is no such processor
  return set;
}

}  // namespace

void Worker::avoid(int processor) {
  cpu_set_t now;
  if (processor == avoided_ || pthread_getaffinity_np(thread_.native_handle(), sizeof now, &now) != 0) return;
  const cpu_set_t given = without(allowed_, avoided_);
  if (!CPU_EQUAL(&now, &given)) allowed_ = now;  // the first call, or the affinity was changed from outside
  avoided_ = processor;
  const cpu_set_t others = without(allowed_, processor), &wanted = CPU_COUNT(&others) > 0 ? others : allowed_;
  pthread_setaffinity_np(thread_.native_handle(), sizeof wanted, &wanted);
}

}  // namespace locus
