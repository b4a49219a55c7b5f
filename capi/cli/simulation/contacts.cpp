#include "simulation/contacts.hpp"

#include <algorithm>

namespace client {

ContactRequest parse_contact(const std::string& text, bool weld, const std::string& option) {
  ContactRequest request;
  request.weld = weld;
  const std::size_t at = text.rfind('@');
  request.link = text.substr(0, at);
  if (request.link.empty())
    throw Failure(format("%s: '%s' names no link; write LINK or LINK@x,y,z.", option.c_str(), text.c_str()),
                  2);
  if (at == std::string::npos) return request;
  const Vector point = parse_numbers(text.substr(at + 1), option);
  if (point.size() != 3)
    throw Failure(
        format(
            "%s: '%s' gives %zu coordinates after @; a point has three, x,y,z in metres in the link frame.",
            option.c_str(), text.c_str(), point.size()),
        2);
  for (std::size_t i = 0; i < 3; ++i) request.point[i] = point[i];
  return request;
}

namespace {

// The link's name; with a number behind it for the second and later contacts of a link.
std::string name_contact(const std::vector<Contact>& before, int32_t link, const std::string& link_name) {
  const auto earlier =
      std::count_if(before.begin(), before.end(), [&](const Contact& c) { return c.link == link; });
  return earlier == 0 ? link_name : link_name + "." + std::to_string(earlier + 1);
}

Contact add(tenon_constraints* set, const ContactRequest& request, Contact contact,
            const tenon_constraint_options& options) {
  std::array<char, 1024> message{};
  contact.weld = request.weld;
  contact.point = request.point;
  tenon_status status;
  if (request.weld) {
    const std::array<double, 7> pose = {request.point[0], request.point[1], request.point[2], 0, 0, 0, 1};
    status = tenon_constraints_add_weld(set, contact.link, pose.data(), pose.size(), &options, nullptr,
                                        message.data(), message.size());
  } else {
    status = tenon_constraints_add_point(set, contact.link, request.point.data(), request.point.size(),
                                         &options, nullptr, message.data(), message.size());
  }
  if (status < 0) throw Failure(message.data());
  return contact;
}

}  // namespace

ContactSet make_contacts(const tenon_model* model, const std::vector<ContactRequest>& requests,
                         const Stabilisation& stabilisation, int32_t axes) {
  std::array<char, 1024> message{};
  tenon_constraints* created = nullptr;
  if (tenon_constraints_create(model, &created, message.data(), message.size()) < 0)
    throw Failure(message.data());
  ContactSet set;
  set.handle.reset(created);

  tenon_constraint_options options;
  tenon_constraint_options_init(&options, sizeof options);
  options.axes = axes;
  options.frequency = stabilisation.frequency;
  options.damping_ratio = stabilisation.damping_ratio;
  for (const ContactRequest& request : requests) {
    Contact contact;
    contact.link = find_link(model, request.link, request.weld ? "--weld" : "--point");
    contact.name = name_contact(set.contacts, contact.link, request.link);
    options.name = contact.name.c_str();
    set.contacts.push_back(add(created, request, contact, options));
  }
  if (tenon_constraints_finish(created, message.data(), message.size()) < 0) throw Failure(message.data());

  for (std::size_t i = 0; i < set.contacts.size(); ++i) {
    tenon_constraint_info info;
    tenon_constraint_info_init(&info, sizeof info);
    tenon_constraints_constraint_info(created, static_cast<int32_t>(i), &info);
    set.contacts[i].first_row = static_cast<std::size_t>(info.first_row);
    set.contacts[i].row_count = static_cast<std::size_t>(info.row_count);
    set.contact_rows += set.contacts[i].row_count;
  }
  set.rows = static_cast<std::size_t>(tenon_constraints_row_count(created));
  return set;
}

}  // namespace client
