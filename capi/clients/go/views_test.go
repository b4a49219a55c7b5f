// Views of matrices and states in larger memory, options, and functions that the library calls.
package tenon

import (
	"math"
	"runtime"
	"testing"
)

func TestMatricesInLargerOnes(t *testing.T) {
	work := must(NewWorkspace(model(t, "iiwa14", false), nil, nil))(t)
	q := must(work.Random(3))(t)
	mass, large := must(work.MassMatrix(q))(t), &Matrix{Rows: 7, Columns: 7, Leading: 10, Data: counted(67, -1, 0)}
	if err := work.MassMatrixInto(q, large); err != nil {
		t.Fatal(err)
	}
	for j := range 7 {
		near(t, large.Column(j), mass.Column(j), 0)
		near(t, large.Data[10*j+7:][:min(3, 60-10*j)], []float64{-1, -1, -1}[:min(3, 60-10*j)], 0)
	}
	short := *large
	short.Data = short.Data[1:]
	fails(t, work.MassMatrixInto(q, &short), WrongSize, "M")
	fails(t, work.MassMatrixInto(q, &Matrix{Rows: 7, Columns: 6, Data: large.Data}), WrongSize, "7 x 6 numbers; 7 x 7")
	fails(t, work.MassMatrixInto(q, &Matrix{Rows: 7, Columns: 7, Leading: 6, Data: large.Data}), WrongSize, "M")
	fails(t, work.MassMatrixInto(q, &Matrix{Rows: 7, Columns: 7, Leading: math.MaxInt, Data: large.Data}), WrongSize, "M")
	fails(t, work.MassMatrixInto(q, &Matrix{Rows: 7, Columns: 7, Leading: -1, Data: large.Data}), WrongSize, "M")
}

func TestStatesApart(t *testing.T) {
	robot := model(t, "iiwa14", false)
	batch, work := must(NewBatch[float64](robot, nil, nil))(t), must(NewWorkspace(robot, nil, nil))(t)
	var q, kinds []float64
	for seed := range uint64(3) {
		q = append(q, must(work.Random(seed))(t)...)
	}
	for i := range 7 {
		kinds = append(kinds, q[i], q[7+i], q[14+i])
	}
	v, tau, qdd := counted(7, 0.1, 0.2), counted(21, 3, -0.5), make([]float64, 21)
	dense := must(batch.ForwardDynamics(q, v, tau, nil))(t)
	byKind := States[float64]{Data: kinds, Strides: &Strides{Count: 7, Number: 3, State: 1}}
	backwards := Strides{Count: 7, First: 14, Number: 1, State: -7}
	into := func(s Strides) error {
		return batch.ForwardDynamicsInto(3, byKind, Of(v), Of(tau), States[float64]{}, States[float64]{Data: qdd, Strides: &s})
	}
	if err := into(backwards); err != nil {
		t.Fatal(err)
	}
	for s := range 3 {
		near(t, qdd[14-7*s:][:7], dense[7*s:][:7], 1e-12)
	}
	for _, change := range []func(*Strides){
		func(s *Strides) { s.First = 13 }, func(s *Strides) { s.First = -1 }, func(s *Strides) { s.Count = 6 },
		func(s *Strides) { s.State = math.MinInt }, func(s *Strides) { s.State = 0 },
	} {
		wrong := backwards
		change(&wrong)
		fails(t, into(wrong), WrongSize, "")
	}
	options := DefaultRolloutOptions[float64]()
	options.Steps, options.QddOut = 4, Of(make([]float64, 3*4*7))
	if ends, _, err := batch.Rollout(&options, q, v, tau, nil); err != nil || len(ends) != 3*4*7 {
		t.Error(err)
	}
	near(t, options.QddOut.Data[:7], dense[:7], 1e-12) // the first step begins as the dynamics did
}

func TestOptions(t *testing.T) {
	solve, base := DefaultSolveOptions(), DefaultModelOptions()
	if solve.Method != MethodAutomatic || solve.AbsoluteTolerance != 1e-12 || !solve.Accelerate || base.Gravity[2] != -9.81 ||
		base.LogLevel != LogLevelWarning || DefaultJointOptions().ParentLink != None || MethodDense.String() != "dense" {
		t.Error(solve, base)
	}
	told := 0
	base.LogLevel, base.LogCallback = LogLevelTrace, func(level LogLevel, message string) {
		told++
		panic("ends here")
	}
	must(LoadModel("../../../models/iiwa14.urdf", &base))(t)
	if told == 0 {
		t.Error("nothing was logged")
	}
}

