// The robot is the URDF text through MuJoCo's own reader and compiler (links at fixed joints are fused with their
// parents, as is its default for URDF), a free joint on the root where the base floats. A contact is an equality
// between a site on the link and a site of the world: connect for a point, weld for six rows.
#include "peer/mujoco_peer.hpp"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace bench {
namespace {

// Rows nearly hard, as the other libraries hold them: the largest impedance that MuJoCo takes.
constexpr double hardest = 0.9999;

void add_contact(mjSpec* spec, const ContactSpec& contact, const std::string& name) {
  mjsBody* link = mjs_findBody(spec, contact.link.c_str());
  if (!link) throw std::runtime_error("MuJoCo has no link '" + contact.link + "'");
  mjsSite* on_link = mjs_addSite(link, nullptr);
  std::copy(std::begin(contact.point), std::end(contact.point), on_link->pos);
  mjs_setName(on_link->element, name.c_str());
  mjsSite* in_world = mjs_addSite(mjs_findBody(spec, "world"), nullptr);
  const std::string anchor = "anchor_" + name;
  mjs_setName(in_world->element, anchor.c_str());
  mjsEquality* rows = mjs_addEquality(spec, nullptr);
  rows->type = contact.rows == 3 ? mjEQ_CONNECT : mjEQ_WELD;
  rows->objtype = mjOBJ_SITE;
  mjs_setString(rows->name1, name.c_str());
  mjs_setString(rows->name2, anchor.c_str());
  rows->solimp[0] = rows->solimp[1] = hardest;
}

struct State {
  std::vector<mjtNum> q, v, force;
  std::vector<mjtNum> anchor_pos, anchor_quat;  // of the world's sites
};

}  // namespace

struct MujocoPeer::Impl {
  mjModel* model = nullptr;
  mjData* data = nullptr;
  std::vector<JointCoordinates> joints;
  std::vector<int> q_address, v_address;  // of each of the joints
  std::vector<int> sites, anchors;
  std::vector<State> states;

  ~Impl() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }

  void compile(const std::string& urdf, bool floating_base, const std::vector<ContactSpec>& contacts) {
    char message[500] = "";
    const std::unique_ptr<mjSpec, void (*)(mjSpec*)> spec(
        mj_parseXMLString(urdf.c_str(), nullptr, message, sizeof message), &mj_deleteSpec);
    if (!spec) throw std::runtime_error(std::string("MuJoCo cannot read the URDF text: ") + message);
    // Nothing but the robot, its forces and the rows.
    spec->option.disableflags |=
        mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_SPRING | mjDSBL_DAMPER;
    if (floating_base) {
      mjsElement* root = mjs_firstChild(mjs_findBody(spec.get(), "world"), mjOBJ_BODY, 0);
      if (!root) throw std::runtime_error("MuJoCo found no root link");
      mjs_setName(mjs_addFreeJoint(mjs_asBody(root))->element, "floating_base_of_mujoco");
    }
    for (std::size_t i = 0; i < contacts.size(); ++i)
      add_contact(spec.get(), contacts[i], "contact_" + std::to_string(i));
    model = mj_compile(spec.get(), nullptr);
    if (!model) throw std::runtime_error(std::string("MuJoCo: ") + mjs_getError(spec.get()));
    data = mj_makeData(model);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const std::string name = "contact_" + std::to_string(i);
      sites.push_back(mj_name2id(model, mjOBJ_SITE, name.c_str()));
      anchors.push_back(mj_name2id(model, mjOBJ_SITE, ("anchor_" + name).c_str()));
      model->site_sameframe[anchors.back()] = mjSAMEFRAME_NONE;  // load() moves it out of the world's frame
    }
  }

  void find_joints() {
    for (const JointCoordinates& joint : joints) {
      const std::string name = joint.nv == 6 ? "floating_base_of_mujoco" : joint.name;
      const int id = mj_name2id(model, mjOBJ_JOINT, name.c_str());
      if (id < 0) throw std::runtime_error("MuJoCo has no joint '" + name + "'");
      if (joint.nv != 6 && joint.nv != 1)
        throw std::runtime_error("joint '" + name + "' is not one MuJoCo is given");
      q_address.push_back(model->jnt_qposadr[id]);
      v_address.push_back(model->jnt_dofadr[id]);
    }
  }

  void load(const State& s) const {
    mju_copy(data->qpos, s.q.data(), model->nq);
    mju_copy(data->qvel, s.v.data(), model->nv);
    mju_copy(data->qfrc_applied, s.force.data(), model->nv);
    for (std::size_t i = 0; i < anchors.size(); ++i) {
      mju_copy3(model->site_pos + 3 * anchors[i], s.anchor_pos.data() + 3 * i);
      mju_copy4(model->site_quat + 4 * anchors[i], s.anchor_quat.data() + 4 * i);
    }
  }
};

