// Model::describe: a summary and the tree, to be read by people.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/body_poses.hpp"
#include "scalar/classic_text.hpp"
#include "scalar/index.hpp"
#include "tenon/model.hpp"

namespace tenon {
namespace {

// Names of the links of each body; the world's first.
std::vector<std::string> link_names(const Model& model) {
  std::vector<std::string> names(model.nodes.size() + 1);
  for (const Model::Link& link : model.links) {
    if (link.is_frame) continue;
    std::string& text = names[index(link.body + 1)];
    text += (text.empty() ? "" : " + ") + link.name;
  }
  return names;
}

std::string counted(int count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string Model::describe() const {
  const auto frames =
      std::count_if(links.begin(), links.end(), [](const Link& link) { return link.is_frame; });
  const auto hinges =
      std::count_if(joints.begin(), joints.end(), [](const Joint& joint) { return joint.nv == 1; });
  const auto tilted = std::count_if(nodes.begin(), nodes.end(), is_oblique);
  ClassicText text;
  text << (name.empty() ? "unnamed mechanism" : name) << ": "
       << counted(count_of(links) - static_cast<int>(frames), "link", "links") << ", "
       << counted(static_cast<int>(frames), "extra frame", "extra frames") << ", "
       << counted(body_count(), "moving body", "moving bodies") << ", "
       << counted(count_of(joints), "moving joint", "moving joints") << "\n"
       << "nq " << nq << ", nv " << nv << ", mass " << total_mass << " kg, depth " << depth << ", "
       << (floating_base ? "floating" : "fixed") << " base\n"
       << "one-dof joints: " << hinges - tilted << " along a coordinate axis of their body frames, " << tilted
       << " oblique\n";

  if (!loops.clusters.empty()) {
    text << counted(data().cluster_count, "cluster", "clusters") << " of joints tied by loops and couplings, "
         << counted(ny, "independent velocity coordinate", "independent velocity coordinates") << "\n";
    for (const ClusterData& c : loops.clusters) {
      text << "  ";
      for (int l = c.constraint_begin; l < c.constraint_end; ++l)
        text << (l > c.constraint_begin ? ", " : "") << loops.names[index(l)];
      text << ": " << c.y_count << " of " << c.v_count << " independent; dependent:";
      for (int i = c.d_begin; i < c.d_begin + c.d_count; ++i)
        text << " " << joints[index(v_node[index(loops.dependent[index(i)])])].name;
      text << "; " << counted(c.row_count, "row", "rows") << " of rank " << c.d_count << ", "
           << (c.constant_G == 1 ? "constant map" : "map changes") << "\n";
    }
    if (folding)
      text << "  " << counted(count_of(folding->rotor_node), "rotor is", "rotors are")
           << " folded into what carries them\n";
  }

  for (const RowLoop& loop : row_loops) text << "loop " << loop.name << " is closed by rows\n";

  const std::vector<std::string> names = link_names(*this);
  text << "world" << (names[0].empty() ? "" : ": ") << names[0] << "\n";
  std::vector<int> level(nodes.size());
  // Body numbers keep clusters together.
  for (const std::int32_t body : depth_first(parents_of(nodes))) {
    const std::size_t i = index(body);
    const NodeData& node = nodes[i];
    const Joint& joint = joints[i];
    level[i] = node.parent < 0 ? 1 : level[index(node.parent)] + 1;
    text << std::string(2 * index(level[i]), ' ') << joint.name << "  " << type_name(joint.type);
    if (has_axis(joint.type))
      text << " (" << joint.axis[0] << " " << joint.axis[1] << " " << joint.axis[2] << ")";
    if (joint.type == JointType::screw) text << " pitch " << joint.pitch;
    if (is_oblique(node)) text << " oblique";
    if (std::isfinite(joint.limits.lower) || std::isfinite(joint.limits.upper))
      text << " from " << joint.limits.lower << " to " << joint.limits.upper;
    text << "  " << (names[i + 1].empty() ? "(no link)" : names[i + 1]) << "  " << node.mass << " kg\n";
  }
  return text.str();
}

}  // namespace tenon
