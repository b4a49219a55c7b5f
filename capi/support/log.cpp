#include "support/log.hpp"

#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include "support/constants.hpp"
#include "tenon/status.hpp"

namespace tenon::capi {
namespace {

static_assert(TENON_LOG_LEVEL_TRACE == SPDLOG_LEVEL_TRACE && TENON_LOG_LEVEL_DEBUG == SPDLOG_LEVEL_DEBUG &&
              TENON_LOG_LEVEL_INFO == SPDLOG_LEVEL_INFO && TENON_LOG_LEVEL_WARNING == SPDLOG_LEVEL_WARN &&
              TENON_LOG_LEVEL_ERROR == SPDLOG_LEVEL_ERROR);  // above comes "critical", which nothing here is

// Hands the bare text on: where it goes, and with what date in front, is the caller's business.
class CallbackSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  CallbackSink(tenon_log_callback callback, void* user) : callback_(callback), user_(user) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    callback_(user_, static_cast<int32_t>(message.level),
              std::string(message.payload.data(), message.payload.size()).c_str());
  }
  void flush_() override {}

  tenon_log_callback callback_;
  void* user_;
};

}  // namespace

// The logger is our own and in no registry, so that two threads, or two libraries, never share one.
Log::Log(const tenon_model_options& options) {
  need_one_of(kinds::log_level, options.log_level, "log_level");
  if (options.log_callback == nullptr) return;
  logger_ = std::make_unique<spdlog::logger>(
      "tenon", std::make_shared<CallbackSink>(options.log_callback, options.log_user));
  logger_->set_level(options.log_level == TENON_LOG_LEVEL_OFF
                         ? spdlog::level::off
                         : static_cast<spdlog::level::level_enum>(options.log_level));
  logger_->set_error_handler([](const std::string&) {});  // else it would write to stderr
}

Log::~Log() = default;

void Log::info(const std::string& text) {
  if (logger_) logger_->log(spdlog::level::info, spdlog::string_view_t(text));
}

void Log::warning(const std::string& text) {
  if (logger_) logger_->log(spdlog::level::warn, spdlog::string_view_t(text));
}

}  // namespace tenon::capi
