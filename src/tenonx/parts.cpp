#include "tenonx/parts.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace tenon::trace {
namespace {

constexpr std::size_t longest = 1500, part_length = 400;  // lines
constexpr const char* definition = "  const double t";

// Compilers would make one function of the parts again, each of which is called once, and clang takes ten times as long.
constexpr const char* of_parts = R"(#ifndef TENON_PART
#ifdef __GNUC__
#define TENON_PART static __attribute__((noinline))
#else
#define TENON_PART static
#endif
#endif
)";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Calls visit(number, begin, end) for each variable in a line.
template <class Visit>
void for_variables(const std::string& line, const Visit& visit) {
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] != 't' || !std::isdigit(static_cast<unsigned char>(line[i + 1])) ||
        (i > 0 && in_name(line[i - 1])))
      continue;
    std::size_t end = i + 1, number = 0;
    for (; end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])); ++end)
      number = 10 * number + static_cast<std::size_t>(line[end] - '0');
    visit(number, i, end);
  }
}

struct Variable {
  std::size_t defined, last;  // parts
  std::size_t place;          // in the array of what is handed on
};

std::vector<Variable> variables_of(const std::vector<std::string>& lines) {
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < lines.size(); ++i)
    for_variables(lines[i], [&](std::size_t number, std::size_t, std::size_t) {
      const std::size_t part = i / part_length;
      if (number >= variables.size()) variables.resize(number + 1, {part, part, 0});
      variables[number].last = part;
    });
  return variables;
}

// Gives places to what is handed on; a place is free again in the part behind the last use. Returns how many there are.
std::size_t set_places(std::vector<Variable>& variables, std::size_t parts) {
  std::vector<std::vector<std::size_t>> freed(parts + 1);
  std::vector<std::size_t> free;
  std::size_t count = 0, part = 0;
  for (Variable& v : variables) {  // in the order of definitions
    for (; part < v.defined; ++part) free.insert(free.end(), freed[part].begin(), freed[part].end());
    if (v.last == v.defined) continue;
    if (free.empty()) free.push_back(count++);
    v.place = free.back();
    free.pop_back();
    freed[v.last].push_back(v.place);
  }
  return count;
}

std::string with_places(const std::string& line, const std::vector<Variable>& variables) {
  std::string text;
  std::size_t copied = 0;
  const bool defines = line.compare(0, std::string(definition).size(), definition) == 0;
  for_variables(line, [&](std::size_t number, std::size_t begin, std::size_t end) {
    const Variable& v = variables[number];
    if (v.last == v.defined) return;
    text += defines && copied == 0 && begin + 1 == std::string(definition).size()
                ? "  "
                : line.substr(copied, begin - copied);
    text += "t[" + std::to_string(v.place) + "]";
    copied = end;
  });
  return text + line.substr(copied) + "\n";
}

// q, v, x of "void f(const double *q, const double *v, double *x)".
std::vector<std::string> arguments_of(const std::string& prototype) {
  std::vector<std::string> names;
  for (std::size_t at = prototype.find('*'); at != std::string::npos; at = prototype.find('*', at + 1)) {
    const std::size_t end = prototype.find_first_of(",)", at);
    names.push_back(prototype.substr(at + 1, end - at - 1));
  }
  return names;
}

}  // namespace

std::string definition_in_parts(const std::string& prototype, const std::string& body) {
  const std::vector<std::string> lines = lines_of(body);
  if (lines.size() <= longest) return prototype + ";\n" + prototype + " {\n" + body + "}\n";
  const std::size_t parts = (lines.size() + part_length - 1) / part_length;
  std::vector<Variable> variables = variables_of(lines);
  const std::size_t places = set_places(variables, parts);

  const std::size_t open = prototype.find('('), name = prototype.rfind(' ', open) + 1;
  const std::string function = prototype.substr(name, open - name);
  std::string unused = "  (void)t;\n", given;
  for (const std::string& x : arguments_of(prototype)) unused += "  (void)" + x + ";\n", given += x + ", ";
  std::string text = of_parts, calls;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::string own = function + "_part" + std::to_string(part);
    text += "TENON_PART void " + own + prototype.substr(open, prototype.size() - open - 1) +
            ", double *t) {\n" + unused;
    for (std::size_t i = part * part_length; i < std::min(lines.size(), (part + 1) * part_length); ++i)
      text += with_places(lines[i], variables);
    text += "}\n";
    calls += "  " + own + "(" + given + "t);\n";
  }
  return text + prototype + ";\n" + prototype + " {\n  double t[" + std::to_string(places) + "];\n" + calls +
         "}\n";
}

}  // namespace tenon::trace
