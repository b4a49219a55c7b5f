#include "simulation/scene.hpp"

#include <algorithm>
#include <cmath>

namespace client {
namespace {

using Point3 = std::array<double, 3>;

// A bone joins a link to its parent, or ends in the centre of mass of a link that nothing hangs on.
struct Bone {
  int32_t parent, child;
  double width;
};

// Links on the way to a joint or a contact; and what is fixed to the last of these, which shows a head or a
// tip. Other fixed links, cameras on a chest and the like, are left out.
std::vector<char> drawn_links(const std::vector<tenon_link_info>& links,
                              const std::vector<tenon_joint_info>& all, const ContactSet& contacts) {
  std::vector<char> drawn(links.size(), 0), inner(links.size(), 0);
  const auto mark = [&](int32_t index) {
    for (; index >= 0 && !drawn[static_cast<std::size_t>(index)];
         index = links[static_cast<std::size_t>(index)].parent_link)
      drawn[static_cast<std::size_t>(index)] = 1;
  };
  for (const tenon_joint_info& joint : all) mark(joint.child_link);
  for (const Contact& contact : contacts.contacts) mark(contact.link);
  for (std::size_t i = 0; i < links.size(); ++i)
    if (drawn[i] && links[i].parent_link >= 0) inner[static_cast<std::size_t>(links[i].parent_link)] = 1;
  for (std::size_t i = 0; i < links.size(); ++i) {
    int32_t holder = links[i].parent_link;
    while (holder >= 0 && !drawn[static_cast<std::size_t>(holder)])
      holder = links[static_cast<std::size_t>(holder)].parent_link;
    if (!drawn[i] && holder >= 0 && !inner[static_cast<std::size_t>(holder)]) drawn[i] = 2;
  }
  return drawn;
}

std::vector<Bone> bones(const tenon_model* model, const ContactSet& contacts) {
  std::vector<tenon_link_info> links;
  for (int32_t i = 0; i < tenon_model_link_count(model); ++i) links.push_back(link(model, i));
  const std::vector<char> drawn = drawn_links(links, joints(model), contacts);
  double heaviest = 1e-12;
  for (const tenon_link_info& info : links) heaviest = std::max(heaviest, info.mass);
  const auto width = [&](const tenon_link_info& info) { return 1.0 + 5.0 * std::cbrt(info.mass / heaviest); };

  std::vector<Bone> all;
  std::vector<char> ends(links.size(), 1);
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (!drawn[i] || links[i].parent_link < 0) continue;
    ends[static_cast<std::size_t>(links[i].parent_link)] = 0;
    all.push_back({links[i].parent_link, static_cast<int32_t>(i), width(links[i])});
  }
  for (std::size_t i = 0; i < links.size(); ++i)
    if (drawn[i] == 1 && ends[i] && links[i].mass > 0)
      all.push_back({static_cast<int32_t>(i), -1, width(links[i])});
  return all;
}

chart::Stroke draw_bone(const tenon_model* model, tenon_workspace* workspace, const Bone& bone,
                        const std::string& color) {
  const Placed parent = place(workspace, bone.parent);
  if (bone.child >= 0) return {{parent.point, place(workspace, bone.child).point}, color, bone.width, 1};
  const tenon_link_info info = link(model, bone.parent);
  const double* center = info.center_of_mass;
  return {{parent.point, parent.at({center[0], center[1], center[2]})}, color, bone.width, 1};
}

void add_contacts(tenon_workspace* workspace, const ContactSet& contacts, const Sample& sample, double size,
                  chart::Drawing& drawing) {
  double largest = 1e-12;
  for (const Contact& contact : contacts.contacts) {
    const double* force = &sample.lambda[contact.first_linear_row()];
    largest = std::max(largest, std::hypot(force[0], force[1], force[2]));
  }
  for (const Contact& contact : contacts.contacts) {
    const Point3 from = place(workspace, contact.link).at(contact.point);
    const double* force = &sample.lambda[contact.first_linear_row()];
    Point3 to = from;
    for (std::size_t i = 0; i < 3; ++i) to[i] += 0.22 * size * force[i] / largest;
    drawing.arrows.push_back({from, to, chart::palette(1)});
    drawing.marks.push_back({from, chart::palette(1), contact.weld ? 4.5 : 2.8});
  }
  if (contacts.contacts.empty()) return;
  drawing.legend.emplace_back(chart::palette(1), format("contact force, the longest arrow %.3g N", largest));
}

// The largest extent of the strokes along an axis of the world.
double extent(const chart::Drawing& drawing) {
  double size = 0.1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double lower = 1e300, upper = -1e300;
    for (const chart::Stroke& stroke : drawing.strokes)
      for (const Point3& point : stroke.points) {
        lower = std::min(lower, point[axis]);
        upper = std::max(upper, point[axis]);
      }
    size = std::max(size, upper - lower);
  }
  return size;
}

}  // namespace

chart::Drawing draw_robot(const tenon_model* model, tenon_workspace* workspace, const ContactSet& contacts,
                          const std::vector<const Sample*>& moments) {
  chart::Drawing drawing;
  drawing.title = "The robot at three moments";
  if (moments.empty()) return drawing;
  const std::vector<Bone> skeleton = bones(model, contacts);
  for (std::size_t k = 0; k < moments.size(); ++k) {
    check(tenon_kinematics(workspace, moments[k]->q.data(), moments[k]->q.size(), nullptr, 0, nullptr, 0),
          workspace, "drawing the robot");
    const bool last = k + 1 == moments.size();
    const std::string color = last ? "#22364f" : k == 0 ? "#c3ccd6" : "#8fb3d9";
    for (const Bone& bone : skeleton) drawing.strokes.push_back(draw_bone(model, workspace, bone, color));
    drawing.legend.emplace_back(color, format("t = %.3g s", moments[k]->t));
  }
  add_contacts(workspace, contacts, *moments.back(), extent(drawing), drawing);
  drawing.has_ground = tenon_model_floating_base(model) == 1 && !contacts.contacts.empty();
  drawing.ground = 1e300;
  for (const chart::Mark& mark : drawing.marks) drawing.ground = std::min(drawing.ground, mark.point[2]);
  return drawing;
}

}  // namespace client
