#include "exchange/code.hpp"

#include "tenonx/recording.hpp"

namespace client {

std::string generate_code(const tenon_model* model, const tenon_constraints* constraints,
                          const char* algorithm, const tenonx_trace_options& options) {
  std::array<char, 1024> message{};
  const auto call = [&](char* text, std::size_t size, std::size_t* needed) {
    const tenon_status status = tenonx_generate_c(model, constraints, algorithm, &options, text, size, needed,
                                                  message.data(), message.size());
    if (status == TENON_NOT_FOUND) throw Failure(format("--algorithm: %s.", message.data()), 2);
    if (status < 0) throw Failure(message.data());
  };
  std::size_t needed = 0;
  call(nullptr, 0, &needed);
  std::string text(needed, '\0');
  call(text.data(), text.size(), nullptr);
  text.pop_back();
  return text;
}

std::string generate_code(const tenon_model* model, const char* algorithm, const char* function) {
  tenonx_trace_options options;
  tenonx_trace_options_init(&options, sizeof options);
  options.function_name = function;
  return generate_code(model, nullptr, algorithm, options);
}

}  // namespace client
