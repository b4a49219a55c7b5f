// The peer's model, its coordinates, and its tree algorithms: aba, rnea, crba in each convention it offers.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "peer/peer_impl.hpp"

namespace bench {
namespace {

namespace pin = pinocchio;

// What peer_reader prints for the text. URDF of the peer has no spherical joints: these are read as continuous ones and
// made spherical by their names.
std::string read_with_peer(const std::string& text, bool floating_base) {
  const std::string urdf = std::regex_replace(text, std::regex("type=\"spherical\""), "type=\"continuous\"");
  std::string path = std::filesystem::temp_directory_path() / "tenon_bench_XXXXXX";
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) throw std::runtime_error("cannot create a temporary file for the URDF text");
  std::FILE* file = fdopen(descriptor, "w");
  std::fwrite(urdf.data(), 1, urdf.size(), file);
  std::fclose(file);

  const std::string command =
      std::string(TENON_BENCH_PEER_READER) + " " + path + (floating_base ? " floating" : " fixed");
  std::string out;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  const int status = pclose(pipe);
  std::remove(path.c_str());
  if (status != 0) throw std::runtime_error("Pinocchio could not read the URDF text (see above)");
  return out;
}

pin::SE3 read_pose(std::istream& in) {
  pin::SE3 pose;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) in >> pose.rotation()(i, j);
  }
  for (int i = 0; i < 3; ++i) in >> pose.translation()[i];
  return pose;
}

std::string read_name(std::istream& in) {
  std::string name;
  std::getline(in >> std::ws, name);
  return name;
}

// The specialised joint types, chosen by the peer's own reader.
pin::JointModel make_joint(const std::string& kind, const Eigen::Vector3d& axis) {
  if (kind == "JointModelRX") return pin::JointModelRX();
  if (kind == "JointModelRY") return pin::JointModelRY();
  if (kind == "JointModelRZ") return pin::JointModelRZ();
  if (kind == "JointModelPX") return pin::JointModelPX();
  if (kind == "JointModelPY") return pin::JointModelPY();
  if (kind == "JointModelPZ") return pin::JointModelPZ();
  if (kind == "JointModelRUBX") return pin::JointModelRUBX();
  if (kind == "JointModelRUBY") return pin::JointModelRUBY();
  if (kind == "JointModelRUBZ") return pin::JointModelRUBZ();
  if (kind == "JointModelRevoluteUnaligned") return pin::JointModelRevoluteUnaligned(axis);
  if (kind == "JointModelRevoluteUnboundedUnaligned") return pin::JointModelRevoluteUnboundedUnaligned(axis);
  if (kind == "JointModelPrismaticUnaligned") return pin::JointModelPrismaticUnaligned(axis);
  if (kind == "JointModelFreeFlyer") return pin::JointModelFreeFlyer();
  throw std::runtime_error("the benchmark does not know the peer's joint type " + kind);
}

void read_joint(std::istream& in, const std::set<std::string>& spherical, pin::Model& model) {
  std::size_t parent = 0;
  std::string kind;
  Eigen::Vector3d axis, center;
  double mass = 0, inertia[6];
  in >> parent >> kind >> axis[0] >> axis[1] >> axis[2];
  const pin::SE3 placement = read_pose(in);
  in >> mass >> center[0] >> center[1] >> center[2];
  for (double& number : inertia) in >> number;
  const std::string name = read_name(in);
  const pin::JointIndex index = model.addJoint(
      parent,
      spherical.count(name) > 0 ? pin::JointModel(pin::JointModelSpherical()) : make_joint(kind, axis),
      placement, name);
  Eigen::Matrix<double, 6, 1> packed = Eigen::Map<Eigen::Matrix<double, 6, 1>>(inertia);
  model.inertias[index] = pin::Inertia(mass, center, pin::Symmetric3(packed));
}

struct Frame {
  pin::JointIndex joint;
  pin::SE3 placement;
};

std::map<std::string, Frame> read_tree(const std::string& text, const std::set<std::string>& spherical,
                                       pin::Model& model) {
  std::map<std::string, Frame> frames;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word == "joint") {
      read_joint(in, spherical, model);
    } else if (word == "frame") {
      Frame frame;
      in >> frame.joint;
      frame.placement = read_pose(in);
      frames[read_name(in)] = frame;
    } else {
      throw std::runtime_error("peer_reader printed something unexpected: " + word);
    }
  }
  return frames;
}

}  // namespace

PinocchioPeer::PinocchioPeer(const std::string& urdf, bool floating_base,
                             const std::vector<JointCoordinates>& joints,
                             const std::vector<ContactSpec>& contact_specs) {
  std::set<std::string> spherical;
  for (const JointCoordinates& joint : joints)
    if (joint.nv == 3 && joint.nq == 4) spherical.insert(joint.name);
  const std::map<std::string, Frame> frames =
      read_tree(read_with_peer(urdf, floating_base), spherical, model);
  v_of_tenon.assign(static_cast<std::size_t>(model.nv), -1);
  for (const JointCoordinates& joint : joints) {
    const pin::JointIndex index = joint.nv == 6 ? 1 : model.getJointId(joint.name);
    if (index >= static_cast<pin::JointIndex>(model.njoints)) {
      throw std::runtime_error("Pinocchio has no joint '" + joint.name + "'");
    }
    coordinates.push_back({index, joint});
    for (int k = 0; k < joint.nv; ++k) {
      const int swapped = joint.nv == 6 ? (k + 3) % 6 : k;
      v_of_tenon.at(static_cast<std::size_t>(joint.v_index + k)) = model.joints[index].idx_v() + swapped;
    }
  }
  for (const ContactSpec& contact : contact_specs) {
    const auto frame = frames.find(contact.link);
    if (frame == frames.end()) throw std::runtime_error("Pinocchio has no link '" + contact.link + "'");
    pin::SE3 placement = pin::SE3::Identity();
    placement.translation() = Eigen::Vector3d(contact.point[0], contact.point[1], contact.point[2]);
    contacts.push_back({frame->second.joint, frame->second.placement * placement, contact.rows});
  }
}

