// Checked access to XML elements and the bounds that keep hostile text harmless (xml.hpp).
//
// pugixml, because it comes as a static library: the one file users load then needs no other. It expands no
// entities but the five of XML and character references, loads nothing, and parses without recursion. What it
// does not bound or lets pass is looked at in one pass over the text before it sees it: NUL bytes, document
// types, the number of nodes, the number of attributes of one element, bytes that are not UTF-8 and
// references that name no character. Comments and declarations may hold any bytes, because nobody reads them.

#include "mechanism/urdf/xml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "mechanism/utf8.hpp"

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

// The character of a reference "&name;", without its '&' and ';'. 0 where it names none that XML allows.
std::uint32_t referred_character(std::string_view name) {
  constexpr std::pair<std::string_view, char> named[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [known, character] : named)
    if (name == known) return static_cast<unsigned char>(character);
  if (name.substr(0, 1) != "#") return 0;
  const bool hexadecimal = name.substr(1, 1) == "x";
  const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) return 0;
  const bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return control || surrogate || code == 0xfffe || code == 0xffff || code > 0x10ffff ? 0 : code;
}

// One pass over the text that counts what pugixml would have to store, and checks what it would let pass.
class Scanner {
 public:
  Scanner(std::string_view text, const Report& report) : text_(text), report_(report) {}

  void scan() {
    const std::size_t nul = text_.find('\0');
    if (nul != std::string_view::npos)
      fail(nul, "a NUL byte stands in the text; save the file as plain UTF-8 (is it UTF-16 or binary?)");
    std::size_t read = 0;  // what stands before has been checked
    for (std::size_t at = text_.find('<'); at != std::string_view::npos; at = text_.find('<', at)) {
      count(at);
      check_text(read, at);
      if (starts(at, "<!--")) {
        at = after(at + 4, "-->");
      } else if (starts(at, "<![CDATA[")) {
        const std::size_t begin = at;
        at = after(at + 9, "]]>");
        check_utf8(begin, at);
      } else if (starts(at, "<?")) {
        at = after(at + 2, "?>");
      } else if (starts(at, "<!")) {
        fail(at, "a document type declaration (<!DOCTYPE ...>) is refused; remove it, URDF needs none");
      } else {
        at = scan_tag(at);
      }
      read = at;
    }
    check_text(read, text_.size());
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    report_.fail(Status::parse_error, static_cast<int>(lines) + 1, what);
  }

  void check_utf8(std::size_t begin, std::size_t end) const {
    const std::size_t valid = valid_utf8(text_.substr(begin, end - begin));
    if (valid < end - begin)
      fail(begin + valid, "the bytes here are not UTF-8; save the file as UTF-8 (is it Latin-1?)");
  }

  void check_text(std::size_t begin, std::size_t end) const {
    check_utf8(begin, end);
    const std::string_view part = text_.substr(begin, end - begin);
    for (std::size_t at = part.find('&'); at != std::string_view::npos; at = part.find('&', at + 1)) {
      const std::size_t semicolon = part.find_first_of(";&<'\" \t\r\n", at + 1);
      if (semicolon == std::string_view::npos || part[semicolon] != ';')
        fail(begin + at,
             "a '&' begins no reference such as &amp; or &#65; that ends with ';'; write &amp; for the "
             "character itself");
      const std::string_view name = part.substr(at + 1, semicolon - at - 1);
      if (referred_character(name) == 0)
        fail(begin + at,
             in_quotes("&" + std::string(name.substr(0, longest_reference)) + ";") +
                 " names no character; XML knows &amp; &lt; &gt; &quot; &apos; and the numbers of "
                 "characters, such as &#65; or &#x41;");
    }
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
      if (at == std::string_view::npos) break;
      const char mark = text_[at++];
      if (mark == '>') break;
      if (mark == '=') {
        count(at);
        if (++attributes > max_attributes)
          fail(begin, "an element holds more than " + std::to_string(max_attributes) + " attributes");
      } else {
        at = after(at, std::string_view(&mark, 1));
      }
    }
    at = std::min(at, text_.size());
    check_text(begin, at);
    return at;
  }

  static constexpr std::size_t longest_reference = 40;

  std::string_view text_;
  const Report& report_;
  int nodes_ = 0;
};

