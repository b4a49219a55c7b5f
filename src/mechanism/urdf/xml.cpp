// Checked access to XML elements, and limits that make hostile text harmless (xml.hpp).
//
// tinyxml2 builds the tree. It expands only the five entities of XML and character references, and loads
// nothing. But it accepts much that is not XML, has few limits, and names the line where an element begins,
// not where the error is. So a pass over the text comes first and refuses broken or unmatched tags, repeated
// attributes, document types, NUL bytes, bytes that are not UTF-8, references to no character, too many nodes
// or attributes, and too deep nesting. Comments and processing instructions may hold any bytes, because
// nothing reads them.

#include "mechanism/urdf/xml.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "mechanism/urdf/decimal.hpp"
#include "mechanism/utf8.hpp"

namespace tenon::urdf {
namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(blanks) == std::string_view::npos;
}

// The whole of text as a finite decimal number, in any locale. Empty if it is not one.
std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) return std::nullopt;
  }
  return parse_decimal(text);
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

// The character of a reference "&name;", without its '&' and ';'. 0 if XML does not allow it.
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

bool begins_name(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || c == '_' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) {
  return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

// A pass over the text that refuses what tinyxml2 would accept or could not hold. Overwrites processing
// instructions with spaces, because tinyxml2 refuses them inside elements.
class Scanner {
 public:
  Scanner(std::string& text, const Report& report) : source_(text), text_(text), report_(report) {}

  void scan() {
    const std::size_t nul = text_.find('\0');
    if (nul != std::string_view::npos)
      fail(nul, "a NUL byte stands in the text; save the file as plain UTF-8 (is it UTF-16 or binary?)");
    std::size_t read = 0;  // the text before it has been checked
    for (std::size_t at = text_.find('<'); at != std::string_view::npos; at = text_.find('<', at)) {
      count(at);
      check_text(read, at);
      if (starts(at, "<!--")) {
        at = after(at + 4, "-->", "a comment is not closed by '-->'");
      } else if (starts(at, "<![CDATA[")) {
        const std::size_t begin = at;
        at = after(at + 9, "]]>", not_well_formed);
        check_utf8(begin, at);
      } else if (starts(at, "<?")) {
        at = blank_out_instruction(at);
      } else if (starts(at, "<!")) {
        fail(at, "a document type declaration (<!DOCTYPE ...>) is refused; remove it, URDF needs none");
      } else {
        at = starts(at, "</") ? scan_end_tag(at) : scan_start_tag(at);
      }
      read = at;
    }
    check_text(read, text_.size());
    if (!open_.empty()) fail(text_.size(), not_matched);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    const std::size_t last = std::min(at, text_.size() - 1);
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(last), '\n');
    report_.fail(Status::parse_error, static_cast<int>(lines) + 1, what);
  }

  void check_utf8(std::size_t begin, std::size_t end) const {
    if (end <= valid_) return;
    const std::size_t valid = valid_utf8(text_.substr(begin, end - begin));
    if (valid < end - begin)
      fail(begin + valid, "the bytes here are not UTF-8; save the file as UTF-8 (is it Latin-1?)");
  }

  void check_text(std::size_t begin, std::size_t end) {
    check_utf8(begin, end);
    if (reference_ < begin) reference_ = text_.find('&', begin);
    for (; reference_ < end; reference_ = text_.find('&', reference_ + 1)) {
      const std::size_t semicolon = text_.find_first_of(";&<'\" \t\r\n", reference_ + 1);
      if (semicolon >= end || text_[semicolon] != ';')
        fail(reference_,
             "a '&' begins no reference such as &amp; or &#65; that ends with ';'; write &amp; for the "
             "character itself");
      const std::string_view name = text_.substr(reference_ + 1, semicolon - reference_ - 1);
      if (referred_character(name) == 0)
        fail(reference_, in_quotes("&" + std::string(name.substr(0, longest_reference)) + ";") +
                             " names no character; XML knows &amp; &lt; &gt; &quot; &apos; and the numbers "
                             "of characters, such as &#65; or &#x41;");
    }
  }

  // NUL at the end; the text itself has none.
  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  bool starts(std::size_t at, std::string_view mark) const {
    return text_.compare(at, mark.size(), mark) == 0;
  }

  std::size_t after(std::size_t at, std::string_view mark, const char* what_if_none) const {
    const std::size_t found = text_.find(mark, at);
    if (found == std::string_view::npos) fail(at, what_if_none);
    return found + mark.size();
  }

  std::size_t after_blanks(std::size_t at) const {
    while (is_blank(peek(at))) ++at;
    return at;
  }

  // The name that begins here; empty if there is none.
  std::string_view name(std::size_t begin) const {
    std::size_t end = begin;
    if (begins_name(peek(begin)))
      while (continues_name(peek(end))) ++end;
    return text_.substr(begin, end - begin);
  }

  void count(std::size_t at) {
    if (++nodes_ > max_nodes)
      fail(at, "the text holds more than " + std::to_string(max_nodes) +
                   " elements and attributes; no robot needs that many, is this the right file?");
  }

  // The following functions take the position where something begins and return the position after it.

  std::size_t blank_out_instruction(std::size_t begin) {
    constexpr const char* broken = "an XML declaration is broken";
    if (!begins_name(peek(begin + 2))) fail(begin + 2, broken);
    const std::size_t end = after(begin + 2, "?>", broken);
    for (std::size_t at = begin; at < end; ++at)
      if (source_[at] != '\n') source_[at] = ' ';
    return end;
  }

  std::size_t scan_end_tag(std::size_t begin) {
    const std::string_view tag = name(begin + 2);
    if (open_.empty() || tag != open_.back()) fail(begin + 2, not_matched);
    open_.pop_back();
    const std::size_t at = after_blanks(begin + 2 + tag.size());
    if (peek(at) != '>') fail(at, not_well_formed);
    return at + 1;
  }

  std::size_t scan_start_tag(std::size_t begin) {
    const std::string_view tag = name(begin + 1);
    if (tag.empty()) fail(begin + 1, not_well_formed);
    open_.push_back(tag);
    if (open_.size() > max_depth) fail(begin, "elements are nested too deeply; URDF nests five levels");
    attributes_.clear();
    std::size_t at = begin + 1 + tag.size(), next = after_blanks(at);
    check_text(begin, at);
    for (; peek(next) != '>' && peek(next) != '/'; next = after_blanks(at)) {
      if (!begins_name(peek(next))) fail(next, not_well_formed);
      if (next == at) fail(next, bad_attribute);
      at = scan_attribute(next);
      check_text(next, at);
      if (std::count(attributes_.begin(), attributes_.end(), attributes_.back()) > 1)
        fail(begin, "attribute " + in_quotes(attributes_.back()) + " of <" + std::string(tag) +
                        "> is given twice; keep one");
      if (attributes_.size() > max_attributes)
        fail(begin, "an element holds more than " + std::to_string(max_attributes) + " attributes");
    }
    if (peek(next) == '/') {
      if (peek(++next) != '>') fail(next, not_well_formed);
      open_.pop_back();
    }
    return next + 1;
  }

  std::size_t scan_attribute(std::size_t begin) {
    attributes_.push_back(name(begin));
    const std::size_t equals = after_blanks(begin + attributes_.back().size());
    if (peek(equals) != '=') fail(equals, bad_attribute);
    count(equals);
    const std::size_t quote = after_blanks(equals + 1);
    if (peek(quote) != '"' && peek(quote) != '\'') fail(quote, bad_attribute);
    const std::size_t end = text_.find(text_[quote], quote + 1);
    if (end == std::string_view::npos) fail(quote + 1, bad_attribute);
    return end + 1;
  }

  static constexpr std::size_t longest_reference = 40;
  static constexpr const char* not_well_formed =
      "this is not well-formed XML; is the text cut off, or a tag broken?";
  static constexpr const char* bad_attribute = "an attribute is broken; write name=\"value\"";
  static constexpr const char* not_matched =
      "an element is closed by the tag of another one, or not at all; is the text cut off?";

  std::string& source_;
  std::string_view text_;  // the same
  const Report& report_;
  int nodes_ = 0;
  std::size_t valid_ = valid_utf8(text_);            // the text before it is UTF-8
  std::size_t reference_ = text_.find('&');          // the first '&' that has not been checked
  std::vector<std::string_view> open_, attributes_;  // elements not closed yet; attributes of one tag
};

}  // namespace

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

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
  const char* found = xml_->Attribute(attribute);
  if (found == nullptr) fail_attribute(attribute, "is missing; add it");
  std::string value = found;
  if (is_blank(value)) fail_attribute(attribute, "is empty; give it a value");
  // As XML requires, a line break or tab in an attribute becomes a space.
  for (char& c : value)
    if (is_blank(c)) c = ' ';
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

