#include "csv.hpp"

#include <cerrno>
#include <cstring>

namespace client {
namespace {

void add_columns(std::string& header, const char* prefix, const char* joint, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    header += count == 1 ? format(",%s:%s", prefix, joint) : format(",%s:%s.%d", prefix, joint, i);
}

std::string make_header(const tenon_model* model, const ContactSet& contacts) {
  static const char* const rows[6] = {"mx", "my", "mz", "fx", "fy", "fz"};
  const std::vector<tenon_joint_info> all = joints(model);
  std::string header = "t";
  for (const tenon_joint_info& joint : all) add_columns(header, "q", joint.name, joint.nq);
  for (const tenon_joint_info& joint : all) add_columns(header, "v", joint.name, joint.nv);
  for (const Contact& contact : contacts.contacts)
    for (std::size_t i = 0; i < contact.row_count; ++i)
      header += format(",lambda:%s.%s", contact.name.c_str(), rows[i + (contact.weld ? 0 : 3)]);
  return header + ",kinetic,potential,work,drift_position,drift_angle\n";
}

void append(std::string& line, const Vector& numbers) {
  for (const double number : numbers) line += format(",%.17g", number);
}

}  // namespace

CsvWriter::CsvWriter(const std::string& path, const tenon_model* model, const ContactSet& contacts)
    : path_(path), file_(path == "-" ? stdout : open_file(path, "wb")), contact_rows_(contacts.contact_rows) {
  check_written(file_ && std::fputs(make_header(model, contacts).c_str(), file_.get()) >= 0);
}

void CsvWriter::write(const Sample& sample) {
  std::string line = format("%.17g", sample.t);
  append(line, sample.q);
  append(line, sample.v);
  append(line,
         Vector(sample.lambda.begin(), sample.lambda.begin() + static_cast<std::ptrdiff_t>(contact_rows_)));
  append(line, {sample.kinetic, sample.potential, sample.work, sample.drift_position, sample.drift_angle});
  line += '\n';
  check_written(std::fputs(line.c_str(), file_.get()) >= 0);
}

void CsvWriter::close() {
  check_written(std::fflush(file_.get()) == 0);
}

void CsvWriter::check_written(bool good) const {
  if (!good)
    throw Failure(format("cannot write the table '%s': %s; name a file in a folder that exists and has room.",
                         path_.c_str(), std::strerror(errno)));
}

}  // namespace client
