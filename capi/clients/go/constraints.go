package tenon

import (
	"fmt"
	"runtime"
	"unsafe"

	"tenon/raw"
)

// Constraints are what is held on the links of a model: filled, then finished, by Finish or the first workspace or batch.
// The functions Add... return the index of the constraint; their options may be nil.
type Constraints struct {
	handle   *raw.Constraints
	cleanup  runtime.Cleanup
	finished bool
	model    *Model
}

// ConstraintOptions tell how a constraint holds. The zero value has the defaults, rows along the link's axes.
type ConstraintOptions struct {
	Name         string
	Axes         Axes
	Rows         uint32   // bits of raw.TENON_ROWS_*; 0: all
	Frequency    float64  // of the stabilisation, rad/s; 0: none
	DampingRatio *float64 // nil: 1
	Weights      []float64
	Compliance   []float64
}

func (o *ConstraintOptions) raw() (*raw.ConstraintOptions, error) {
	if o == nil {
		return nil, nil
	}
	var r raw.ConstraintOptions
	raw.ConstraintOptionsInit(&r, unsafe.Sizeof(r))
	r.Axes, r.Frequency = int32(o.Axes), o.Frequency
	if o.Rows != 0 {
		r.Rows = o.Rows
	}
	if o.DampingRatio != nil {
		r.DampingRatio = *o.DampingRatio
	}
	r.Weights, r.WeightsCount = in(o.Weights)
	r.Compliance, r.ComplianceCount = in(o.Compliance)
	var err error
	if o.Name != "" {
		r.Name, err = cText(o.Name)
	}
	return &r, err
}

func NewConstraints(model *Model) (*Constraints, error) {
	defer runtime.KeepAlive(model)
	c := &Constraints{model: model}
	err := call(func(message *byte, size uintptr) int32 {
		return raw.ConstraintsCreate(model.handle, &c.handle, message, size)
	})
	if err != nil {
		return nil, err
	}
	c.cleanup = runtime.AddCleanup(c, raw.ConstraintsDestroy, c.handle)
	return c, nil
}

// Close frees the set now. What was made from it stays good.
func (c *Constraints) Close() {
	if c.handle != nil {
		c.cleanup.Stop()
		raw.ConstraintsDestroy(c.handle)
		c.handle = nil
	}
}

// Raw is the handle for calls of package raw; keep the set alive meanwhile.
func (c *Constraints) Raw() *raw.Constraints { return c.handle }

func (c *Constraints) add(o *ConstraintOptions, f func(*raw.ConstraintOptions, *int32, *byte, uintptr) int32) (int, error) {
	defer runtime.KeepAlive(c)
	chosen, err := o.raw()
	if err != nil {
		return -1, err
	}
	index := int32(-1)
	err = call(func(message *byte, size uintptr) int32 { return f(chosen, &index, message, size) })
	return int(index), err
}

// AddPoint holds a point of a link, 3, m, in the link; nil: its origin.
func (c *Constraints) AddPoint(link int, point []float64, options *ConstraintOptions) (int, error) {
	p, n := in(point)
	return c.add(options, func(o *raw.ConstraintOptions, index *int32, message *byte, size uintptr) int32 {
		return raw.ConstraintsAddPoint(c.handle, int32(link), p, n, o, index, message, size)
	})
}

// AddWeld holds a frame of a link, pose of 7 in the link; nil: the link's own.
func (c *Constraints) AddWeld(link int, pose []float64, options *ConstraintOptions) (int, error) {
	p, n := in(pose)
	return c.add(options, func(o *raw.ConstraintOptions, index *int32, message *byte, size uintptr) int32 {
		return raw.ConstraintsAddWeld(c.handle, int32(link), p, n, o, index, message, size)
	})
}

// AddRows holds K a = k with the spatial acceleration a of the link in its frame; K has 6 columns.
func (c *Constraints) AddRows(link int, K *Matrix, options *ConstraintOptions) (int, error) {
	if K.Columns != 6 {
		return -1, &Error{WrongSize, fmt.Sprintf("K has %d columns, 6 are needed: [angular; linear]", K.Columns)}
	}
	p, n, ld := K.out()
	return c.add(options, func(o *raw.ConstraintOptions, index *int32, message *byte, size uintptr) int32 {
		return raw.ConstraintsAddRows(c.handle, int32(link), int32(K.Rows), p, n, ld, o, index, message, size)
	})
}

// AddClosure keeps a frame of a link together with one of a second link, or of World.
func (c *Constraints) AddClosure(link int, pose []float64, second int, secondPose []float64, options *ConstraintOptions) (int, error) {
	p, n := in(pose)
	s, k := in(secondPose)
	return c.add(options, func(o *raw.ConstraintOptions, index *int32, message *byte, size uintptr) int32 {
		return raw.ConstraintsAddClosure(c.handle, int32(link), p, n, int32(second), s, k, o, index, message, size)
	})
}

// Finish checks the set and makes it immutable; it does nothing the second time. Goroutines may share it then.
func (c *Constraints) Finish() error {
	defer runtime.KeepAlive(c)
	if c.finished {
		return nil
	}
	err := call(func(message *byte, size uintptr) int32 { return raw.ConstraintsFinish(c.handle, message, size) })
	c.finished = err == nil
	return err
}

func (c *Constraints) Count() int {
	defer runtime.KeepAlive(c)
	return int(raw.ConstraintsConstraintCount(c.handle))
}

// RowCount is the length of lambda of a finished set.
func (c *Constraints) RowCount() int {
	defer runtime.KeepAlive(c)
	return int(raw.ConstraintsRowCount(c.handle))
}

// Index is that of the constraint of a name.
func (c *Constraints) Index(name string) (int, error) {
	defer runtime.KeepAlive(c)
	index := int32(-1)
	err := call(func(message *byte, size uintptr) int32 {
		return raw.ConstraintsFindConstraint(c.handle, name, &index, message, size)
	})
	return int(index), err
}
