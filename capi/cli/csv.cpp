#include "csv.hpp"

namespace client {
namespace {

// [RFC4180] 2: in quotes where it holds a comma, a quote or the end of a line; quotes inside are doubled.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void add_columns(std::string& header, const char* prefix, const char* joint, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    header += "," + cell(count == 1 ? format("%s:%s", prefix, joint) : format("%s:%s.%d", prefix, joint, i));
}

std::string make_header(const tenon_model* model, const ContactSet& contacts) {
  static const char* const rows[6] = {"mx", "my", "mz", "fx", "fy", "fz"};
  const std::vector<tenon_joint_info> all = joints(model);
  std::string header = "t";
  for (const tenon_joint_info& joint : all) add_columns(header, "q", joint.name, joint.nq);
  for (const tenon_joint_info& joint : all) add_columns(header, "v", joint.name, joint.nv);
  for (const Contact& contact : contacts.contacts)
    for (std::size_t i = 0; i < contact.row_count; ++i)
      header += "," + cell(format("lambda:%s.%s", contact.name.c_str(), rows[i + (contact.weld ? 0 : 3)]));
  return header + ",kinetic,potential,work,drift_position,drift_angle\n";
}

void append(std::string& line, const Vector& numbers) {
  for (const double number : numbers) line += format(",%.17g", number);
}

}  // namespace

CsvWriter::CsvWriter(const std::string& path, const tenon_model* model, const ContactSet& contacts)
    : file_("the table", path), contact_rows_(contacts.contact_rows) {
  file_.write(make_header(model, contacts));
}

void CsvWriter::write(const Sample& sample) {
  std::string line = format("%.17g", sample.t);
  append(line, sample.q);
  append(line, sample.v);
  append(line,
         Vector(sample.lambda.begin(), sample.lambda.begin() + static_cast<std::ptrdiff_t>(contact_rows_)));
  append(line, {sample.kinetic, sample.potential, sample.work, sample.drift_position, sample.drift_angle});
  file_.write(line + '\n');
}

void CsvWriter::close() {
  file_.close();
}

}  // namespace client
