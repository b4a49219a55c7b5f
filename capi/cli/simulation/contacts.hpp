// Contacts asked for on a command line, and the constraint set made of them.
#pragma once

#include <string>
#include <vector>

#include "client.hpp"

namespace client {

// What a user writes: LINK or LINK@x,y,z, the point in the link frame, m.
struct ContactRequest {
  bool weld = false;
  std::string link;
  std::array<double, 3> point = {0, 0, 0};
};

ContactRequest parse_contact(const std::string& text, bool weld, const std::string& option);

// Stabilisation of all contacts; frequency 0 switches it off.
struct Stabilisation {
  double frequency = 0;
  double damping_ratio = 1;
};

struct Contact {
  std::string name;
  int32_t link = -1;
  bool weld = false;
  std::array<double, 3> point = {0, 0, 0};
  std::size_t first_row = 0, row_count = 0;
  std::size_t first_linear_row() const { return first_row + (weld ? 3 : 0); }
};

struct ContactSet {
  ConstraintsHandle handle;
  std::vector<Contact> contacts;
  std::size_t rows = 0;          // of the set: those of contacts, then those of loops that rows close
  std::size_t contact_rows = 0;  // of contacts alone
};

// Rows lie along the axes of the world unless asked for otherwise, so that a contact's force reads as x, y
// and z of the world.
ContactSet make_contacts(const tenon_model* model, const std::vector<ContactRequest>& requests,
                         const Stabilisation& stabilisation, int32_t axes = TENON_AXES_WORLD);

}  // namespace client
