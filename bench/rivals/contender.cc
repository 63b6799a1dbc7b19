#include "bench/rivals/contender.h"

#include <fmt/core.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bench/limits.h"
#include "locus/base/error.h"
#include "locus/checkpoint/safetensors.h"

namespace locus::bench {
namespace {

Limit limit_named(const std::string& name) {
  for (const Limit limit : {Limit::copy, Limit::fresh, Limit::scale, Limit::read, Limit::fma}) {
    if (name == name_of(limit)) return limit;
  }
  fail(Fault::usage, "unknown limit: got '{}', expected copy, fresh, scale, read or fma", name);
}

void write(const Tensor& result, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(result.view().data),
             static_cast<std::streamsize>(result.numel() * size_of(result.dtype())));
}

void reply(const std::string& answer) { std::cout << answer << std::endl; }

void answer_commands(const std::function<Tensor()>& job) {
  Tensor result = job();
  reply("ready");
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command, argument;
    int64_t bytes = 0;
    words >> command >> argument >> bytes;
    if (command == "run") {
      const auto clock = std::chrono::steady_clock::now();
      const std::clock_t processor = std::clock();
      result = job();
      reply(fmt::format("{} {}",
                        std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count(),
                        static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC));
    } else if (command == "result") {
      write(result, argument);
      reply("written");
    } else if (command == "limit") {
      reply(fmt::format("{}", measure(limit_named(argument), bytes)));
    } else {
      fail(Fault::usage, "unknown command: got '{}', expected run, result or limit", line);
    }
  }
}

}  // namespace

Tensor Inputs::tensor(std::string_view tensor) const {
  return SafetensorsFile(folder / "inputs.safetensors").read(tensor);
}

int serve(int argc, char** argv, const std::function<std::function<Tensor()>(const Inputs&)>& prepare) {
  try {
    if (argc != 3)
      fail(Fault::usage, "wrong number of arguments: got {}, expected 2 (a folder and the name of a case)",
           argc - 1);
    answer_commands(prepare({argv[1], argv[2]}));
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "contender: {}\n", error.what());
    return 1;
  }
}

}  // namespace locus::bench