void PinocchioPeer::add_state(const double* q, const double* v, const double* tau, const double* a) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
  PeerState state{Eigen::VectorXd::Zero(model.nq), zero, zero, zero};
  for (const auto& item : coordinates) {
    const int first = model.joints[item.joint].idx_q(), nq = model.joints[item.joint].nq();
    if (nq == 2 && item.tenon.nq == 1) {
      state.q[first] = std::cos(q[item.tenon.q_index]);
      state.q[first + 1] = std::sin(q[item.tenon.q_index]);
      continue;
    }
    for (int k = 0; k < nq; ++k) state.q[first + k] = q[item.tenon.q_index + k];
  }
  for (int i = 0; i < model.nv; ++i) {
    state.v[v_of_tenon[static_cast<std::size_t>(i)]] = v[i];
    state.tau[v_of_tenon[static_cast<std::size_t>(i)]] = tau[i];
    state.a[v_of_tenon[static_cast<std::size_t>(i)]] = a[i];
  }
  states.push_back(std::move(state));
}

void PinocchioPeer::prepare(PeerMethod method, const PeerSettings& settings) {
  std::unique_ptr<PeerScratch>& memory = scratch[static_cast<std::size_t>(method)];
  if (method >= PeerMethod::rnea_derivatives) {
    memory = make_derivative_scratch(*this, method, settings);
  } else if (method >= PeerMethod::constrained_aba) {
    memory = make_constrained_scratch(*this, method, settings);
  } else {
    memory = std::make_unique<PeerScratch>(model);
  }
}

namespace {
// The peer's crba leaves the lower triangle to its caller; Tenon hands out the whole matrix.
void fill_lower_triangle(Eigen::MatrixXd& M) {
  M.triangularView<Eigen::StrictlyLower>() = M.transpose().triangularView<Eigen::StrictlyLower>();
}
}  // namespace

void PinocchioPeer::run(PeerMethod method, int index) {
  const PeerState& state = states[static_cast<std::size_t>(index)];
  PeerScratch& memory = *scratch[static_cast<std::size_t>(method)];
  pin::Data& data = memory.data;
  switch (method) {
    case PeerMethod::aba_local:
      pin::aba(model, data, state.q, state.v, state.tau, pin::Convention::LOCAL);
      break;
    case PeerMethod::aba_world:
      pin::aba(model, data, state.q, state.v, state.tau, pin::Convention::WORLD);
      break;
    case PeerMethod::rnea:
      pin::rnea(model, data, state.q, state.v, state.a);
      break;
    case PeerMethod::crba_local:
      pin::crba(model, data, state.q, pin::Convention::LOCAL);
      fill_lower_triangle(data.M);
      break;
    case PeerMethod::crba_world:
      pin::crba(model, data, state.q, pin::Convention::WORLD);
      fill_lower_triangle(data.M);
      break;
    default:
      run_constrained(*this, method, memory, state);
  }
}

void PinocchioPeer::result(PeerMethod method, double* out) const {
  const PeerScratch& memory = *scratch[static_cast<std::size_t>(method)];
  const Eigen::VectorXd from = method == PeerMethod::rnea ? memory.data.tau : memory.result();
  for (std::size_t i = 0; i < v_of_tenon.size(); ++i) out[i] = from[v_of_tenon[i]];
}

void PinocchioPeer::mass_matrix(PeerMethod method, double* out) const {
  const auto& M = scratch[static_cast<std::size_t>(method)]->data.M;
  const std::vector<int>& map = v_of_tenon;
  for (std::size_t j = 0; j < map.size(); ++j) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      out[j * map.size() + i] = map[i] <= map[j] ? M(map[i], map[j]) : M(map[j], map[i]);
    }
  }
}

namespace {
std::string describe() {
  std::ostringstream text;
  text << "Pinocchio " << PINOCCHIO_VERSION << ", Eigen " << EIGEN_WORLD_VERSION << '.' << EIGEN_MAJOR_VERSION
       << '.' << EIGEN_MINOR_VERSION << ", " << TENON_BENCH_PEER_FLAGS << ", vectors of "
       << EIGEN_MAX_ALIGN_BYTES << " bytes";
  return text.str();
}

std::unique_ptr<Peer> make(const std::string& urdf, bool floating_base,
                           const std::vector<JointCoordinates>& joints,
                           const std::vector<ContactSpec>& contacts) {
  return std::make_unique<PinocchioPeer>(urdf, floating_base, joints, contacts);
}
}  // namespace

}  // namespace bench

// The one name that the shared library shows, another one for each compiler.
extern "C" __attribute__((visibility("default"))) void TENON_BENCH_PEER_ENTRY(bench::PeerBuild* build) {
  *build = {TENON_BENCH_PEER_COMPILER, bench::describe(), &bench::make};
}
