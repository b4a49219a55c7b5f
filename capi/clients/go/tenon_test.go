// What the package hands to the library and back, against identities that the calls under test do not compute themselves.
package tenon

import (
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func model(t *testing.T, name string, floating bool) *Model {
	t.Helper()
	options := DefaultModelOptions()
	if floating {
		options.Base = BaseFloating
	}
	return must(LoadModel("../../../models/"+name+".urdf", &options))(t)
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func held(change func(*ConstraintOptions)) *ConstraintOptions {
	o := DefaultConstraintOptions()
	change(&o)
	return &o
}

func fails(t *testing.T, err error, status Status, words string) {
	t.Helper()
	if !errors.Is(err, status) || !strings.Contains(err.Error(), words) {
		t.Errorf("%v is not %v with %q", err, status, words)
	}
}

func near(t *testing.T, a, b []float64, tolerance float64) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%d numbers and %d", len(a), len(b))
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tolerance*(1+math.Abs(b[i]))) {
			t.Fatalf("number %d: %g and %g", i, a[i], b[i])
		}
	}
}

func times(A *Matrix, x []float64) []float64 {
	y := make([]float64, A.Rows)
	for j := range x {
		for i := range y {
			y[i] += A.At(i, j) * x[j]
		}
	}
	return y
}

func transposedTimes(A *Matrix, x []float64) []float64 {
	y := make([]float64, A.Columns)
	for j := range y {
		for i, a := range A.Column(j) {
			y[j] += a * x[i]
		}
	}
	return y
}

func plus(a, b []float64, factor float64) []float64 {
	sum := make([]float64, len(a))
	for i := range a {
		sum[i] = a[i] + factor*b[i]
	}
	return sum
}

func counted(n int, first, step float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = first + step*float64(i)
	}
	return x
}

func TestModels(t *testing.T) {
	robot := model(t, "iiwa14", false)
	if robot.Name() != "iiwa14" || robot.Nq() != 7 || robot.Nv() != 7 || robot.FloatingBase() {
		t.Error(robot.Name(), robot.Nq(), robot.Nv(), robot.FloatingBase())
	}
	mass := 0.0
	for i, name := range robot.Links() {
		link := must(robot.Link(i))(t)
		if link.Name != name || robot.MustLink(name) != i {
			t.Error(link.Name, name, i)
		}
		mass += link.Mass
	}
	near(t, []float64{mass}, []float64{robot.TotalMass()}, 1e-12)
	joint := must(robot.Joint(must(robot.JointIndex("iiwa_joint_3"))(t)))(t)
	if joint.Name != "iiwa_joint_3" || joint.Type != JointTypeRevolute || joint.QIndex != 2 {
		t.Error(joint)
	}
	if tree := must(robot.Describe())(t); !strings.Contains(tree, "iiwa_joint_7") || len(robot.Warnings()) != 0 {
		t.Error(tree)
	}
	_, err := robot.LinkIndex("iiwa_link_8")
	fails(t, err, NotFound, "did you mean")
	_, err = robot.Link(99)
	fails(t, err, OutOfRange, "99")
	_, err = LoadModel("none.urdf", nil)
	fails(t, err, FileError, "none.urdf")
	_, err = ParseModel([]byte("<robot"), nil)
	fails(t, err, ParseError, "parse_error")
	urdf := must(os.ReadFile("../../../models/iiwa14.urdf"))(t)
	how := DefaultModelOptions()
	how.Base, how.FloatingJointName, how.Gravity = BaseFloating, "free", [3]float64{0, 0, -1}
	floating := must(ParseModel(urdf, &how))(t)
	_, err = ParseModel(urdf, &ModelOptions{Base: BaseFloating})
	fails(t, err, WrongSize, "DefaultModelOptions")
	work := must(NewWorkspace(floating, nil, nil))(t)
	if floating.Joints()[0] != "free" || floating.Nv() != 13 || must(work.Gravity())(t)[2] != -1 {
		t.Error(floating.Joints(), floating.Nv())
	}
	floating.Close()
	floating.Close()
	work.Close()
	_, err = work.Neutral()
	fails(t, err, InvalidArgument, "closed")
}

