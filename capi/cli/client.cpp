#include "client.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>
#if defined(_WIN32)
#define NOMINMAX
#include <windows.h>
// windows.h first
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <cwchar>
#include <filesystem>
#endif

namespace client {
namespace {

// Long enough for a sentence with a path in it.
using Message = std::array<char, 2048>;

[[noreturn]] void fail(const Message& message, tenon_status status, const char* doing,
                       const std::string& option = "") {
  const std::string text = message.data();
  throw Failure((option.empty() ? "" : option + ": ") +
                (text.empty() ? format("%s failed: %s.", doing, tenon_status_string(status)) : text));
}

#if defined(_WIN32)
// A console shows bytes by a code page, which the program that runs next in it finds as it was. Streams in text mode may
// take them for those of the locale.
class Utf8Console {
 public:
  Utf8Console() : before_(GetConsoleOutputCP()) {
    SetConsoleOutputCP(CP_UTF8);
    for (std::FILE* stream : {stdout, stderr})
      if (_isatty(_fileno(stream))) _setmode(_fileno(stream), _O_BINARY);
  }
  ~Utf8Console() { SetConsoleOutputCP(before_); }
  Utf8Console(const Utf8Console&) = delete;
  Utf8Console& operator=(const Utf8Console&) = delete;

 private:
  UINT before_;
};
#endif

}  // namespace

std::vector<std::string> utf8_arguments(int argc, char** argv) {
#if defined(_WIN32)
  static const Utf8Console console;
  (void)argc, (void)argv;
  int count = 0;
  wchar_t** wide = CommandLineToArgvW(GetCommandLineW(), &count);
  if (wide == nullptr) throw Failure("the command line cannot be read.");
  std::vector<std::string> all;
  for (int i = count - 1; i > 0; --i) {
    std::string text(4 * std::wcslen(wide[i]) + 1, '\0');
    const int size = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, text.data(), static_cast<int>(text.size()),
                                         nullptr, nullptr);
    text.resize(size > 0 ? static_cast<std::size_t>(size) - 1 : 0);
    all.push_back(std::move(text));
  }
  LocalFree(wide);
  return all;
#else
  return {std::make_reverse_iterator(argv + argc), std::make_reverse_iterator(argv + std::min(argc, 1))};
#endif
}

std::FILE* open_file(const std::string& path, const char* mode) {
#if defined(_WIN32)
  return _wfopen(std::filesystem::u8path(path).c_str(), std::wstring(mode, mode + std::strlen(mode)).c_str());
#else
  return std::fopen(path.c_str(), mode);
#endif
}

Output::Output(std::string what, const std::string& path)
    : what_(std::move(what)), path_(path), file_(is_standard_output(path) ? stdout : open_file(path, "wb")) {
  check(file_ != nullptr);
}

void Output::write(const std::string& text) {
  check(std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size());
}

void Output::close() {
  check(std::fflush(file_.get()) == 0);
  std::FILE* file = file_.release();
  check(file == stdout || std::fclose(file) == 0);
}

void Output::check(bool good) const {
  if (!good)
    throw Failure(format("%s '%s' cannot be written: %s; name a file in a folder that exists and has room.",
                         what_.c_str(), path_.c_str(), std::strerror(errno)));
}

int finish(const char* program, int code) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return code;
  std::fprintf(stderr, "%s: standard output cannot be written: %s; what was printed is not all.\n", program,
               std::strerror(errno));
  return code == 0 ? 1 : code;
}

