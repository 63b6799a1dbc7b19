// The plug-in liblocus-mpi.so: the calls of calls.h on an MPI library. Only it includes mpi.h.
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

#include "locus/dist/mpi/calls.h"

namespace {

constexpr uint64_t kPieceBytes = uint64_t{1} << 30;  // MPI counts with an int
constexpr int kTag = 1;

MPI_Comm job = MPI_COMM_NULL;
std::atomic<bool> given_up{false};

int report(int error, const char* what, LocusMpiText* problem) {
  if (error == MPI_SUCCESS) return 0;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  std::snprintf(problem->text, sizeof(problem->text), "%s: %s", what, text);
  return 1;
}

int start(int* rank, int* size, LocusMpiText* library, LocusMpiText* problem) {
  int level = MPI_THREAD_SINGLE, running = 0;
  MPI_Initialized(&running);
  if (running != 0) {
    std::snprintf(problem->text, sizeof(problem->text), "MPI was started before");
    return 1;
  }
  // Any thread may call, one at a time.
  if (report(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread", problem))
    return 1;
  if (level < MPI_THREAD_SERIALIZED) {
    std::snprintf(problem->text, sizeof(problem->text), "this MPI library does not support threads");
    return 1;
  }
  if (report(MPI_Comm_dup(MPI_COMM_WORLD, &job), "MPI_Comm_dup", problem)) return 1;
  MPI_Comm_set_errhandler(job, MPI_ERRORS_RETURN);
  MPI_Comm_rank(job, rank);
  MPI_Comm_size(job, size);
  char name[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(name, &length);
  const size_t line = std::find_if(name, name + length, [](char c) { return c == '\n' || c == ','; }) - name;
  std::snprintf(library->text, sizeof(library->text), "%.*s", static_cast<int>(line), name);
  return 0;
}

// A message of more than kPieceBytes is several. MPI keeps the order of messages between two ranks.
struct Piece {
  int peer;
  uint64_t bytes;
};

// Starts the sends or receives of all messages.
template <class Begin>
int begin_pieces(const LocusMpiMessage* messages, size_t count, std::vector<MPI_Request>& requests,
                 std::vector<Piece>& pieces, const Begin& begin) {
  for (const LocusMpiMessage& message : std::vector<LocusMpiMessage>(messages, messages + count)) {
    uint64_t done = 0;
    do {
      const uint64_t bytes = std::min(message.bytes - done, kPieceBytes);
      MPI_Request request = MPI_REQUEST_NULL;
      const int error =
          begin(static_cast<char*>(message.data) + done, static_cast<int>(bytes), message.peer, &request);
      if (error != MPI_SUCCESS) return error;
      requests.push_back(request);
      pieces.push_back({message.peer, bytes});
      done += bytes;
    } while (done < message.bytes);
  }
  return MPI_SUCCESS;
}

// MPI's own waiting keeps a processor busy, which computing threads need.
int wait_all(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses) {
  constexpr long kShortest = 1'000, kLongest = 200'000;  // nanoseconds
  long pause = kShortest;
  while (true) {
    int done = 0;
    const int error = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, statuses.data());
    if (error != MPI_SUCCESS || done != 0 || given_up) return error;
    const timespec time{0, pause};
    nanosleep(&time, nullptr);
    pause = std::min(2 * pause, kLongest);
  }
}

int exchange(const LocusMpiMessage* outgoing, size_t outgoing_count, const LocusMpiMessage* incoming,
             size_t incoming_count, int* culprit, LocusMpiText* problem) {
  *culprit = -1;
  std::vector<MPI_Request> requests;
  std::vector<Piece> pieces;
  int error = begin_pieces(incoming, incoming_count, requests, pieces,
                           [](void* data, int bytes, int peer, MPI_Request* request) {
                             return MPI_Irecv(data, bytes, MPI_BYTE, peer, kTag, job, request);
                           });
  if (report(error, "MPI_Irecv", problem)) return 1;
  const size_t received = requests.size();
  error = begin_pieces(outgoing, outgoing_count, requests, pieces,
                       [](void* data, int bytes, int peer, MPI_Request* request) {
                         return MPI_Isend(data, bytes, MPI_BYTE, peer, kTag, job, request);
                       });
  if (report(error, "MPI_Isend", problem)) return 1;
  std::vector<MPI_Status> statuses(requests.size());
  error = wait_all(requests, statuses);
  if (given_up) {
    std::snprintf(problem->text, sizeof(problem->text), "this process gave up");
    return 1;
  }
  for (size_t i = 0; i < requests.size(); ++i) {
    const int own = error == MPI_ERR_IN_STATUS ? statuses[i].MPI_ERROR : error;
    if (own == MPI_SUCCESS || own == MPI_ERR_PENDING) continue;
    *culprit = pieces[i].peer;
    return report(own, "a message", problem);
  }
  for (size_t i = 0; i < received; ++i) {
    int bytes = 0;
    MPI_Get_count(&statuses[i], MPI_BYTE, &bytes);
    if (static_cast<uint64_t>(bytes) == pieces[i].bytes) continue;
    *culprit = pieces[i].peer;
    std::snprintf(problem->text, sizeof(problem->text), "sent a message of %d bytes, expected %llu", bytes,
                  static_cast<unsigned long long>(pieces[i].bytes));
    return 1;
  }
  return 0;
}

int find_sender(uint64_t milliseconds, int* from, LocusMpiText* problem) {
  constexpr uint64_t kPause = 200'000, kNanoseconds = 1'000'000;  // a pause, and a millisecond
  for (uint64_t waited = 0;; waited += kPause) {
    int found = 0;
    MPI_Status status;
    const int error = MPI_Iprobe(MPI_ANY_SOURCE, kTag, job, &found, &status);
    if (report(error, "MPI_Iprobe", problem)) return 1;
    *from = found != 0 ? status.MPI_SOURCE : -1;
    if (found != 0 || waited >= milliseconds * kNanoseconds) return 0;
    const timespec pause{0, kPause};
    nanosleep(&pause, nullptr);
  }
}

void give_up() { given_up = true; }

int stop(LocusMpiText* problem) {
  if (report(MPI_Comm_free(&job), "MPI_Comm_free", problem)) return 1;
  return report(MPI_Finalize(), "MPI_Finalize", problem);
}

constexpr LocusMpiCalls kCalls{kLocusMpiVersion, start, exchange, find_sender, give_up, stop};

}  // namespace

extern "C" __attribute__((visibility("default"))) const LocusMpiCalls* locus_mpi_calls() { return &kCalls; }