func TestDynamics(t *testing.T) {
	robot := model(t, "atlas", true)
	work := must(NewWorkspace(robot, nil, nil))(t)
	q, v, tau := must(work.Random(3))(t), counted(work.Nv(), -0.2, 0.01), counted(work.Nv(), 5, -0.3)
	qdd := must(work.ForwardDynamics(q, v, tau, nil))(t)
	near(t, plus(times(must(work.MassMatrix(q))(t), qdd), must(work.Bias(q, v, nil))(t), 1), tau, 1e-8)
	near(t, must(work.InverseDynamics(q, v, qdd, nil))(t), tau, 1e-8)
	hand, wrenches := robot.MustLink("l_hand"), make([]float64, 6*robot.LinkCount())
	wrenches[6*hand+3] = -10
	if err := work.Kinematics(q, v, nil); err != nil {
		t.Fatal(err)
	}
	J := must(work.Jacobian(hand, AxesLink))(t)
	velocity := must(work.LinkVelocity(hand, AxesLink))(t)
	near(t, times(J, v), velocity[:], 1e-10)
	push := transposedTimes(J, []float64{0, 0, 0, 10, 0, 0})
	near(t, must(work.InverseDynamics(q, v, qdd, wrenches))(t), plus(tau, push, 1), 1e-8)
	next := must(work.Integrate(q, v, 0.01))(t)
	near(t, must(work.Difference(q, next))(t), plus(work.Zeros(), v, 0.01), 1e-10)
	kept := append([]float64{}, qdd...)
	fails(t, work.ForwardDynamicsInto(q[1:], v, tau, nil, kept), WrongSize, "q")
	near(t, kept, qdd, 0)
}

func TestConstraints(t *testing.T) {
	robot := model(t, "atlas", true)
	set := must(NewConstraints(robot))(t)
	must(set.AddWeld(robot.MustLink("l_foot"), nil, nil))(t)
	hand := must(set.AddPoint(robot.MustLink("l_hand"), []float64{0.1, 0, 0}, held(func(o *ConstraintOptions) { o.Name = "hand" })))(t)
	K := NewMatrix(2, 6)
	K.Set(0, 3, 1)
	K.Set(1, 1, 1)
	must(set.AddRows(robot.MustLink("r_foot"), K, nil))(t)
	_, err := set.AddRows(0, NewMatrix(6, 2), nil)
	fails(t, err, WrongSize, "6 are needed")
	_, err = set.AddPoint(0, []float64{0.1}, nil)
	fails(t, err, WrongSize, "point")
	work, free := must(NewWorkspace(robot, set, nil))(t), must(NewWorkspace(robot, nil, nil))(t)
	if set.Count() != 3 || set.RowCount() != 11 || hand != 1 || must(set.Index("hand"))(t) != 1 {
		t.Error(set.Count(), set.RowCount(), hand)
	}
	robot.Close() // what was made from it stays good
	q, v, tau := must(work.Random(5))(t), counted(work.Nv(), 0.1, -0.01), counted(work.Nv(), -3, 0.2)
	qdd, lambda, err := work.ConstrainedDynamics(nil, q, v, tau, nil, nil)
	if err != nil || work.Status() != OK || must(work.Report())(t).PrimalResidual > 1e-6 {
		t.Fatal(err, work.Status())
	}
	J, rhs, _, _, err := work.ConstraintRows(q, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, times(J, qdd), rhs, 1e-7)
	moved := plus(times(must(work.MassMatrix(q))(t), qdd), must(work.Bias(q, v, nil))(t), 1)
	near(t, moved, plus(tau, transposedTimes(J, lambda), 1), 1e-7)
	near(t, must(work.ConstrainedInverseDynamics(q, v, qdd, nil, lambda))(t), tau, 1e-7)
	dense := DefaultSolveOptions()
	dense.Method = MethodDense
	other, _, err := work.ConstrainedDynamics(&dense, q, v, tau, nil, nil)
	if err != nil || must(work.Report())(t).Method != MethodDense {
		t.Fatal(err)
	}
	near(t, other, qdd, 1e-6)
	zero, unit := free.Zeros(), make([]float64, 11) // a column of the Delassus matrix by forward dynamics from rest
	unit[4] = 1
	answer := must(free.ForwardDynamics(q, zero, plus(must(free.Bias(q, zero, nil))(t), transposedTimes(J, unit), 1), nil))(t)
	near(t, must(work.Delassus(nil, q))(t).Column(4), times(J, answer), 1e-7)
	next, speed := append([]float64{}, q...), append([]float64{}, v...)
	if err := work.Step(next, speed, tau, nil, 0.001, nil); err != nil {
		t.Fatal(err)
	}
	near(t, must(work.Difference(q, next))(t), plus(zero, speed, 0.001), 1e-9)
	if err := work.SetActive(hand, false); err != nil {
		t.Fatal(err)
	}
	other, _, _ = work.ConstrainedDynamics(nil, q, v, tau, nil, nil)
	if math.Abs(other[30]-qdd[30])+math.Abs(other[8]-qdd[8]) < 1e-6 {
		t.Error("the hand is held still")
	}
}