MujocoPeer::MujocoPeer(const std::string& urdf, bool floating_base,
                       const std::vector<JointCoordinates>& joints, const std::vector<ContactSpec>& contacts)
    : impl_(std::make_unique<Impl>()) {
  impl_->joints = joints;
  impl_->compile(urdf, floating_base, contacts);
  impl_->find_joints();
}

MujocoPeer::~MujocoPeer() = default;

// A free joint: position, quaternion w x y z; v = [linear along the world's axes; angular along the body's].
void MujocoPeer::add_state(const double* q, const double* v, const double* tau) {
  Impl& p = *impl_;
  State s;
  s.q.resize(static_cast<std::size_t>(p.model->nq));
  s.v.resize(static_cast<std::size_t>(p.model->nv));
  s.force = s.v;
  for (std::size_t i = 0; i < p.joints.size(); ++i) {
    const JointCoordinates& joint = p.joints[i];
    mjtNum* qi = s.q.data() + p.q_address[i];
    mjtNum* vi = s.v.data() + p.v_address[i];
    mjtNum* fi = s.force.data() + p.v_address[i];
    const double *q0 = q + joint.q_index, *v0 = v + joint.v_index, *tau0 = tau + joint.v_index;
    if (joint.nv == 1) {
      *qi = *q0, *vi = *v0, *fi = *tau0;
      continue;
    }
    const mjtNum pose[7] = {q0[0], q0[1], q0[2], q0[6], q0[3], q0[4], q0[5]};
    mju_copy(qi, pose, 7);
    mju_rotVecQuat(vi, v0 + 3, pose + 3);
    mju_copy3(vi + 3, v0);
    mju_rotVecQuat(fi, tau0 + 3, pose + 3);
    mju_copy3(fi + 3, tau0);
  }
  mju_copy(p.data->qpos, s.q.data(), p.model->nq);
  mj_kinematics(p.model, p.data);
  for (const int site : p.sites) {
    mjtNum quaternion[4];
    mju_mat2Quat(quaternion, p.data->site_xmat + 9 * site);
    s.anchor_pos.insert(s.anchor_pos.end(), p.data->site_xpos + 3 * site, p.data->site_xpos + 3 * site + 3);
    s.anchor_quat.insert(s.anchor_quat.end(), quaternion, quaternion + 4);
  }
  p.states.push_back(std::move(s));
}

void MujocoPeer::run(int state) {
  impl_->load(impl_->states[static_cast<std::size_t>(state)]);
  mj_forward(impl_->model, impl_->data);
}

void MujocoPeer::hold(bool rows) {
  int& flags = impl_->model->opt.disableflags;
  flags = rows ? flags & ~mjDSBL_EQUALITY : flags | mjDSBL_EQUALITY;
}

// d/dt (R v) = R (a + w x v).
void MujocoPeer::result(int state, double* qdd) const {
  const Impl& p = *impl_;
  const State& s = p.states[static_cast<std::size_t>(state)];
  for (std::size_t i = 0; i < p.joints.size(); ++i) {
    const mjtNum* a = p.data->qacc + p.v_address[i];
    double* to = qdd + p.joints[i].v_index;
    if (p.joints[i].nv == 1) {
      *to = *a;
      continue;
    }
    mjtNum back[4], linear[3], velocity[3], turning[3];
    mju_negQuat(back, s.q.data() + p.q_address[i] + 3);
    mju_rotVecQuat(linear, a, back);
    mju_rotVecQuat(velocity, s.v.data() + p.v_address[i], back);
    mju_cross(turning, s.v.data() + p.v_address[i] + 3, velocity);
    mju_copy3(to, a + 3);
    mju_sub3(to + 3, linear, turning);
  }
}

int MujocoPeer::rows() const {
  return static_cast<int>(impl_->data->ne);
}

int MujocoPeer::iterations() const {
  return impl_->data->solver_niter[0];
}

std::string MujocoPeer::description() {
  return std::string("MuJoCo ") + mj_versionString() + ", the library of its package";
}

}  // namespace bench
