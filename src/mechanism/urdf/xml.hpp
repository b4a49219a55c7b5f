// XML as the URDF reader wants it: every element knows its line and whose it is ("joint 'knee'"), and every
// question put to it (a number, a vector, the only child of a name) either gets a checked answer or throws an
// Error that says where the trouble is and how to mend it.
#pragma once

#include <pugixml.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/mechanism.hpp"
#include "tenon/status.hpp"

namespace tenon::urdf {

// Bounds on what is read. Real robots stay below them by a factor of a hundred; hostile text must not exhaust
// memory or time.
inline constexpr std::size_t max_bytes = std::size_t{256} << 20;
inline constexpr int max_nodes = 2'000'000;
inline constexpr int max_attributes = 1'000;
inline constexpr int max_depth = 500;
inline constexpr std::size_t max_warnings = 100;

// Text in single quotes for a message, cut to a readable length, control characters replaced.
std::string in_quotes(std::string_view text);

// The messages about one document.
class Report {
 public:
  explicit Report(std::string source) : source_(std::move(source)) {}

  // line 0: about the whole document.
  std::string at(int line, const std::string& what) const;
  [[noreturn]] void fail(Status status, int line, const std::string& what) const;
  // Kept up to max_warnings, counted beyond.
  void warn(int line, const std::string& what);
  std::vector<std::string> take_warnings();

  // Remembers where the lines of the document begin, so that nodes can be found in it.
  void take_lines(std::string_view text);
  int line(std::size_t offset) const;
  int line(const pugi::xml_node& node) const;

 private:
  std::string source_;
  std::vector<std::size_t> line_ends_;
  std::vector<std::string> warnings_;
  std::size_t dropped_ = 0;
};

class Element {
 public:
  Element(pugi::xml_node xml, std::string subject, Report& report)
      : xml_(xml), subject_(std::move(subject)), report_(&report) {}

  const char* tag() const { return xml_.name(); }
  int line() const { return report_->line(xml_); }
  const std::string& subject() const { return subject_; }
  pugi::xml_node xml() const { return xml_; }

  [[noreturn]] void fail(Status status, const std::string& what) const;
  void warn(const std::string& what) const;

  // Attributes. Without a fallback the attribute must be there.
  bool has(const char* attribute) const { return !xml_.attribute(attribute).empty(); }
  std::string text(const char* attribute) const;
  double number(const char* attribute) const;
  double number(const char* attribute, double fallback) const;
  Vector3 vector(const char* attribute) const;
  Vector3 vector(const char* attribute, const Vector3& fallback) const;

  // The child element of this name; two of them are an error.
  std::optional<Element> child(const char* tag) const;
  Element required_child(const char* tag) const;

  // Warns of each attribute, child element or text that is none of these.
  void expect_attributes(std::initializer_list<std::string_view> known) const;
  void expect_children(std::initializer_list<std::string_view> known) const;

 private:
  [[noreturn]] void fail_attribute(const char* attribute, const std::string& what) const;

  pugi::xml_node xml_;
  std::string subject_;
  Report* report_;
};

// Parses text into document, within the bounds above. Throws parse_error with the line where reading stopped.
void parse_document(std::string_view text, Report& report, pugi::xml_document& document);

}  // namespace tenon::urdf