func TestBatches(t *testing.T) {
	robot := model(t, "atlas", true)
	set := must(NewConstraints(robot))(t)
	must(set.AddWeld(robot.MustLink("l_foot"), nil, nil))(t)
	batch, work := must(NewBatch[float64](robot, set, nil))(t), must(NewWorkspace(robot, set, nil))(t)
	const states = 9
	nq, nv := batch.Nq(), batch.Nv()
	var q []float64
	for seed := range uint64(states) {
		q = append(q, must(work.Random(seed))(t)...)
	}
	v, tau := counted(nv, 0.1, 0), counted(states*nv, 1, 0)
	tau[3*nv+8] = 20
	free := must(batch.ForwardDynamics(q, v, tau, nil))(t)
	near(t, must(batch.InverseDynamics(q, v, free, nil))(t), tau, 1e-7)
	held, forces, _, err := batch.ConstrainedDynamics(nil, q, v, tau, nil, nil)
	for i := range states {
		qdd, lambda, single := work.ConstrainedDynamics(nil, q[i*nq:][:nq], v, tau[i*nv:][:nv], nil, nil)
		if err != nil || single != nil {
			t.Fatal(err, single)
		}
		near(t, held[i*nv:][:nv], qdd, 1e-7)
		near(t, forces[i*6:][:6], lambda, 1e-7)
	}
	steps := DefaultRolloutOptions[float64]()
	steps.Steps, steps.Every = 4, 2
	qs, vs, err := batch.Rollout(&steps, q, v, tau, nil)
	q3, v3 := append([]float64{}, q[3*nq:][:nq]...), append([]float64{}, v...)
	for range 4 {
		if single := work.Step(q3, v3, tau[3*nv:][:nv], nil, 0.001, nil); err != nil || single != nil {
			t.Fatal(err, single)
		}
	}
	near(t, qs[7*nq:][:nq], q3, 1e-7)
	near(t, vs[7*nv:][:nv], v3, 1e-7)

	q[4*nq] = math.NaN()
	_, err = batch.ForwardDynamics(q, v, tau, nil)
	fails(t, err, NotFinite, "4")
	if batch.Status(4) != NotFinite || batch.Status(5) != OK {
		t.Error(batch.Status(4), batch.Status(5))
	}
	_, err = batch.ForwardDynamics(q, v[1:], tau, nil)
	fails(t, err, WrongSize, "v: 35 numbers; 9 times 36")
	single := must(NewBatch[float32](robot, nil, nil))(t)
	short, one, motors := make([]float32, nq), make([]float32, nv), make([]float32, nv)
	for i := range short {
		short[i] = float32(q[i])
	}
	for i := range one {
		one[i], motors[i] = float32(v[i]), 1
	}
	wide := make([]float64, nv)
	for i, x := range must(single.ForwardDynamics(short, one, motors, nil))(t) {
		wide[i] = float64(x)
	}
	near(t, wide, free[:nv], 2e-2)
	if _, lambda, _, err := single.ConstrainedDynamics(nil, short, one, motors, nil, nil); err != nil || len(lambda) != 0 {
		t.Error(err, lambda)
	}
}

