// Sockets that wait for connections.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "locus/base/file.h"

namespace locus::serve {

// Removes a socket from the file system when it is destroyed, unless another socket has taken its place.
class SocketFile {
 public:
  SocketFile() = default;
  explicit SocketFile(std::filesystem::path path);
  SocketFile(SocketFile&& other) noexcept
      : path_(std::exchange(other.path_, {})), device_(other.device_), inode_(other.inode_) {}
  SocketFile& operator=(SocketFile&&) = delete;
  ~SocketFile();

 private:
  std::filesystem::path path_;
  uint64_t device_ = 0, inode_ = 0;
};

struct Listener {
  Descriptor socket;    // bound and listening, does not block
  std::string address;  // "http://127.0.0.1:8080", or "unix:/run/locus.sock"
  bool local = false;   // only this machine reaches it: a loopback address or a file
  SocketFile file = {};
};

// All addresses of a host. Port 0 chooses a free port, the same for each of them.
std::vector<Listener> listen_tcp(const std::string& host, int port);

// Replaces a socket that a killed server left behind. One on which a server listens is an error.
Listener listen_unix(const std::filesystem::path& path);

// The sockets that systemd passed to this process (sd_listen_fds), or none.
std::vector<Listener> systemd_listeners();

}  // namespace locus::serve
