#include "locus/cli/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "locus/base/error.h"

namespace locus::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr size_t kBlock = 1 << 16;
constexpr size_t kLongestLine = size_t{1} << 30;

}  // namespace

LineReader::LineReader(const std::string& file) : name_(file == "-" ? "stdin" : "'" + file + "'") {
  if (file != "-") file_.emplace(file);
}

bool LineReader::fill() {
  if (ended_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t kept = buffer_.size();
  buffer_.resize(kept + kBlock);
  size_t got = 0;
  if (file_) {
    got = static_cast<size_t>(std::min<uint64_t>(kBlock, file_->size() - offset_));
    file_->read_at(offset_, std::as_writable_bytes(std::span(buffer_).subspan(kept, got)));
    offset_ += got;
  } else {
    ssize_t count = 0;
    do count = ::read(STDIN_FILENO, buffer_.data() + kept, kBlock);
    while (count < 0 && errno == EINTR);
    if (count < 0) fail(Fault::io, "cannot read stdin: {}", std::strerror(errno));
    got = static_cast<size_t>(count);
  }
  buffer_.resize(kept + got);
  ended_ = got == 0;
  return !ended_;
}

bool LineReader::next(std::string& line) {
  size_t looked = begin_, end = 0;
  bool endless = false;
  while ((end = buffer_.find('\n', looked)) == std::string::npos) {
    if (buffer_.size() - begin_ >= kLongestLine) {
      endless = true;  // drop the line so far and skip the rest of it
      begin_ = buffer_.size();
    }
    const size_t open = buffer_.size() - begin_;
    if (!fill()) break;
    looked = open;  // the part before has no line end
  }
  if (end == std::string::npos && begin_ == buffer_.size() && !endless) return false;
  end = std::min(end, buffer_.size());
  const size_t after = std::min(end + 1, buffer_.size());
  if (begin_ == 0 && end > kBlock) {  // a copy of a long line would double the memory for it
    std::string rest = buffer_.substr(after);
    line = std::move(buffer_);
    line.resize(end);
    buffer_ = std::move(rest);
  } else {
    line.assign(buffer_, begin_, end - begin_);
    begin_ = after;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  ++number_;
  require(!endless, "line {} of {} is too long: expected at most 1 GiB", number_, name_);
  if (number_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return true;
}

bool LineReader::would_wait() const {
  if (file_ || ended_ || buffer_.find('\n', begin_) != std::string::npos) return false;
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) == 0;
}

}  // namespace locus::cli
