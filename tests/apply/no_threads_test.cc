// A machine that refuses threads: one thread computes everything.
#include <gtest/gtest.h>
#include <pthread.h>

#include <system_error>
#include <thread>

#include "locus/apply/classifier.h"
#include "locus/base/background.h"
#include "locus/base/parallel.h"
#include "tests/apply/expected.h"

namespace locus {
namespace {

// While it lives, no thread can be started: the stack of a new one would need more memory than there is.
class NoThreads {
 public:
  NoThreads() {
    pthread_attr_init(&huge_);
    pthread_getattr_default_np(&before_);
    pthread_attr_setstacksize(&huge_, size_t{1} << 46);
    pthread_setattr_default_np(&huge_);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&huge_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;

 private:
  pthread_attr_t huge_{}, before_{};
};

TEST(NoThreads, AFunctionInTheBackgroundRunsInTheCaller) {
  const auto id = [] { return std::this_thread::get_id(); };
  EXPECT_NE(in_background(true, id).get(), std::this_thread::get_id());
  const NoThreads none;
  EXPECT_THROW(std::thread([] {}), std::system_error);
  EXPECT_EQ(in_background(true, id).get(), std::this_thread::get_id());
}

TEST(NoThreads, AModelOpensAndComputes) {
  const std::vector<TextInput> texts = {{"The dog chased the ball."}, {"It ran!"}};
  const std::vector<Classification> wanted = Classifier(golden_model("classify")).classify(texts);
  const int before = threads();
  {
    const NoThreads none;
    set_threads(before + 2);
    const std::vector<Classification> found = Classifier(golden_model("classify")).classify(texts);
    for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(found[i].scores, wanted[i].scores);
  }
  set_threads(before);
}

}  // namespace
}  // namespace locus
