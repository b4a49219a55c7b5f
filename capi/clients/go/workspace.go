package tenon

import (
	"runtime"
	"unsafe"

	"tenon/raw"
)

// Workspace has all memory of computations on one state at a time. wrenches: 6 for each link, [moment about its origin;
// force] along link axes; nil: none.
type Workspace struct {
	handle  *raw.Workspace
	cleanup runtime.Cleanup
	status  Status
}

// NewWorkspace makes one for a model and a set of constraints, which may be nil. options: nil for the defaults.
func NewWorkspace(model *Model, constraints *Constraints, options *WorkspaceOptions) (*Workspace, error) {
	defer runtime.KeepAlive(model)
	defer runtime.KeepAlive(constraints)
	var set *raw.Constraints
	if constraints != nil {
		if err := constraints.Finish(); err != nil {
			return nil, err
		}
		set = constraints.handle
	}
	w := &Workspace{}
	err := call(func(message *byte, size uintptr) int32 {
		return raw.WorkspaceCreate(model.handle, set, options, &w.handle, message, size)
	})
	if err != nil {
		return nil, err
	}
	w.cleanup = runtime.AddCleanup(w, raw.WorkspaceDestroy, w.handle)
	return w, nil
}

// Close frees the workspace now.
func (w *Workspace) Close() {
	if w.handle != nil {
		w.cleanup.Stop()
		raw.WorkspaceDestroy(w.handle)
		w.handle = nil
	}
}

// Raw is the handle for calls of package raw; keep the workspace alive meanwhile.
func (w *Workspace) Raw() *raw.Workspace { return w.handle }

// Nq is how many positions computations take, Nv how many velocities, M how many constraint rows there are.
func (w *Workspace) Nq() int { return w.count(raw.WorkspacePositionCount) }
func (w *Workspace) Nv() int { return w.count(raw.WorkspaceVelocityCount) }
func (w *Workspace) M() int  { return w.count(raw.WorkspaceRowCount) }

func (w *Workspace) count(f func(*raw.Workspace) int32) int {
	defer runtime.KeepAlive(w)
	return max(int(f(w.handle)), 0)
}

// Status of the last computation: OK, or which caveat its answer has.
func (w *Workspace) Status() Status { return w.status }

func (w *Workspace) SizeBytes() int {
	defer runtime.KeepAlive(w)
	return int(raw.WorkspaceSizeBytes(w.handle))
}

// done is after each computation: it keeps the workspace until then.
func (w *Workspace) done(status int32) error {
	w.status = Status(status)
	if status >= 0 {
		runtime.KeepAlive(w)
		return nil
	}
	if w.handle == nil {
		return &Error{w.status, "this workspace is closed"}
	}
	return &Error{w.status, raw.WorkspaceMessage(w.handle)}
}

// Report tells how the last constrained solve went.
func (w *Workspace) Report() (SolveReport, error) {
	var r SolveReport
	raw.SolveReportInit(&r, unsafe.Sizeof(r))
	err := w.done(raw.WorkspaceReport(w.handle, &r))
	return r, err
}

// ---- settings

func (w *Workspace) SetGravity(gravity [3]float64) error {
	return w.done(raw.WorkspaceSetGravity(w.handle, &gravity[0], 3))
}

func (w *Workspace) Gravity() (gravity [3]float64, err error) {
	err = w.done(raw.WorkspaceGravity(w.handle, &gravity[0], 3))
	return gravity, err
}

func (w *Workspace) SetAnchor(constraint int, pose []float64) error {
	p, n := in(pose)
	return w.done(raw.WorkspaceSetAnchor(w.handle, int32(constraint), p, n))
}

func (w *Workspace) SetActive(constraint int, active bool) error {
	return w.done(raw.WorkspaceSetActive(w.handle, int32(constraint), number(active)))
}

func (w *Workspace) SetGains(constraint int, frequency, dampingRatio float64) error {
	return w.done(raw.WorkspaceSetGains(w.handle, int32(constraint), frequency, dampingRatio))
}

// SetCoordinates takes raw.TENON_COORDINATES_*. It changes Nq and Nv.
func (w *Workspace) SetCoordinates(positions, velocities int32) error {
	return w.done(raw.WorkspaceSetCoordinates(w.handle, positions, velocities))
}

// ---- configurations

func (w *Workspace) Zeros() []float64 { return make([]float64, w.Nv()) }

func (w *Workspace) Neutral() ([]float64, error) {
	out := make([]float64, w.Nq())
	p, n := in(out)
	return out, w.done(raw.Neutral(w.handle, p, n))
}

// Random is a configuration within the limits, the same for the same seed everywhere.
func (w *Workspace) Random(seed uint64) ([]float64, error) {
	out := make([]float64, w.Nq())
	p, n := in(out)
	return out, w.done(raw.Random(w.handle, seed, p, n))
}

