#include "locus/base/worker.h"

namespace locus {

void Worker::keep_off_this_processor() {
  const int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE || here == avoided_) return;
  cpu_set_t now;
  if (pthread_getaffinity_np(thread_.native_handle(), sizeof now, &now) != 0) return;
  if (avoided_ < 0 || !CPU_EQUAL(&now, &others_)) usual_ = now;  // somebody else has had a say
  others_ = usual_;
  CPU_CLR(here, &others_);
  avoided_ = here;
  const cpu_set_t& wanted = CPU_COUNT(&others_) > 0 ? others_ : usual_;
  pthread_setaffinity_np(thread_.native_handle(), sizeof wanted, &wanted);
}

}  // namespace locus
