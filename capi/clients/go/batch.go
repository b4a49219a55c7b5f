package tenon

import (
	"fmt"
	"runtime"
	"unsafe"

	"tenon/raw"
)

// Real is what a batch computes with: float32 is single precision.
type Real interface{ float32 | float64 }

// Batch computes what a workspace does, of many states. Slices have the numbers of one state after those of another: q is
// states x nq. An input of the numbers of one state is the same for all; nil is none. Without joints a state has no
// numbers, and a call is of one. A state that fails spoils only itself: its Status is negative, nothing is written for it,
// and the call returns an error when the others are done.
type Batch[T Real] struct {
	handle        *raw.Batch
	cleanup       runtime.Cleanup
	nq, nv, m, nw int
	constraints   int
	status        []int32
}

// NewBatch makes one for a model and constraints, which may be nil. options: nil for the defaults.
func NewBatch[T Real](model *Model, constraints *Constraints, options *BatchOptions) (*Batch[T], error) {
	defer runtime.KeepAlive(model)
	defer runtime.KeepAlive(constraints)
	chosen := DefaultBatchOptions()
	if options != nil {
		chosen = *options
	}
	chosen.Precision = raw.TENON_PRECISION_DOUBLE
	if unsafe.Sizeof(T(0)) == 4 {
		chosen.Precision = raw.TENON_PRECISION_SINGLE
	}
	if constraints == nil {
		none, err := NewConstraints(model)
		if err != nil {
			return nil, err
		}
		defer none.Close()
		constraints = none
	}
	if err := constraints.Finish(); err != nil {
		return nil, err
	}
	b := &Batch[T]{nq: model.Nq(), nv: model.Nv(), m: constraints.RowCount(), nw: 6 * model.LinkCount()}
	b.constraints = constraints.Count()
	err := call(func(message *byte, size uintptr) int32 {
		return raw.BatchCreate(model.handle, constraints.handle, &chosen, &b.handle, message, size)
	})
	if err != nil {
		return nil, err
	}
	b.cleanup = runtime.AddCleanup(b, raw.BatchDestroy, b.handle)
	return b, nil
}

// Close ends the threads and frees the batch now.
func (b *Batch[T]) Close() {
	if b.handle != nil {
		b.cleanup.Stop()
		raw.BatchDestroy(b.handle)
		b.handle = nil
	}
}

// Raw is the handle for calls of package raw; keep the batch alive meanwhile.
func (b *Batch[T]) Raw() *raw.Batch { return b.handle }

func (b *Batch[T]) Nq() int { return b.nq }
func (b *Batch[T]) Nv() int { return b.nv }
func (b *Batch[T]) M() int  { return b.m }

// Status is that of a state in the last call.
func (b *Batch[T]) Status(state int) Status { return Status(b.status[state]) }

func (b *Batch[T]) done(status int32) error {
	defer runtime.KeepAlive(b)
	if status >= 0 {
		return nil
	}
	if b.handle == nil {
		return &Error{Status(status), "this batch is closed"}
	}
	return &Error{Status(status), raw.BatchMessage(b.handle)}
}

// The arrays of one call: the first that does not fit is its error.
type arrays[T Real] struct {
	states int
	err    error
}

func (a *arrays[T]) count(sizes ...uintptr) int {
	all, err := product(sizes...)
	if a.err == nil {
		a.err = err
	}
	return all
}

// zeros is what a call writes: numbers of each record of each state.
func (a *arrays[T]) zeros(records uintptr, numbers int) []T {
	return make([]T, a.count(uintptr(a.states), records, uintptr(numbers)))
}

func (a *arrays[T]) in(what string, x []T, count int) *raw.BatchArray {
	if len(x) == count {
		return a.of(what, x, count, 1, 0)
	}
	return a.of(what, x, count, a.states, count)
}