std::string explain(pugi::xml_parse_status status) {
  switch (status) {
    case pugi::status_end_element_mismatch:
      return "an element is closed by the tag of another one, or not at all; is the text cut off?";
    case pugi::status_bad_attribute:
      return "an attribute is broken; write name=\"value\"";
    case pugi::status_bad_comment:
      return "a comment is not closed by '-->'";
    case pugi::status_bad_pi:
      return "an XML declaration is broken";
    case pugi::status_no_document_element:
      return "there is no <robot> element; this is no URDF";
    case pugi::status_out_of_memory:
      return "there is not enough memory to read the text";
    default:
      return "this is not well-formed XML; is the text cut off, or a tag broken?";
  }
}

// What pugixml lets pass: an attribute given twice (the second would be lost), and nesting without bound.
void check_elements(const pugi::xml_document& document, const Report& report) {
  std::vector<std::string_view> names;
  int depth = 0;
  for (pugi::xml_node node = document.first_child(); node;) {
    names.clear();
    for (const pugi::xml_attribute& a : node.attributes()) names.emplace_back(a.name());
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end())
      report.fail(Status::parse_error, report.line(node),
                  "attribute " + in_quotes(*twice) + " of <" + node.name() + "> is given twice; keep one");
    if (depth > max_depth)
      report.fail(Status::parse_error, report.line(node),
                  "elements are nested too deeply; URDF nests five levels");
    if (node.first_child()) {
      node = node.first_child();
      ++depth;
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = node.next_sibling();
  }
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string out = "'";
  for (const char c : text.substr(0, cut_utf8(text, longest)))
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

void Report::take_lines(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    line_ends_.push_back(at);
}

int Report::line(std::size_t offset) const {
  return static_cast<int>(std::lower_bound(line_ends_.begin(), line_ends_.end(), offset) -
                          line_ends_.begin()) +
         1;
}

int Report::line(const pugi::xml_node& node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  if (offset < 0) return 0;
  // A text begins behind the tag before it, what can be read of it maybe lines below.
  const std::size_t blank = std::string_view(node.value()).find_first_not_of(blanks);
  return line(static_cast<std::size_t>(offset) + (blank == std::string_view::npos ? 0 : blank));
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
  const char* value = xml_.attribute(attribute).value();
  if (!has(attribute)) fail_attribute(attribute, "is missing; add it");
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
  const pugi::xml_node first = xml_.child(tag);
  if (!first) return std::nullopt;
  if (const pugi::xml_node second = first.next_sibling(tag))
    Element(second, subject_, *report_)
        .fail(Status::parse_error, "second <" + std::string(tag) + "> in one <" + this->tag() +
                                       ">, the first is on line " + std::to_string(report_->line(first)) +
                                       "; keep one");
  return Element(first, subject_, *report_);
}

Element Element::required_child(const char* tag) const {
  std::optional<Element> found = child(tag);
  if (!found) fail(Status::parse_error, "<" + std::string(this->tag()) + "> has no <" + tag + ">; add one");
  return *found;
}

void Element::expect_attributes(std::initializer_list<std::string_view> known) const {
  for (const pugi::xml_attribute& a : xml_.attributes())
    if (!contains(known, a.name()))
      report_->warn(line(), subject_ + ": attribute " + in_quotes(a.name()) + " of <" + tag() +
                                "> is unknown and ignored");
}

void Element::expect_children(std::initializer_list<std::string_view> known) const {
  for (const pugi::xml_node& node : xml_.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata)
      report_->warn(report_->line(node), subject_ + ": text " + in_quotes(trim(node.value())) + " inside <" +
                                             tag() + "> is ignored");
    if (node.type() == pugi::node_element && !contains(known, node.name()))
      report_->warn(report_->line(node), subject_ + ": element " + in_quotes(node.name()) + " inside <" +
                                             tag() + "> is unknown and ignored");
  }
}

void parse_document(std::string_view text, Report& report, pugi::xml_document& document) {
  if (text.size() > max_bytes)
    report.fail(Status::parse_error, 0,
                "the text has " + std::to_string(text.size()) + " bytes, more than the " +
                    std::to_string(max_bytes) + " that a URDF may have; keep meshes in files of their own");
  if (is_blank(text))
    report.fail(Status::parse_error, 0, "the text is empty; a URDF holds one <robot> element");
  Scanner(text, report).scan();
  report.take_lines(text);
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
  if (!result)
    report.fail(Status::parse_error, report.line(static_cast<std::size_t>(result.offset)),
                explain(result.status));
  check_elements(document, report);
}

}  // namespace tenon::urdf