std::optional<Element> Element::child(const char* tag) const {
  const tinyxml2::XMLElement* first = nullptr;
  for (const auto* e = xml_->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    if (std::strcmp(e->Name(), tag) != 0) continue;
    if (first != nullptr)
      Element(*e, subject_, *report_)
          .fail(Status::parse_error, "second <" + std::string(tag) + "> in one <" + this->tag() +
                                         ">, the first is on line " + std::to_string(first->GetLineNum()) +
                                         "; keep one");
    first = e;
  }
  if (first == nullptr) return std::nullopt;
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
      warn("attribute " + in_quotes(a->Name()) + " of <" + tag() + "> is unknown and ignored");
}

void Element::expect_children(std::initializer_list<std::string_view> known) const {
  for (const tinyxml2::XMLNode* node = xml_->FirstChild(); node != nullptr; node = node->NextSibling()) {
    const auto warn_of = [&](const std::string& what) {
      report_->warn(node->GetLineNum(), subject_ + ": " + what);
    };
    if (node->ToText())
      warn_of("text " + in_quotes(trim(node->Value())) + " inside <" + tag() + "> is ignored");
    if (node->ToElement() && !contains(known, node->Value()))
      warn_of("element " + in_quotes(node->Value()) + " inside <" + tag() + "> is unknown and ignored");
  }
}

void parse_document(std::string_view text, Report& report, tinyxml2::XMLDocument& document) {
  if (text.size() > max_bytes)
    report.fail(Status::parse_error, 0,
                "the text has " + std::to_string(text.size()) + " bytes, more than the " +
                    std::to_string(max_bytes) + " that a URDF may have; keep meshes in files of their own");
  if (is_blank(text))
    report.fail(Status::parse_error, 0, "the text is empty; a URDF holds one <robot> element");
  std::string checked(text);
  Scanner(checked, report).scan();
  checked += "<!---->";  // tinyxml2 keeps text only where a '<' follows
  if (document.Parse(checked.data(), checked.size()) != tinyxml2::XML_SUCCESS)
    report.fail(Status::parse_error, document.ErrorLineNum(), "this XML cannot be read; is a tag broken?");
}

}  // namespace tenon::urdf