// Integrate is q moved by dt * v.
func (w *Workspace) Integrate(q, v []float64, dt float64) ([]float64, error) {
	out := make([]float64, w.Nq())
	qp, qn := in(q)
	vp, vn := in(v)
	p, n := in(out)
	return out, w.done(raw.Integrate(w.handle, qp, qn, vp, vn, dt, p, n))
}

// Difference is the velocity that leads from one configuration to another in unit time.
func (w *Workspace) Difference(from, to []float64) ([]float64, error) {
	return w.two(raw.Difference, from, to)
}

// Normalize scales the quaternions of q to unit norm, in place.
func (w *Workspace) Normalize(q []float64) error {
	p, n := in(q)
	return w.done(raw.Normalize(w.handle, p, n))
}

// ---- kinematics: what follows answers for the state of the last call of Kinematics

// Kinematics takes v and a, or nil.
func (w *Workspace) Kinematics(q, v, a []float64) error {
	qp, qn := in(q)
	vp, vn := in(v)
	ap, an := in(a)
	return w.done(raw.Kinematics(w.handle, qp, qn, vp, vn, ap, an))
}

// LinkPose is [x y z qx qy qz qw] in the world.
func (w *Workspace) LinkPose(link int) (pose [7]float64, err error) {
	err = w.done(raw.LinkPose(w.handle, int32(link), &pose[0], 7, nil, 0))
	return pose, err
}

// LinkVelocity is [angular; linear at the link's origin].
func (w *Workspace) LinkVelocity(link int, axes Axes) (velocity [6]float64, err error) {
	err = w.done(raw.LinkVelocity(w.handle, int32(link), int32(axes), &velocity[0], 6))
	return velocity, err
}

// LinkAcceleration is [angular; classical acceleration of the link's origin], without gravity.
func (w *Workspace) LinkAcceleration(link int, axes Axes) (acceleration [6]float64, err error) {
	err = w.done(raw.LinkAcceleration(w.handle, int32(link), int32(axes), &acceleration[0], 6))
	return acceleration, err
}

// Jacobian is 6 x nv: J v = [angular velocity of the link; velocity of the point]; nil: of its origin.
func (w *Workspace) Jacobian(link int, point []float64, axes Axes) (*Matrix, error) {
	J := NewMatrix(6, w.Nv())
	pp, pn := in(point)
	p, n, ld := J.out()
	return J, w.done(raw.PointJacobian(w.handle, int32(link), pp, pn, int32(axes), p, n, ld))
}

// Energy is kinetic and potential, J.
func (w *Workspace) Energy() (kinetic, potential float64, err error) {
	err = w.done(raw.Energy(w.handle, &kinetic, &potential))
	return kinetic, potential, err
}

// ---- dynamics without constraints

type array = *float64

// What takes so many vectors and gives one of nv.
type (
	of2 = func(*raw.Workspace, array, uintptr, array, uintptr, array, uintptr) int32
	of4 = func(*raw.Workspace, array, uintptr, array, uintptr, array, uintptr, array, uintptr, array, uintptr) int32
)

func (w *Workspace) two(f of2, a, b []float64) ([]float64, error) {
	out := w.Zeros()
	ap, an := in(a)
	bp, bn := in(b)
	p, n := in(out)
	return out, w.done(f(w.handle, ap, an, bp, bn, p, n))
}

func (w *Workspace) four(f of4, out, a, b, c, d []float64) error {
	ap, an := in(a)
	bp, bn := in(b)
	cp, cn := in(c)
	dp, dn := in(d)
	p, n := in(out)
	return w.done(f(w.handle, ap, an, bp, bn, cp, cn, dp, dn, p, n))
}

// ForwardDynamics is qdd = M^-1 (tau + external - c).
func (w *Workspace) ForwardDynamics(q, v, tau, wrenches []float64) ([]float64, error) {
	qdd := w.Zeros()
	return qdd, w.ForwardDynamicsInto(qdd, q, v, tau, wrenches)
}

// ForwardDynamicsInto writes qdd, nv.
func (w *Workspace) ForwardDynamicsInto(qdd, q, v, tau, wrenches []float64) error {
	return w.four(raw.ForwardDynamics, qdd, q, v, tau, wrenches)
}

// InverseDynamics is tau = M a + c - external.
func (w *Workspace) InverseDynamics(q, v, a, wrenches []float64) ([]float64, error) {
	tau := w.Zeros()
	return tau, w.four(raw.InverseDynamics, tau, q, v, a, wrenches)
}

// Bias is c(q, v): gravity, Coriolis and centrifugal forces.
func (w *Workspace) Bias(q, v []float64) ([]float64, error) {
	return w.two(func(h *raw.Workspace, a array, n uintptr, b array, m uintptr, c array, k uintptr) int32 {
		return raw.Bias(h, a, n, b, m, nil, 0, c, k)
	}, q, v)
}

// GravityForce is the tau that holds the robot still.
func (w *Workspace) GravityForce(q []float64) ([]float64, error) {
	out := w.Zeros()
	qp, qn := in(q)
	p, n := in(out)
	return out, w.done(raw.GravityForce(w.handle, qp, qn, p, n))
}

