// One line for each request.
#pragma once

#include <chrono>
#include <string>

#include "locus/serve/http_server.h"

namespace locus::serve {

using LogTime = std::chrono::system_clock::time_point;

// 2026-11-19T10:50:00.123Z 127.0.0.1 POST /embed 200 12.3 ms id=5f0c... request=120 answer=3180
std::string text_line(const RequestRecord& record, LogTime time);

// {"time", "id", "address", "method", "path", "status", "seconds", "request_bytes", "answer_bytes"}, and
// "message" if there is more to say.
std::string json_line(const RequestRecord& record, LogTime time);

}  // namespace locus::serve
