// A rank of a job, for tests that start, stop and kill processes:
//
//   exchanger ENGINE ROUNDS BYTES [--plugin FILE] [--timeout MILLISECONDS] [--kill N] [--stop N]
//
// The environment says which rank it is. In each round all ranks exchange messages of BYTES bytes and check
// them. --kill and --stop end or stop the process before its N-th message. Prints "connected" at the start
// and "rank R of S: N rounds" at the end, or an error, and ends with its exit code, as the program does.
#include <sys/types.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "locus/base/parse.h"
#include "locus/dist/engine.h"
#include "tests/dist/ranks.h"

namespace locus::dist {
namespace {

int64_t number_of(const std::string& text) { return parse<int64_t>(text).value_or(-1); }

void gather_ranks(Transport& transport) {
  std::vector<std::vector<std::byte>> in;
  for (int rank = 0; rank < transport.size(); ++rank) in.emplace_back(static_cast<size_t>(rank));
  const auto mine = message(transport.rank(), 0, 0, static_cast<size_t>(transport.rank()));
  transport.all_gather(mine, std::vector<Bytes>(in.begin(), in.end()));
  for (int rank = 0; rank < transport.size(); ++rank) {
    require(in[rank] == message(rank, 0, 0, static_cast<size_t>(rank)), "all_gather: rank {} is wrong", rank);
  }
}

void pass_token(Transport& transport) {
  const int rank = transport.rank(), size = transport.size();
  if (size == 1) return;
  std::vector<std::byte> token(5);
  if (rank == 0) transport.send(1, message(0, 0, 0, 5));
  transport.receive((rank + size - 1) % size, token);
  if (rank != 0) transport.send((rank + 1) % size, token);
  require(token == message(0, 0, 0, 5), "receive: the token is wrong");
}

void run(const std::vector<std::string>& words) {
  std::map<std::string, std::string> options;
  for (size_t i = 3; i + 1 < words.size(); i += 2) options[words[i]] = words[i + 1];
  EngineOptions engine{.tcp = quick_options(), .mpi_plugin = options["--plugin"]};
  if (options.contains("--timeout")) {
    engine.tcp.peer_timeout = std::chrono::milliseconds(number_of(options["--timeout"]));
  }
  engine.tcp.before_message = [kill = number_of(options["--kill"]),
                               stop = number_of(options["--stop"])](int64_t n) {
    if (n == kill) ::raise(SIGKILL);
    if (n == stop) ::raise(SIGSTOP);
  };
  const Identity identity = find_identity({}, process_environment());
  const auto transport = open_transport(engine_of(words.at(0)), identity, engine);
  std::puts("connected");
  std::fflush(stdout);
  const int64_t rounds = number_of(words.at(1));
  for (int64_t round = 0; round < rounds; ++round) {
    require(exchange_all(*transport, static_cast<int>(round), static_cast<size_t>(number_of(words.at(2)))),
            "all_to_all: round {} is wrong", round);
  }
  gather_ranks(*transport);
  pass_token(*transport);
  transport->barrier();
  std::printf("rank %d of %d: %ld rounds\n", transport->rank(), transport->size(), static_cast<long>(rounds));
}

}  // namespace
}  // namespace locus::dist

int main(int argc, char** argv) {
  try {
    locus::dist::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const locus::Error& error) {
    std::fprintf(stderr, "exchanger: %s\n", error.what());
    return static_cast<int>(error.fault());
  }
}