// MassMatrix is M(q), nv x nv, both triangles.
func (w *Workspace) MassMatrix(q []float64) (*Matrix, error) {
	M := NewMatrix(w.Nv(), w.Nv())
	qp, qn := in(q)
	p, n, ld := M.out()
	return M, w.done(raw.MassMatrix(w.handle, qp, qn, p, n, ld))
}

// ---- dynamics with constraints

// Inputs of constrained dynamics. Wrenches, Desired (accelerations of the rows) and Options may be nil.
type Inputs struct {
	Q, V, Tau, Wrenches, Desired []float64
	Options                      *SolveOptions
}

// ConstrainedDynamics gives the accelerations, nv, and the forces of the rows, m.
func (w *Workspace) ConstrainedDynamics(inputs Inputs) (qdd, lambda []float64, err error) {
	qdd, lambda = w.Zeros(), make([]float64, w.M())
	return qdd, lambda, w.ConstrainedDynamicsInto(qdd, lambda, inputs)
}

// ConstrainedDynamicsInto writes qdd and lambda, which is the start of a warm start too.
func (w *Workspace) ConstrainedDynamicsInto(qdd, lambda []float64, inputs Inputs) error {
	q, qn := in(inputs.Q)
	v, vn := in(inputs.V)
	tau, taun := in(inputs.Tau)
	wrenches, wrenchesn := in(inputs.Wrenches)
	desired, desiredn := in(inputs.Desired)
	a, an := in(qdd)
	l, ln := in(lambda)
	return w.done(raw.ConstrainedDynamics(w.handle, inputs.Options, q, qn, v, vn, tau, taun, wrenches, wrenchesn,
		desired, desiredn, a, an, l, ln))
}

// ConstrainedInverseDynamics is tau = M a + c - J^T lambda.
func (w *Workspace) ConstrainedInverseDynamics(q, v, a, lambda []float64) ([]float64, error) {
	tau := w.Zeros()
	return tau, w.four(func(h *raw.Workspace, q array, qn uintptr, v array, vn uintptr, a array, an uintptr, l array, ln uintptr, t array, tn uintptr) int32 {
		return raw.ConstrainedInverseDynamics(h, q, qn, v, vn, a, an, nil, 0, l, ln, t, tn)
	}, tau, q, v, a, lambda)
}

// RowValues are the constraint rows at a state: J qdd = Rhs.
type RowValues struct {
	J                            *Matrix
	Rhs, PositionError, Velocity []float64
}

func (w *Workspace) ConstraintRows(q, v, desired []float64) (*RowValues, error) {
	m := w.M()
	rows := &RowValues{NewMatrix(m, w.Nv()), make([]float64, m), make([]float64, m), make([]float64, m)}
	qp, qn := in(q)
	vp, vn := in(v)
	dp, dn := in(desired)
	p, n, ld := rows.J.out()
	rhs, rn := in(rows.Rhs)
	position, pn := in(rows.PositionError)
	velocity, wn := in(rows.Velocity)
	return rows, w.done(raw.ConstraintRows(w.handle, qp, qn, vp, vn, dp, dn, p, n, ld, rhs, rn, position, pn, velocity, wn))
}

// Delassus is J M^-1 J^T by the method that Tenon chooses.
func (w *Workspace) Delassus(q []float64) (*Matrix, error) {
	A := NewMatrix(w.M(), w.M())
	qp, qn := in(q)
	p, n, ld := A.out()
	return A, w.done(raw.Delassus(w.handle, nil, qp, qn, p, n, ld))
}

// Step is one step in time of the constrained system, semi-implicit Euler: q and v change in place.
func (w *Workspace) Step(q, v, tau, wrenches []float64, dt float64, options *SolveOptions) error {
	return w.step(raw.StepSemiImplicitEuler, q, v, tau, wrenches, dt, options)
}

// StepRungeKutta4 is the same by the classical method of Runge and Kutta.
func (w *Workspace) StepRungeKutta4(q, v, tau, wrenches []float64, dt float64, options *SolveOptions) error {
	return w.step(raw.StepRungeKutta4, q, v, tau, wrenches, dt, options)
}

type stepper = func(workspace *raw.Workspace, options *raw.SolveOptions, dt float64, q *float64, q_count uintptr,
	v *float64, v_count uintptr, tau *float64, tau_count uintptr, wrenches *float64, wrenches_count uintptr,
	qdd *float64, qdd_count uintptr, lambda *float64, lambda_count uintptr) int32

func (w *Workspace) step(f stepper, q, v, tau, wrenches []float64, dt float64, options *SolveOptions) error {
	qp, qn := in(q)
	vp, vn := in(v)
	taup, taun := in(tau)
	wp, wn := in(wrenches)
	return w.done(f(w.handle, options, dt, qp, qn, vp, vn, taup, taun, wp, wn, nil, 0, nil, 0))
}
