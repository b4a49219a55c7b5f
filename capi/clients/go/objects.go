package tenon

import (
	"unsafe"

	"tenon/raw"
)

// Model is a robot: immutable, read by any number of goroutines.
type Model struct{ object[raw.Model] }

// NewModel takes over a model that calls of package raw made.
func NewModel(handle *raw.Model) *Model {
	m := &Model{}
	m.own(handle, raw.ModelDestroy)
	return m
}

// MustLink is LinkIndex where the name is known to be right: it panics where it is not.
func (m *Model) MustLink(name string) int {
	index, err := m.LinkIndex(name)
	if err != nil {
		panic(err)
	}
	return index
}

// Builder makes a model from calls: links first, then the joints between them, then what ties them into loops.
type Builder struct{ object[raw.Builder] }

// Constraints are what is held on the links of a model: filled, then finished, by Finish or the first workspace or batch.
// The functions Add... return the index of the constraint.
type Constraints struct {
	object[raw.Constraints]
	finished bool
}

// Finish checks the set and makes it immutable; it does nothing the second time. Goroutines may share it then.
func (c *Constraints) Finish() error {
	if c.finished && c.handle != nil {
		return nil
	}
	err := c.finish()
	c.finished = err == nil
	return err
}

func (c *Constraints) maybe(k *kept) *raw.Constraints {
	if c == nil {
		return nil
	}
	return c.alive(k)
}

// What sizes are asked of, where the model and the set may be closed.
type system struct {
	nq, nv, nyq, ny, m, links, loopRows int
	rows                                []int // of each constraint
	converted                           []int // positions in each convention
}

// systemOf finishes the set, and makes an empty one where there is none.
func systemOf(model *Model, set *Constraints) (*Constraints, system, error) {
	s := system{nq: model.Nq(), nv: model.Nv(), nyq: model.Nyq(), ny: model.Ny(),
		links: model.LinkCount(), loopRows: model.LoopRowCount()}
	if set == nil {
		var err error
		if set, err = NewConstraints(model); err != nil {
			return nil, s, err
		}
	}
	if err := set.Finish(); err != nil {
		return nil, s, err
	}
	s.m, s.rows = set.RowCount(), make([]int, set.Count())
	for i := range s.rows {
		info, err := set.ConstraintInfo(i)
		if err != nil {
			return nil, s, err
		}
		s.rows[i] = info.RowCount
	}
	for i := range ConstantCount(raw.TENON_CONSTANT_CONVENTION) {
		s.converted = append(s.converted, model.ConventionNq(Convention(i)))
	}
	return set, s, nil
}

func (s *system) rowsOf(constraint int) int {
	if constraint < 0 || constraint >= len(s.rows) {
		return 0
	}
	return s.rows[constraint]
}

// Workspace has all memory of computations on one state at a time. wrenches: 6 for each link, [moment about its origin;
// force] along link axes; nil: none.
type Workspace struct {
	object[raw.Workspace]
	system
	status Status
}

// NewWorkspace makes one for a model and a set of constraints, which may be nil. options: nil for the defaults.
func NewWorkspace(model *Model, constraints *Constraints, options *WorkspaceOptions) (*Workspace, error) {
	set, s, err := systemOf(model, constraints)
	if err != nil {
		return nil, err
	}
	if constraints == nil {
		defer set.Close()
	}
	w, err := newWorkspace(model, set, options)
	if err == nil {
		w.system = s
	}
	return w, err
}

// Status of the last computation: OK, or which caveat its answer has.
func (w *Workspace) Status() Status { return w.status }

func (w *Workspace) Zeros() []float64 { return make([]float64, max(w.Nv(), 0)) }

func (w *Workspace) done(status int32) error {
	w.status = Status(status)
	if status < 0 {
		return &Error{w.status, w.Message()}
	}
	return nil
}

// convertedNq and convertedNv are of the side to which a conversion goes: another library has those of every joint.
func (w *Workspace) convertedNq(convention Convention, direction Direction) int {
	if direction == DirectionToOther && convention >= 0 && int(convention) < len(w.converted) {
		return w.converted[convention]
	}
	return w.Nq()
}

func (w *Workspace) convertedNv(direction Direction) int {
	if direction == DirectionToOther {
		return w.nv
	}
	return w.Nv()
}

// Step is one step in time of the constrained system, semi-implicit Euler: q and v change in place.
func (w *Workspace) Step(q, v, tau, wrenches []float64, dt float64, options *SolveOptions) error {
	return w.StepSemiImplicitEulerInto(options, dt, q, v, tau, wrenches, nil, nil)
}

// Batch computes what a workspace does, of many states. Slices have the numbers of one state after those of another: q is
// states x nq. An input of the numbers of one state is the same for all; nil is none. Without joints a state has no
// numbers, and a call is of one. A state that fails spoils only itself: its Status is negative, nothing is written for it,
// and the call returns an error when the others are done.
type Batch[T Real] struct {
	object[raw.Batch]
	system
	positions, velocities Coordinates
	status                []int32
}

// NewBatch makes one for a model and constraints, which may be nil. The precision is that of T. options: nil for the
// defaults.
func NewBatch[T Real](model *Model, constraints *Constraints, options *BatchOptions) (*Batch[T], error) {
	chosen := DefaultBatchOptions()
	if options != nil {
		chosen = *options
	}
	chosen.Precision = PrecisionDouble
	if unsafe.Sizeof(T(0)) == 4 {
		chosen.Precision = PrecisionSingle
	}
	set, s, err := systemOf(model, constraints)
	if err != nil {
		return nil, err
	}
	if constraints == nil {
		defer set.Close()
	}
	b, err := newBatch[T](model, set, &chosen)
	if err == nil {
		b.system = s
	}
	return b, err
}

// Nq is how many positions a state has.
func (b *Batch[T]) Nq() int {
	if b.positions == CoordinatesIndependent {
		return b.nyq
	}
	return b.nq
}

// Nv is how many velocities a state has.
func (b *Batch[T]) Nv() int {
	if b.velocities == CoordinatesIndependent {
		return b.ny
	}
	return b.nv
}

// M is how many constraint rows there are.
func (b *Batch[T]) M() int { return b.m }

// Status is that of a state in the last call.
func (b *Batch[T]) Status(state int) Status { return Status(b.status[state]) }

func (b *Batch[T]) begin(k *kept, states int) {
	k.states(states)
	b.status = zeros[int32](k, max(states, 0))
}

func (b *Batch[T]) done(status int32) error {
	if status < 0 {
		return &Error{Status(status), b.Message()}
	}
	return nil
}

func (o *RolloutOptions[T]) steps() int {
	if o == nil {
		return 1
	}
	return int(min(o.Steps, 1<<62))
}

func (o *RolloutOptions[T]) records() int {
	if o == nil {
		return 1
	}
	return int(min(o.Steps/max(o.Every, 1), 1<<62))
}
