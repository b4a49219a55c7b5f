// A simulation as a table of numbers, written while it runs.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "client.hpp"
#include "simulation/contacts.hpp"
#include "simulation/simulation.hpp"

namespace client {

// Columns: t, q:JOINT[.k], v:JOINT[.k], lambda:CONTACT.ROW, kinetic, potential, work, drift_position,
// drift_angle. Numbers have the 17 digits that give back the same double.
class CsvWriter {
 public:
  // path "-": standard output. Throws where the file cannot be written.
  CsvWriter(const std::string& path, const tenon_model* model, const ContactSet& contacts);
  void write(const Sample& sample);
  // Throws where the last numbers did not reach the disk.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  void check_written(bool good) const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::size_t contact_rows_;
};

}  // namespace client
