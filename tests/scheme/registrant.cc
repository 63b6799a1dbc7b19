// Registers schemes before their first use, which a test in the common program cannot do. Prints the error of
// each attempt, or "registered", and finally the names that schemes() has more than those of Locus.
#include <fmt/core.h>

#include <deque>
#include <thread>
#include <vector>

#include "locus/nn/model.h"

using namespace locus;

namespace {

class Nothing final : public Scheme {
 public:
  SchemePass begin(const Placement&) const override { return {}; }
};

std::unique_ptr<Scheme> make_nothing(const Geometry&, const Options&, const Scope&, const InitRandom&) {
  return std::make_unique<Nothing>();
}

void attempt(const SchemeInfo& info) {
  try {
    register_scheme(info);
    fmt::print("registered\n");
  } catch (const Error& error) {
    fmt::print("{}\n", error.what());
  }
}

}  // namespace

int main() {
  static const SchemeInfo kInfos[] = {{.name = "first", .aliases = "First One", .make = make_nothing},
                                      {.name = "first", .make = make_nothing},
                                      {.name = "first_one", .make = make_nothing},
                                      {.name = "rope", .make = make_nothing},
                                      {.name = "other", .aliases = "T5 bias", .make = make_nothing},
                                      {.name = "a+b", .make = make_nothing},
                                      {.name = "", .make = make_nothing},
                                      {.name = "unmade"}};
  for (const SchemeInfo& info : kInfos) attempt(info);
  static std::deque<std::string> names;
  static std::deque<SchemeInfo> infos;
  for (int i = 0; i < 8; ++i) {
    names.push_back(fmt::format("thread{}", i));
    infos.push_back({.name = names.back(), .make = make_nothing});
  }
  std::vector<std::thread> threads;
  for (const SchemeInfo& info : infos) threads.emplace_back([&info] { register_scheme(info); });
  for (std::thread& thread : threads) thread.join();
  fmt::print("{} schemes more\n", schemes().size() - 12);
  const Model model(Blueprint{.width = 8, .scheme = "First One", .attention = {.heads = 1}});
  fmt::print("{}\n", model.blueprint().scheme);
  attempt({.name = "late", .make = make_nothing});
}
