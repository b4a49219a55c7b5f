// XML for the URDF reader: every element knows its line and its owner ("joint 'knee'"). Every query (a
// number, a vector, the only child of a name) returns a checked value or throws an Error that says where the
// mistake is and how to mend it.
#pragma once

#include <tinyxml2.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/mechanism.hpp"
#include "tenon/status.hpp"

namespace tenon::urdf {

// Limits of the input. Real robots stay far below them; hostile text must not exhaust memory or time.
inline constexpr std::size_t max_bytes = std::size_t{256} << 20;
inline constexpr int max_nodes = 2'000'000;
inline constexpr std::size_t max_attributes = 200;  // tinyxml2 compares each with each
inline constexpr std::size_t max_depth = 90;        // tinyxml2 9 reads 98, by recursion
inline constexpr std::size_t max_warnings = 100;

// Text without leading and trailing blanks.
std::string_view trim(std::string_view text);

// Text in single quotes for a message, cut to a readable length; control characters are replaced.
std::string in_quotes(std::string_view text);

// The messages about one document.
class Report {
 public:
  explicit Report(std::string source) : source_(std::move(source)) {}

  // line 0: about the whole document.
  std::string at(int line, const std::string& what) const;
  [[noreturn]] void fail(Status status, int line, const std::string& what) const;
  // Keeps up to max_warnings and counts the others.
  void warn(int line, const std::string& what);
  std::vector<std::string> take_warnings();

 private:
  std::string source_;
  std::vector<std::string> warnings_;
  std::size_t dropped_ = 0;
};

class Element {
 public:
  Element(const tinyxml2::XMLElement& xml, std::string subject, Report& report)
      : xml_(&xml), subject_(std::move(subject)), report_(&report) {}

  const char* tag() const { return xml_->Name(); }
  int line() const { return xml_->GetLineNum(); }
  const std::string& subject() const { return subject_; }

  [[noreturn]] void fail(Status status, const std::string& what) const;
  void warn(const std::string& what) const;

  // Attributes. Without a fallback the attribute is required.
  bool has(const char* attribute) const { return xml_->FindAttribute(attribute) != nullptr; }
  std::string text(const char* attribute) const;
  double number(const char* attribute) const;
  double number(const char* attribute, double fallback) const {
    return has(attribute) ? number(attribute) : fallback;
  }
  Vector3 vector(const char* attribute) const;
  Vector3 vector(const char* attribute, const Vector3& fallback) const {
    return has(attribute) ? vector(attribute) : fallback;
  }

  // The child element of this name; two of them are an error.
  std::optional<Element> child(const char* tag) const;
  Element required_child(const char* tag) const;

  // Warns of each attribute, child element or text that is not in the list.
  void expect_attributes(std::initializer_list<std::string_view> known) const;
  void expect_children(std::initializer_list<std::string_view> known) const;

 private:
  [[noreturn]] void fail_attribute(const char* attribute, const std::string& what) const;

  const tinyxml2::XMLElement* xml_;
  std::string subject_;
  Report* report_;
};

// Parses text into document, within the bounds above. Throws parse_error with the line where reading stopped.
void parse_document(std::string_view text, Report& report, tinyxml2::XMLDocument& document);

}  // namespace tenon::urdf
