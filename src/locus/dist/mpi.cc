#include "locus/dist/mpi.h"

#include <dlfcn.h>

#include <atomic>
#include <exception>
#include <string>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/dist/mpi/calls.h"

namespace locus::dist {
namespace {

constexpr const char* kPlugin = "liblocus-mpi.so";

const LocusMpiCalls& open_plugin(const std::filesystem::path& plugin) {
#ifdef LOCUS_STATIC
  fail(Fault::resource, "{} cannot be opened: this program is linked statically", quote(plugin.string()));
#else
  // Global, because MPI libraries open parts of their own that use their symbols. It stays open: MPI starts
  // once.
  void* const library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    fail({Fault::resource, Code::none, "install the package locus-mpi and an MPI library, or use TCP"},
         "{} cannot be opened: {}", quote(plugin.string()), dlerror());
  }
  using GetCalls = const LocusMpiCalls* (*)();
  const auto get = reinterpret_cast<GetCalls>(dlsym(library, kLocusMpiSymbol));
  if (get == nullptr) fail(Fault::resource, "{} has no {}", quote(plugin.string()), kLocusMpiSymbol);
  const LocusMpiCalls& calls = *get();
  if (calls.version != kLocusMpiVersion) {
    fail({Fault::resource, Code::none, "install the plug-in of the same version of Locus"},
         "{} has version {} of the interface, expected {}", quote(plugin.string()), calls.version,
         kLocusMpiVersion);
  }
  return calls;
#endif
}

struct Started {
  int rank = 0, size = 0;
};

Started start_mpi(const LocusMpiCalls& calls, const Identity& identity) {
  Started started;
  LocusMpiText library{}, problem{};
  if (calls.start(&started.rank, &started.size, &library, &problem) != 0) {
    fail(Fault::resource, "MPI cannot start: {}", quote(problem.text));
  }
  // Without a launcher, MPI starts a job of one process.
  if (started.rank != identity.rank || started.size != identity.size) {
    LocusMpiText ignored{};
    calls.stop(&ignored);
    fail({Fault::usage, Code::none, "start the processes with the mpirun of this MPI library"},
         "{} says rank {} of {}, but {} says rank {} of {}", quote(library.text), started.rank, started.size,
         identity.source, identity.rank, identity.size);
  }
  return started;
}

class Mpi final : public Transport {
 public:
  Mpi(const LocusMpiCalls& calls, const Started& started)
      : Transport(started.rank, started.size), calls_(calls) {}

  // MPI ends when all ranks leave it. After an error this one does not, and the launcher ends the others when
  // it sees this process end.
  ~Mpi() override {
    LocusMpiText ignored{};
    if (!failed_ && std::uncaught_exceptions() == exceptions_) calls_.stop(&ignored);
  }

  // The other ranks cannot say why. MPI_Abort() would end this process before it has printed its error.
  void abort(std::string_view) noexcept override {
    failed_ = true;
    calls_.give_up();
  }

 private:
  void exchange(Call call, std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    std::vector<LocusMpiMessage> out, in;
    for (const auto& [to, bytes] : outgoing) {
      out.push_back({to, const_cast<std::byte*>(bytes.data()), bytes.size()});
    }
    for (const auto& [from, bytes] : incoming) in.push_back({from, bytes.data(), bytes.size()});
    int culprit = -1;
    LocusMpiText problem{};
    if (calls_.exchange(out.data(), out.size(), in.data(), in.size(), &culprit, &problem) == 0) return;
    failed_ = true;
    fail({Fault::peer, Code::none, "its own output may say more"}, "rank {} of {} ranks, in {}: {}", culprit,
         size(), name_of(call), without_controls(problem.text));
  }

  std::optional<int> find_sender(std::chrono::milliseconds wait) override {
    int from = -1;
    LocusMpiText problem{};
    if (calls_.find_sender(static_cast<uint64_t>(wait.count()), &from, &problem) != 0) {
      failed_ = true;
      fail({Fault::peer, Code::none, "its own output may say more"}, "a rank of {} ranks: {}", size(),
           without_controls(problem.text));
    }
    return from < 0 ? std::nullopt : std::optional(from);
  }

  const LocusMpiCalls& calls_;
  const int exceptions_ = std::uncaught_exceptions();
  std::atomic<bool> failed_ = false;
};

}  // namespace

std::filesystem::path mpi_plugin() {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& place : {folder / kPlugin, folder.parent_path() / "lib/locus" / kPlugin}) {
    if (!error && std::filesystem::exists(place, error)) return place;
  }
  return kPlugin;
}

std::unique_ptr<Transport> open_mpi(const Identity& identity, const std::filesystem::path& plugin) {
  const LocusMpiCalls& calls = open_plugin(plugin);
  return std::make_unique<Mpi>(calls, start_mpi(calls, identity));
}

}  // namespace locus::dist