// One without data is none.
func (a *arrays[T]) of(what string, x []T, count, times, stride int) *raw.BatchArray {
	if x != nil && len(x) != a.count(uintptr(count), uintptr(times)) && a.err == nil {
		a.err = &Error{WrongSize, fmt.Sprintf("%s: %d numbers; %d times %d are needed", what, len(x), times, count)}
	}
	array := &raw.BatchArray{Data: unsafe.Pointer(unsafe.SliceData(x)), Size: uintptr(len(x)), Count: uintptr(count),
		NumberStride: 1, StateStride: stride}
	array.StructSize = uint32(unsafe.Sizeof(*array))
	return array
}

func (a *arrays[T]) records(what string, x []T, count int, each uintptr) *raw.BatchArray {
	array := a.of(what, x, count, a.count(uintptr(a.states), each), a.count(uintptr(count), each))
	if each > 1 {
		array.RecordStride = count
	}
	return array
}

// statesOf starts a call of as many states as x has, count numbers of each.
func statesOf[T Real](what string, x []T, count int) (*arrays[T], error) {
	states := 1
	if count > 0 {
		states = len(x) / count
	}
	if len(x) != states*count {
		return nil, &Error{WrongSize, fmt.Sprintf("%s: %d numbers, not states x %d", what, len(x), count)}
	}
	return &arrays[T]{states: states}, nil
}

func (b *Batch[T]) begin(q []T) (*arrays[T], error) {
	a, err := statesOf("q", q, b.nq)
	if err != nil {
		return nil, err
	}
	b.status = make([]int32, a.states)
	return a, nil
}

// ---- settings of constraints: those of many states are for calls of as many; those of one state hold in all

// SetAnchor sets the pose, 7, at which a constraint is held in all states.
func (b *Batch[T]) SetAnchor(constraint int, pose []float64) error {
	p, n := in(pose)
	return b.done(raw.BatchSetAnchor(b.handle, int32(constraint), p, n))
}

// SetAnchors takes states x constraints x 7.
func (b *Batch[T]) SetAnchors(poses []T) error {
	a, err := statesOf("poses", poses, 7*b.constraints)
	if err != nil {
		return err
	}
	given := a.in("poses", poses, 7*b.constraints)
	if a.err != nil {
		return a.err
	}
	return b.done(raw.BatchSetAnchors(b.handle, uintptr(a.states), given))
}

// Anchors are those that were set, states x constraints x 7.
func (b *Batch[T]) Anchors(states int) ([]T, error) {
	if states < 0 {
		return nil, &Error{InvalidArgument, fmt.Sprintf("%d states", states)}
	}
	a := &arrays[T]{states: states}
	poses := a.zeros(1, 7*b.constraints)
	to := a.records("poses", poses, 7*b.constraints, 1)
	if a.err != nil {
		return nil, a.err
	}
	return poses, b.done(raw.BatchAnchors(b.handle, uintptr(a.states), to))
}

// AnchorHere makes the anchors of all constraints where they are at q.
func (b *Batch[T]) AnchorHere(q []T) error {
	a, err := b.begin(q)
	if err != nil {
		return err
	}
	x := a.in("q", q, b.nq)
	if a.err != nil {
		return a.err
	}
	return b.done(raw.BatchAnchorHere(b.handle, uintptr(a.states), x, unsafe.SliceData(b.status), uintptr(len(b.status))))
}

// SetActive tells which constraints are on: states x constraints.
func (b *Batch[T]) SetActive(active []bool) error {
	numbers := make([]T, len(active))
	for i, on := range active {
		numbers[i] = T(number(on))
	}
	a, err := statesOf("active", numbers, b.constraints)
	if err != nil {
		return err
	}
	given := a.in("active", numbers, b.constraints)
	if a.err != nil {
		return a.err
	}
	return b.done(raw.BatchSetActive(b.handle, uintptr(a.states), given))
}

