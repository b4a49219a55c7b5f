// Checked access to XML elements and the bounds that keep hostile text harmless (xml.hpp).
//
// tinyxml2 expands no entities but the five of XML and character references, loads nothing, and bounds the
// nesting depth itself. What it does not bound is looked at in one pass over the text before it sees it: NUL
// bytes, document types, the number of nodes, and the number of attributes of one element.

#include "urdf/xml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tenon::urdf {
namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(blanks) == std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// Finite decimal number, the whole of text; independent of the locale. Empty on anything else.
std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    words.push_back(text.substr(0, text.find_first_of(blanks)));
    text.remove_prefix(words.back().size());
  }
  return words;
}

bool contains(std::initializer_list<std::string_view> known, std::string_view name) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

// One pass over the text that counts what tinyxml2 would have to store.
class Scanner {
 public:
  Scanner(std::string_view text, const Report& report) : text_(text), report_(report) {}

  void scan() {
    const std::size_t nul = text_.find('\0');
    if (nul != std::string_view::npos)
      fail(nul, "a NUL byte stands in the text; save the file as plain UTF-8 (is it UTF-16 or binary?)");
    for (std::size_t at = text_.find('<'); at != std::string_view::npos; at = text_.find('<', at)) {
      count(at);
      if (starts(at, "<!--")) {
        at = after(at + 4, "-->");
      } else if (starts(at, "<![CDATA[")) {
        at = after(at + 9, "]]>");
      } else if (starts(at, "<?")) {
        at = after(at + 2, "?>");
      } else if (starts(at, "<!")) {
        fail(at, "a document type declaration (<!DOCTYPE ...>) is refused; remove it, URDF needs none");
      } else {
        at = scan_tag(at);
      }
    }
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    report_.fail(Status::parse_error, static_cast<int>(lines) + 1, what);
  }

  bool starts(std::size_t at, std::string_view mark) const {
    return text_.compare(at, mark.size(), mark) == 0;
  }

  std::size_t after(std::size_t at, std::string_view mark) const {
    const std::size_t found = text_.find(mark, at);
    return found == std::string_view::npos ? text_.size() : found + mark.size();
  }

  void count(std::size_t at) {
    if (++nodes_ > max_nodes)
      fail(at, "the text holds more than " + std::to_string(max_nodes) +
                   " elements and attributes; no robot needs that many, is this the right file?");
  }

  // From '<' to behind the '>' that ends the tag; quotes may hold '>' and '='.
  std::size_t scan_tag(std::size_t begin) {
    int attributes = 0;
    std::size_t at = begin + 1;
    while (true) {
      at = text_.find_first_of("='\">", at);
      if (at == std::string_view::npos) return text_.size();
      const char mark = text_[at++];
      if (mark == '>') return at;
      if (mark == '=') {
        count(at);
        if (++attributes > max_attributes)
          fail(begin, "an element holds more than " + std::to_string(max_attributes) + " attributes");
      } else {
        at = after(at, std::string_view(&mark, 1));
      }
    }
  }

  std::string_view text_;
  const Report& report_;
  int nodes_ = 0;
};

std::string explain(const tinyxml2::XMLDocument& document) {
  switch (document.ErrorID()) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "the text is empty; a URDF holds one <robot> element";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "an element is closed by the tag of another one, or not at all; is the text cut off?";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute is broken or given twice; write name=\"value\" once";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "elements are nested too deeply; URDF nests five levels";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "text that no tag follows; is the file cut off, or does something stand behind </robot>?";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment is not closed by '-->'";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
      return "an XML declaration is broken or not at the beginning of the text";
    default:
      return "this is not well-formed XML; is the text cut off, or a tag broken?";
  }
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string out = "'";
  for (const char c : text.substr(0, longest))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out + (text.size() > longest ? "...'" : "'");
}

std::string Report::at(int line, const std::string& what) const {
  return source_ + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what;
}

void Report::fail(Status status, int line, const std::string& what) const {
  throw Error(status, at(line, what));
}

void Report::warn(int line, const std::string& what) {
  if (warnings_.size() < max_warnings)
    warnings_.push_back(at(line, what));
  else
    ++dropped_;
}

std::vector<std::string> Report::take_warnings() {
  if (dropped_ > 0) warnings_.push_back(at(0, "and " + std::to_string(dropped_) + " more warnings"));
  dropped_ = 0;
  return std::move(warnings_);
}

