// What the program calls in the plug-in liblocus-mpi.so. It is C, and the plug-in is the only part of Locus
// that is compiled against an MPI library: the program needs none, and a plug-in per MPI library is enough.
//
// Every function returns 0, or writes what went wrong to `problem` and returns another number.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// Changes when anything below does.
inline constexpr uint32_t kLocusMpiVersion = 2;
inline constexpr char kLocusMpiSymbol[] = "locus_mpi_calls";

struct LocusMpiMessage {
  int peer;
  void* data;  // to send: is only read
  uint64_t bytes;
};

struct LocusMpiText {
  char text[512];
};

struct LocusMpiCalls {
  uint32_t version;
  // Starts MPI. `library` becomes the name of the MPI library.
  int (*start)(int* rank, int* size, LocusMpiText* library, LocusMpiText* problem);
  // Moves all messages, and returns when all have moved. `culprit` becomes the rank whose message was wrong,
  // or -1.
  int (*exchange)(const LocusMpiMessage* outgoing, size_t outgoing_count, const LocusMpiMessage* incoming,
                  size_t incoming_count, int* culprit, LocusMpiText* problem);
  // `from` becomes the rank of a message that has arrived, or -1 if none does within this time.
  int (*find_sender)(uint64_t milliseconds, int* from, LocusMpiText* problem);
  // For any thread: a call of another thread that waits fails soon, and so do all later ones.
  void (*give_up)();
  // Ends MPI. All ranks must call it.
  int (*stop)(LocusMpiText* problem);
};

// The only symbol of the plug-in.
const LocusMpiCalls* locus_mpi_calls();

}  // extern "C"