func TestStatesOfBatchesHoldTheirOwnRows(t *testing.T) {
	robot := model(t, "atlas", true)
	set := must(NewConstraints(robot))(t)
	must(set.AddWeld(robot.MustLink("l_foot"), nil, held(func(o *ConstraintOptions) { o.Frequency = 10 })))(t)
	hand := must(set.AddPoint(robot.MustLink("l_hand"), nil, held(func(o *ConstraintOptions) { o.Frequency, o.DampingRatio = 5, 0.5 })))(t)
	batch, work := must(NewBatch[float64](robot, set, nil))(t), must(NewWorkspace(robot, set, nil))(t)
	nq, nv := batch.Nq(), batch.Nv()
	var q []float64
	for seed := range uint64(3) {
		q = append(q, must(work.Random(seed))(t)...)
	}
	v, tau := counted(nv, 0.1, 0), counted(nv, 1, 0)
	solve := func() ([]float64, []float64) {
		t.Helper()
		qdd, lambda, _, err := batch.ConstrainedDynamics(nil, q, v, tau, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return qdd, lambda
	}
	done := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	changed := func(a, b []float64, states ...int) {
		t.Helper()
		for s := range 3 {
			if slices.Equal(a[s*nv:][:nv], b[s*nv:][:nv]) == slices.Contains(states, s) {
				t.Errorf("state %d", s)
			}
		}
	}
	_, _, _, err := batch.ConstrainedDynamics(nil, q, v, tau, nil, nil)
	fails(t, err, InvalidArgument, "no anchors")
	done(batch.AnchorHere(3, Of(q)))
	here, _ := solve()
	poses := must(batch.Anchors(3))(t)
	for s := range 3 {
		done(work.SetAnchor(0, poses[14*s:][:7]))
		done(work.SetAnchor(hand, poses[14*s+7:][:7]))
		qdd, _, err := work.ConstrainedDynamics(nil, q[s*nq:][:nq], v, tau, nil, nil)
		done(err)
		near(t, here[s*nv:][:nv], qdd, 1e-7)
		done(work.Kinematics(q[s*nq:][:nq], nil, nil))
		place := must(work.LinkPose(robot.MustLink("l_hand")))(t)
		near(t, poses[14*s+7:][:3], place[:3], 1e-9)
	}
	done(batch.SetAnchors(3, Of(poses)))
	before, _ := solve()
	poses[14+7+2] += 0.1 // of state 1, constraint 1
	done(batch.SetAnchors(3, Of(poses)))
	near(t, must(batch.Anchors(3))(t), poses, 1e-9)
	lifted, _ := solve()
	changed(lifted, before, 1)
	done(batch.SetActive(3, Of([]float64{1, 1, 1, 1, 0, 1})))
	letGo, lambda := solve()
	changed(letGo, lifted, 2)
	if lambda[2*9+5] != 0 || lambda[2*9+6] == 0 || lambda[9+5] == 0 {
		t.Error(lambda)
	}
	done(batch.SetActive(1, Of([]float64{1, 1})))
	done(batch.SetGains(1, Of([]float64{10, 5}), Of([]float64{1, 0.5}))) // as they were
	again, _ := solve()
	changed(again, lifted)
	done(batch.SetGains(3, Of([]float64{10, 5, 10, 5, 10, 9}), Of([]float64{1, 0.5})))
	again, _ = solve()
	changed(again, lifted, 2)
	done(batch.SetGains(1, Of([]float64{10, 5}), Of([]float64{1, 1})))
	damped, _ := solve()
	changed(damped, lifted, 0, 1, 2)
	_, _, _, err = batch.ConstrainedDynamics(nil, q[:nq], v, tau, nil, nil)
	fails(t, err, WrongSize, "those of 3 states")
	done(batch.SetAnchor(hand, []float64{1, 2, 3, 0, 0, 0, 1}))
	fixed := must(batch.Anchors(3))(t)
	near(t, []float64{fixed[7], fixed[14+8], fixed[28+9]}, []float64{1, 2, 3}, 0)
	fails(t, batch.SetAnchor(hand, fixed[:6]), WrongSize, "pose")
	fails(t, batch.SetAnchors(1, Of(poses[:13])), WrongSize, "poses: 13 numbers; 1 times 14")
	fails(t, batch.SetActive(2, Of(poses[:3])), WrongSize, "active: 3 numbers; 2 times 2")
	fails(t, batch.SetGains(2, Of(poses[:4]), Of(poses[:6])), WrongSize, "dampingRatios: 6 numbers")
	_, err = batch.Anchors(math.MaxInt/14 + 1)
	fails(t, err, OutOfMemory, "x 7 x 2 numbers")
	_, err = batch.Anchors(-1)
	fails(t, err, InvalidArgument, "-1 states")
	_, err = batch.Anchors(2)
	fails(t, err, WrongSize, "3 states")
}

func TestSizesThatNoMemoryHas(t *testing.T) {
	batch, one := must(NewBatch[float64](model(t, "iiwa14", false), nil, nil))(t), make([]float64, 7)
	options := DefaultRolloutOptions[float64]()
	// 7 times the first is 5, modulo 2^64; the last could be counted, but has no address.
	for _, steps := range []uintptr{2635249153387078803, math.MaxUint64 / 7, math.MaxUint64/56 + 1, math.MaxUint64, 1 << 50} {
		options.Steps = steps
		_, _, err := batch.Rollout(&options, one, one, one, nil)
		fails(t, err, OutOfMemory, "1 x ")
	}
	defer func() {
		if recover() == nil {
			t.Error("a matrix of 2^64 numbers")
		}
	}()
	NewMatrix(1<<32, 1<<32)
}

func TestNoState(t *testing.T) {
	batch := must(NewBatch[float64](model(t, "iiwa14", false), nil, nil))(t)
	for _, none := range [][]float64{nil, {}} {
		if qdd := must(batch.ForwardDynamics(none, none, make([]float64, 7), nil))(t); len(qdd) != 0 {
			t.Error(qdd)
		}
		if q, _, err := batch.Rollout(nil, none, none, none, nil); err != nil || len(q) != 0 {
			t.Error(q, err)
		}
	}
}

func TestRobotsWithoutJointsHaveOneState(t *testing.T) {
	batch := must(NewBatch[float64](must(ParseModel([]byte("<robot name='stone'><link name='a'/></robot>"), nil))(t), nil, nil))(t)
	must(batch.ForwardDynamics(nil, nil, nil, nil))(t)
	if tau := must(batch.InverseDynamics([]float64{}, nil, nil, make([]float64, 6)))(t); len(tau) != 0 || batch.Status(0) != OK {
		t.Error(tau)
	}
	options := DefaultRolloutOptions[float64]()
	options.Steps = 3
	if q, v, err := batch.Rollout(&options, nil, nil, nil, nil); err != nil || len(q)+len(v) != 0 {
		t.Error(q, v, err)
	}
	_, err := batch.ForwardDynamics([]float64{1}, nil, nil, nil)
	fails(t, err, WrongSize, "q: 1 numbers")
}

func TestGoroutinesShareModels(t *testing.T) {
	robot := model(t, "iiwa14", false)
	results := make(chan []float64)
	for range 2 {
		go func() {
			for range 50 {
				if _, err := NewWorkspace(robot, nil, nil); err != nil { // for the collector
					t.Error(err)
				}
			}
			work := must(NewWorkspace(robot, nil, nil))(t)
			q := must(work.Random(2))(t)
			runtime.GC()
			results <- must(work.Bias(q, counted(7, 1, 0), nil))(t)
		}()
	}
	near(t, <-results, <-results, 0)
}
