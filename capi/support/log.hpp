// The log callback of a call. spdlog stays behind this header.
#pragma once

#include <memory>
#include <string>

#include "tenon.h"

namespace spdlog {
class logger;
}

namespace tenon::capi {

class Log {
 public:
  // Silent for a NULL callback. Throws Error for a level that does not exist.
  explicit Log(const tenon_model_options& options);
  ~Log();

  void info(const std::string& text);
  void warning(const std::string& text);

 private:
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace tenon::capi
