#include "tenonx/head_comment.hpp"

#include <cctype>
#include <cmath>

namespace client {
namespace {

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

}  // namespace

// " * q (in, 7): positions".
std::vector<GeneratedArray> arrays_of(const std::string& generated, const std::string& role) {
  const std::string head = generated.substr(0, generated.find("*/"));
  const std::string begin = "\n * ", middle = " (" + role + ", ";
  std::vector<GeneratedArray> found;
  for (std::size_t at = head.find(begin); at != std::string::npos; at = head.find(begin, at + 1)) {
    const std::size_t name = at + begin.size();
    std::size_t end = name;
    while (end < head.size() && in_name(head[end])) ++end;
    if (end == name || head.compare(end, middle.size(), middle) != 0) continue;
    const std::size_t digits = end + middle.size(), after = head.find_first_not_of("0123456789", digits);
    if (after == digits || after == std::string::npos || head.compare(after, 3, "): ") != 0) continue;
    const std::size_t count = std::stoul(head.substr(digits, after - digits));
    const auto root = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(count))));
    const std::string about = head.substr(after, head.find('\n', after) - after);
    const bool square = about.find("triang") != std::string::npos && root * root == count;
    found.push_back({head.substr(name, end - name), square ? root : count, square ? root : 1});
  }
  return found;
}

std::string function_of(const std::string& generated) {
  const std::string begin = "\nvoid ";
  const std::size_t at = generated.find(begin), name = at + begin.size(), end = generated.find('(', name);
  return at == std::string::npos || end == std::string::npos ? "" : generated.substr(name, end - name);
}

}  // namespace client
