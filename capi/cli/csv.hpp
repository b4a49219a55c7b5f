// A simulation as a table of numbers, written while it runs.
#pragma once

#include <string>

#include "client.hpp"
#include "simulation/contacts.hpp"
#include "simulation/simulation.hpp"

namespace client {

// Columns: t, q:JOINT[.k], v:JOINT[.k], lambda:CONTACT.ROW, kinetic, potential, work, drift_position,
// drift_angle. Numbers have the 17 digits that give back the same double. Names are quoted where a table needs it.
class CsvWriter {
 public:
  CsvWriter(const std::string& path, const tenon_model* model, const ContactSet& contacts);
  void write(const Sample& sample);
  // Throws where the last numbers did not reach the disk.
  void close();

 private:
  Output file_;
  std::size_t contact_rows_;
};

}  // namespace client