// SetGains takes states x constraints; dampingRatios: nil is 1.
func (b *Batch[T]) SetGains(frequencies, dampingRatios []T) error {
	a, err := statesOf("frequencies", frequencies, b.constraints)
	if err != nil {
		return err
	}
	if dampingRatios == nil {
		dampingRatios = make([]T, b.constraints)
		for i := range dampingRatios {
			dampingRatios[i] = 1
		}
	}
	f, r := a.in("frequencies", frequencies, b.constraints), a.in("dampingRatios", dampingRatios, b.constraints)
	if a.err != nil {
		return a.err
	}
	return b.done(raw.BatchSetGains(b.handle, uintptr(a.states), f, r))
}

// ---- computations

type ofBatch = func(*raw.Batch, uintptr, *raw.BatchArray, *raw.BatchArray, *raw.BatchArray, *raw.BatchArray, *raw.BatchArray, *int32, uintptr) int32

func (b *Batch[T]) dynamics(f ofBatch, q, v, third, wrenches []T) ([]T, error) {
	a, err := b.begin(q)
	if err != nil {
		return nil, err
	}
	out := a.zeros(1, b.nv)
	x, y, z := a.in("q", q, b.nq), a.in("v", v, b.nv), a.in("the third input", third, b.nv)
	w, to := a.in("wrenches", wrenches, b.nw), a.records("out", out, b.nv, 1)
	if a.err != nil {
		return nil, a.err
	}
	return out, b.done(f(b.handle, uintptr(a.states), x, y, z, w, to, unsafe.SliceData(b.status), uintptr(len(b.status))))
}

func (b *Batch[T]) ForwardDynamics(q, v, tau, wrenches []T) ([]T, error) {
	return b.dynamics(raw.BatchForwardDynamics, q, v, tau, wrenches)
}

func (b *Batch[T]) InverseDynamics(q, v, a, wrenches []T) ([]T, error) {
	return b.dynamics(raw.BatchInverseDynamics, q, v, a, wrenches)
}

// ConstrainedDynamics gives the accelerations, states x nv, and the forces of the rows, states x m.
func (b *Batch[T]) ConstrainedDynamics(q, v, tau, wrenches []T, options *SolveOptions) (qdd, lambda []T, err error) {
	a, err := b.begin(q)
	if err != nil {
		return nil, nil, err
	}
	qdd, lambda = a.zeros(1, b.nv), a.zeros(1, b.m)
	x, y, z := a.in("q", q, b.nq), a.in("v", v, b.nv), a.in("tau", tau, b.nv)
	w, to, rows := a.in("wrenches", wrenches, b.nw), a.records("qdd", qdd, b.nv, 1), a.records("lambda", lambda, b.m, 1)
	if a.err != nil {
		return nil, nil, a.err
	}
	status := unsafe.SliceData(b.status)
	solve := raw.BatchConstrainedDynamics
	return qdd, lambda, b.done(solve(b.handle, options, uintptr(a.states), x, y, z, w, nil, to, rows, nil, 0, status, uintptr(a.states)))
}

// Rollout steps in time: q and v of states x records. tau and wrenches are the same in all steps.
func (b *Batch[T]) Rollout(q, v, tau, wrenches []T, options RolloutOptions) (qs, vs []T, err error) {
	a, err := b.begin(q)
	if err != nil {
		return nil, nil, err
	}
	records := options.Steps / max(options.Every, 1)
	qs, vs = a.zeros(records, b.nq), a.zeros(records, b.nv)
	x, y, z, w := a.in("q", q, b.nq), a.in("v", v, b.nv), a.in("tau", tau, b.nv), a.in("wrenches", wrenches, b.nw)
	toQ, toV := a.records("q", qs, b.nq, records), a.records("v", vs, b.nv, records)
	if a.err != nil {
		return nil, nil, a.err
	}
	status := unsafe.SliceData(b.status)
	return qs, vs, b.done(raw.BatchRollout(b.handle, &options, uintptr(a.states), x, y, z, w, toQ, toV, status, uintptr(a.states)))
}