void Element::fail(Status status, const std::string& what) const {
  report_->fail(status, line(), subject_ + ": " + what);
}

void Element::warn(const std::string& what) const {
  report_->warn(line(), subject_ + ": " + what);
}

void Element::fail_attribute(const char* attribute, const std::string& what) const {
  fail(Status::parse_error, "attribute '" + std::string(attribute) + "' of <" + tag() + "> " + what);
}

std::string Element::text(const char* attribute) const {
  const char* value = xml_->Attribute(attribute);
  if (value == nullptr) fail_attribute(attribute, "is missing; add it");
  if (is_blank(value)) fail_attribute(attribute, "is empty; give it a value");
  return value;
}

double Element::number(const char* attribute) const {
  const std::string value = text(attribute);
  const std::optional<double> parsed = parse_number(trim(value));
  if (!parsed)
    fail_attribute(attribute, "is " + in_quotes(value) +
                                  ", not a number; write a finite decimal number such as -0.5 or 1e-3");
  return *parsed;
}

double Element::number(const char* attribute, double fallback) const {
  return has(attribute) ? number(attribute) : fallback;
}

Vector3 Element::vector(const char* attribute) const {
  const std::string value = text(attribute);
  const std::vector<std::string_view> words = split(value);
  Vector3 out{};
  if (words.size() != out.size())
    fail_attribute(attribute, "is " + in_quotes(value) + ", " + std::to_string(words.size()) +
                                  " words; write three numbers with spaces between them, such as \"0 0 1\"");
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::optional<double> parsed = parse_number(words[i]);
    if (!parsed)
      fail_attribute(attribute, "is " + in_quotes(value) + ", and " + in_quotes(words[i]) +
                                    " is not a number; write finite decimal numbers such as \"0 0 -0.5\"");
    out[i] = *parsed;
  }
  return out;
}

Vector3 Element::vector(const char* attribute, const Vector3& fallback) const {
  return has(attribute) ? vector(attribute) : fallback;
}

std::optional<Element> Element::child(const char* tag) const {
  const tinyxml2::XMLElement* first = xml_->FirstChildElement(tag);
  if (first == nullptr) return std::nullopt;
  if (const tinyxml2::XMLElement* second = first->NextSiblingElement(tag))
    Element(*second, subject_, *report_)
        .fail(Status::parse_error, "second <" + std::string(tag) + "> in one <" + this->tag() +
                                       ">, the first is on line " + std::to_string(first->GetLineNum()) +
                                       "; keep one");
  return Element(*first, subject_, *report_);
}

Element Element::required_child(const char* tag) const {
  std::optional<Element> found = child(tag);
  if (!found) fail(Status::parse_error, "<" + std::string(this->tag()) + "> has no <" + tag + ">; add one");
  return *found;
}

void Element::expect_attributes(std::initializer_list<std::string_view> known) const {
  for (const tinyxml2::XMLAttribute* a = xml_->FirstAttribute(); a != nullptr; a = a->Next())
    if (!contains(known, a->Name()))
      report_->warn(a->GetLineNum(), subject_ + ": attribute " + in_quotes(a->Name()) + " of <" + tag() +
                                         "> is unknown and ignored");
}

void Element::expect_children(std::initializer_list<std::string_view> known) const {
  for (const tinyxml2::XMLNode* node = xml_->FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (node->ToText() != nullptr)
      report_->warn(node->GetLineNum(), subject_ + ": text " + in_quotes(trim(node->Value())) + " inside <" +
                                            tag() + "> is ignored");
    if (node->ToElement() != nullptr && !contains(known, node->Value()))
      report_->warn(node->GetLineNum(), subject_ + ": element " + in_quotes(node->Value()) + " inside <" +
                                            tag() + "> is unknown and ignored");
  }
}

void parse_document(std::string_view text, const Report& report, tinyxml2::XMLDocument& document) {
  if (text.size() > max_bytes)
    report.fail(Status::parse_error, 0,
                "the text has " + std::to_string(text.size()) + " bytes, more than the " +
                    std::to_string(max_bytes) + " that a URDF may have; keep meshes in files of their own");
  if (is_blank(text))
    report.fail(Status::parse_error, 0, "the text is empty; a URDF holds one <robot> element");
  Scanner(text, report).scan();
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    report.fail(Status::parse_error, document.ErrorLineNum(), explain(document));
}

}  // namespace tenon::urdf