func TestFunctionsTieJointsAsCouplingsDo(t *testing.T) {
	tied := must(LoadBuilder("../../../models/double_pendulum.urdf", nil))(t)
	coupled := must(LoadBuilder("../../../models/double_pendulum.urdf", nil))(t)
	joints := must(tied.Finish(nil))(t).Joints()
	err := tied.AddImplicit("tie", joints, 1, func(q, v, phi []float64, K *Matrix, KdotV []float64) error {
		if q[0] > 50 {
			panic("far away")
		}
		phi[0], KdotV[0] = q[1]-2*q[0]-0.1, 0
		K.Set(0, 0, -2)
		K.Set(0, 1, 1)
		if q[0] > 20 {
			return Unsupported
		}
		return nil
	})
	if err == nil {
		err = coupled.AddCoupling("tie", joints[1:], joints[:1], &Matrix{Rows: 1, Columns: 1, Data: []float64{2}}, []float64{0.1})
	}
	if err != nil {
		t.Fatal(err)
	}
	threads := DefaultBatchOptions()
	threads.Threads = 2
	const states = 40
	q, v, tau := make([]float64, 2*states), []float64{0.3, 0.6}, []float64{0.5, -0.25}
	for s := range states {
		q[2*s], q[2*s+1] = 0.05*float64(s)-1, 0.1*float64(s)-1.9
	}
	var answers [2][]float64
	var work *Workspace
	for i, builder := range []*Builder{tied, coupled} {
		robot := must(builder.Finish(nil))(t)
		if i == 0 {
			work = must(NewWorkspace(robot, nil, nil))(t)
		}
		batch := must(NewBatch[float64](robot, nil, &threads))(t)
		answers[i] = must(batch.ForwardDynamics(q, v, tau, nil))(t)
		builder.Close()
		robot.Close()
		batch.Close()
	}
	near(t, answers[0], answers[1], 1e-9)
	count := func() (n int) {
		implicits.Range(func(any, any) bool { n++; return true })
		return n
	}
	_, err = work.ForwardDynamics([]float64{30, 60.1}, v, tau, nil)
	fails(t, err, Unsupported, "tie")
	_, err = work.ForwardDynamics([]float64{60, 120.1}, v, tau, nil)
	fails(t, err, InvalidArgument, "tie")
	// The function lives as long as anything that may call it.
	runtime.GC()
	must(work.ForwardDynamics([]float64{0, 0.1}, v, tau, nil))(t)
	before := count()
	work.Close()
	if before != 1 || count() != 0 {
		t.Error(before, count())
	}
}

func TestLoopsHaveCoordinatesOfEveryJointAndIndependentOnes(t *testing.T) {
	robot := model(t, "four_bar", false)
	work, nv, ny := must(NewWorkspace(robot, nil, nil))(t), robot.Nv(), robot.Ny()
	if nv <= ny || ny != 1 || len(must(robot.IndependentV())(t)) != ny || len(must(robot.IndependentQ())(t)) != robot.Nyq() {
		t.Fatal(nv, ny)
	}
	robot.Close() // sizes stay known
	for _, coordinates := range []Coordinates{CoordinatesSpanning, CoordinatesIndependent} {
		if err := work.SetCoordinates(coordinates, coordinates); err != nil {
			t.Fatal(err)
		}
		q := must(work.Guess())(t)
		y := must(work.IndependentPosition(q))(t)
		near(t, must(work.SpanningPosition(y, q))(t), q, 1e-9)
		speed := must(work.SpanningVelocity(q, []float64{2}))(t)
		near(t, must(work.IndependentVelocity(speed))(t), []float64{2}, 1e-12)
		G, g, err := work.LoopMap(q, speed)
		if err != nil || G.Rows != nv || G.Columns != ny {
			t.Fatal(err, G)
		}
		near(t, plus(times(G, []float64{3}), g, 1), must(work.SpanningAcceleration(q, speed, []float64{3}))(t), 1e-9)
		if still, none, err := work.LoopMap(q, nil); err != nil || none != nil || still.At(1, 0) != G.At(1, 0) {
			t.Error(err, none)
		}
		K, k, phi, err := work.LoopJacobian(q, speed)
		if err != nil || len(k) != K.Rows || len(phi) != K.Rows {
			t.Fatal(err, k, phi)
		}
		near(t, times(K, speed), make([]float64, K.Rows), 1e-9)
		force := must(work.IndependentForce(q, counted(nv, 1, 0.5)))(t)
		near(t, must(work.IndependentForce(q, must(work.SpanningForce(force))(t)))(t), force, 1e-9)
		own := q
		if coordinates == CoordinatesIndependent {
			own = must(work.Neutral())(t)
		}
		there := must(work.ConvertConfiguration(ConventionPinocchio, DirectionToOther, nil, own))(t)
		near(t, must(work.ConvertConfiguration(ConventionPinocchio, DirectionFromOther, nil, there))(t), own, 1e-9)
		rate := counted(work.Nv(), 0.5, 0)
		there = must(work.ConvertVelocity(ConventionPinocchio, DirectionToOther, nil, own, rate))(t)
		near(t, must(work.ConvertVelocity(ConventionPinocchio, DirectionFromOther, nil, own, there))(t), rate, 1e-9)
		batch := must(NewBatch[float64](model(t, "four_bar", false), nil, nil))(t)
		if err := batch.SetCoordinates(coordinates, coordinates); err != nil || batch.Nq() != work.Nq() || batch.Nv() != work.Nv() {
			t.Fatal(err, batch.Nq(), batch.Nv())
		}
		near(t, must(batch.MassMatrix(own))(t), must(work.MassMatrix(own))(t).Data, 1e-9)
		if lower := must(batch.MassMatrixLower(own))(t); len(lower) != work.Nv()*(work.Nv()+1)/2 {
			t.Error(lower)
		}
	}
}