std::string format(const char* pattern, ...) {
  va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  if (length > 0) std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

ModelHandle load(const ModelSource& source) {
  tenon_model_options options;
  tenon_model_options_init(&options, sizeof options);
  options.base = source.floating ? TENON_BASE_FLOATING : TENON_BASE_FIXED;
  options.ignore_mimic = source.ignore_mimic ? 1 : 0;
  options.tolerant_inertias = source.tolerant_inertias ? 1 : 0;
  for (std::size_t i = 0; i < 3; ++i) options.gravity[i] = source.gravity[i];
  Message message{};
  tenon_model* model = nullptr;
  const tenon_status status =
      tenon_model_load_urdf(source.path.c_str(), &options, &model, message.data(), message.size());
  if (status < 0) fail(message, status, "loading the model");
  return ModelHandle(model);
}

WorkspaceHandle make_workspace(const tenon_model* model, const tenon_constraints* constraints) {
  Message message{};
  tenon_workspace* workspace = nullptr;
  const tenon_status status =
      tenon_workspace_create(model, constraints, nullptr, &workspace, message.data(), message.size());
  if (status < 0) fail(message, status, "making a workspace");
  return WorkspaceHandle(workspace);
}

std::vector<tenon_joint_info> joints(const tenon_model* model) {
  std::vector<tenon_joint_info> all(static_cast<std::size_t>(tenon_model_joint_count(model)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    tenon_joint_info_init(&all[i], sizeof all[i]);
    tenon_model_joint_info(model, static_cast<int32_t>(i), &all[i]);
  }
  return all;
}

tenon_link_info link(const tenon_model* model, int32_t index) {
  tenon_link_info info;
  tenon_link_info_init(&info, sizeof info);
  tenon_model_link_info(model, index, &info);
  return info;
}

int32_t find_link(const tenon_model* model, const std::string& name, const std::string& option) {
  Message message{};
  int32_t index = -1;
  const tenon_status status =
      tenon_model_find_link(model, name.c_str(), &index, message.data(), message.size());
  if (status < 0) fail(message, status, "finding a link", option);
  return index;
}

int32_t find_joint(const tenon_model* model, const std::string& name, const std::string& option) {
  Message message{};
  int32_t index = -1;
  const tenon_status status =
      tenon_model_find_joint(model, name.c_str(), &index, message.data(), message.size());
  if (status < 0) fail(message, status, "finding a joint", option);
  return index;
}

bool has_one_coordinate(const tenon_joint_info& joint) {
  return joint.nq == 1 && joint.nv == 1;
}

std::array<double, 3> Placed::at(const std::array<double, 3>& in_link) const {
  std::array<double, 3> out = point;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i] += rotation[i + 3 * j] * in_link[j];
  return out;
}

Placed place(tenon_workspace* workspace, int32_t link) {
  std::array<double, 7> pose{};
  Placed placed{};
  check(tenon_link_pose(workspace, link, pose.data(), pose.size(), placed.rotation.data(),
                        placed.rotation.size()),
        workspace, "placing a link");
  placed.point = {pose[0], pose[1], pose[2]};
  return placed;
}

void check(tenon_status status, const tenon_workspace* workspace, const char* doing) {
  if (status >= 0) return;
  const char* message = tenon_workspace_message(workspace);
  throw Failure(format("%s: %s", doing, message && *message ? message : tenon_status_string(status)));
}

Vector parse_numbers(const std::string& text, const std::string& option) {
  Vector numbers;
  const char* at = text.c_str();
  while (true) {
    char* end = nullptr;
    const double number = std::strtod(at, &end);
    if (end == at || !std::isfinite(number) || (*end != ',' && *end != '\0'))
      throw Failure(format("%s: '%s' is not a list of numbers; write them with commas and without spaces, "
                           "as in 0.1,0,-0.2.",
                           option.c_str(), text.c_str()),
                    2);
    numbers.push_back(number);
    if (*end == '\0') return numbers;
    at = end + 1;
  }
}

std::pair<std::string, Vector> parse_assignment(const std::string& text, const std::string& option) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw Failure(format("%s: '%s' names no value; write joint=value, as in %s knee=0.5.", option.c_str(),
                         text.c_str(), option.c_str()),
                  2);
  return {text.substr(0, equals), parse_numbers(text.substr(equals + 1), option)};
}

}  // namespace client
