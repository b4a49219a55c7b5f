package tenon

import (
	"runtime"
	"unsafe"

	"tenon/raw"
)

// Model is a robot: immutable.
type Model struct {
	handle  *raw.Model
	cleanup runtime.Cleanup
}

// ModelOptions tell how a model is made. The zero value has the defaults.
type ModelOptions struct {
	FloatingBase      bool
	FloatingJointName string      // of the joint that a floating base adds
	Gravity           *[3]float64 // m/s^2, world axes
	LoopTreatment     int32       // raw.TENON_LOOP_TREATMENT_*
	IgnoreLoops       bool
	IgnoreMimic       bool
	TolerantInertias  bool
}

func number(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func (o *ModelOptions) raw() (*raw.ModelOptions, error) {
	if o == nil {
		return nil, nil
	}
	var r raw.ModelOptions
	raw.ModelOptionsInit(&r, unsafe.Sizeof(r))
	if o.FloatingBase {
		r.Base = raw.TENON_BASE_FLOATING
	}
	if o.Gravity != nil {
		r.Gravity = *o.Gravity
	}
	r.LoopTreatment = o.LoopTreatment
	r.IgnoreLoops, r.IgnoreMimic = number(o.IgnoreLoops), number(o.IgnoreMimic)
	r.TolerantInertias = number(o.TolerantInertias)
	var err error
	if o.FloatingJointName != "" {
		r.FloatingJointName, err = cText(o.FloatingJointName)
	}
	return &r, err
}

// LoadModel makes a model from a URDF file. options: nil for the defaults.
func LoadModel(path string, options *ModelOptions) (*Model, error) {
	return makeModel(options, func(o *raw.ModelOptions, model **raw.Model, message *byte, size uintptr) int32 {
		return raw.ModelLoadUrdf(path, o, model, message, size)
	})
}

// ParseModel makes a model from URDF text.
func ParseModel(urdf []byte, options *ModelOptions) (*Model, error) {
	return makeModel(options, func(o *raw.ModelOptions, model **raw.Model, message *byte, size uintptr) int32 {
		return raw.ModelParseUrdf(unsafe.SliceData(urdf), uintptr(len(urdf)), o, model, message, size)
	})
}

func makeModel(options *ModelOptions, make func(*raw.ModelOptions, **raw.Model, *byte, uintptr) int32) (*Model, error) {
	if err := loaded(); err != nil {
		return nil, err
	}
	chosen, err := options.raw()
	if err != nil {
		return nil, err
	}
	var handle *raw.Model
	if err := call(func(message *byte, size uintptr) int32 { return make(chosen, &handle, message, size) }); err != nil {
		return nil, err
	}
	return NewModel(handle), nil
}

// NewModel takes over a model that calls of package raw made.
func NewModel(handle *raw.Model) *Model {
	m := &Model{handle: handle}
	m.cleanup = runtime.AddCleanup(m, raw.ModelDestroy, handle)
	return m
}

// Close frees the model now. What was made from it stays good.
func (m *Model) Close() {
	if m.handle != nil {
		m.cleanup.Stop()
		raw.ModelDestroy(m.handle)
		m.handle = nil
	}
}

// Raw is the handle for calls of package raw; keep the model alive meanwhile.
func (m *Model) Raw() *raw.Model { return m.handle }

func (m *Model) count(f func(*raw.Model) int32) int {
	defer runtime.KeepAlive(m)
	return int(f(m.handle))
}

func (m *Model) Nq() int            { return m.count(raw.ModelNq) }
func (m *Model) Nv() int            { return m.count(raw.ModelNv) }
func (m *Model) Nyq() int           { return m.count(raw.ModelNyq) } // independent positions, where loops are closed
func (m *Model) Ny() int            { return m.count(raw.ModelNy) }
func (m *Model) LinkCount() int     { return m.count(raw.ModelLinkCount) }
func (m *Model) JointCount() int    { return m.count(raw.ModelJointCount) }
func (m *Model) BodyCount() int     { return m.count(raw.ModelBodyCount) }
func (m *Model) Depth() int         { return m.count(raw.ModelDepth) }
func (m *Model) FloatingBase() bool { return m.count(raw.ModelFloatingBase) == 1 }

func (m *Model) TotalMass() float64 {
	defer runtime.KeepAlive(m)
	return raw.ModelTotalMass(m.handle)
}

func (m *Model) Name() string {
	defer runtime.KeepAlive(m)
	return raw.ModelName(m.handle)
}

func (m *Model) names(count int, name func(*raw.Model, int32) string) []string {
	defer runtime.KeepAlive(m)
	all := make([]string, max(count, 0))
	for i := range all {
		all[i] = name(m.handle, int32(i))
	}
	return all
}

// Links are the names of all links, extra frames included, by index.
func (m *Model) Links() []string { return m.names(m.LinkCount(), raw.ModelLinkName) }

// Joints are the names of the moving joints, depth first.
func (m *Model) Joints() []string { return m.names(m.JointCount(), raw.ModelJointName) }

// Warnings are what the reader noticed and passed over.
func (m *Model) Warnings() []string { return m.names(m.count(raw.ModelWarningCount), raw.ModelWarning) }

func (m *Model) find(f func(*raw.Model, string, *int32, *byte, uintptr) int32, name string) (int, error) {
	defer runtime.KeepAlive(m)
	index := int32(-1)
	err := call(func(message *byte, size uintptr) int32 { return f(m.handle, name, &index, message, size) })
	return int(index), err
}

// LinkIndex is the index of the link of a name.
func (m *Model) LinkIndex(name string) (int, error) { return m.find(raw.ModelFindLink, name) }

// JointIndex is the index of the moving joint of a name.
func (m *Model) JointIndex(name string) (int, error) { return m.find(raw.ModelFindJoint, name) }

// MustLink is LinkIndex where the name is known to be right: it panics where it is not.
func (m *Model) MustLink(name string) int {
	index, err := m.LinkIndex(name)
	if err != nil {
		panic(err)
	}
	return index
}

// LinkInfo is what is known of a link; negative indices are raw.TENON_NONE and raw.TENON_WORLD, which is World.
type LinkInfo struct {
	Name                    string
	ParentLink, Joint, Body int
	IsFrame                 bool
	Mass                    float64
	CenterOfMass            [3]float64
	Inertia                 [6]float64 // ixx ixy ixz iyy iyz izz about the centre of mass
}

// JointInfo is what is known of a joint.
type JointInfo struct {
	Name                        string
	Type                        string
	ParentLink, ChildLink       int
	QIndex, Nq, VIndex, Nv      int
	Axis                        [3]float64
	Lower, Upper                float64
	Velocity, Effort            float64
	Armature, Damping, Friction float64
}

func (m *Model) Link(link int) (LinkInfo, error) {
	defer runtime.KeepAlive(m)
	var r raw.LinkInfo
	raw.LinkInfoInit(&r, unsafe.Sizeof(r))
	if status := raw.ModelLinkInfo(m.handle, int32(link), &r); status < 0 {
		return LinkInfo{}, &Error{Status(status), "no link has this number"}
	}
	return LinkInfo{text(r.Name), int(r.ParentLink), int(r.Joint), int(r.Body), r.IsFrame == 1, r.Mass, r.CenterOfMass,
		r.Inertia}, nil
}

func (m *Model) Joint(joint int) (JointInfo, error) {
	defer runtime.KeepAlive(m)
	var r raw.JointInfo
	raw.JointInfoInit(&r, unsafe.Sizeof(r))
	if status := raw.ModelJointInfo(m.handle, int32(joint), &r); status < 0 {
		return JointInfo{}, &Error{Status(status), "no joint has this number"}
	}
	kind := raw.ConstantName(raw.TENON_CONSTANT_JOINT_TYPE, r.Type)
	return JointInfo{text(r.Name), kind, int(r.ParentLink), int(r.ChildLink), int(r.QIndex), int(r.Nq), int(r.VIndex),
		int(r.Nv), r.Axis, r.Lower, r.Upper, r.Velocity, r.Effort, r.Armature, r.Damping, r.Friction}, nil
}

// Describe is the tree as indented text.
func (m *Model) Describe() string {
	defer runtime.KeepAlive(m)
	var needed uintptr
	raw.ModelDescribe(m.handle, nil, 0, &needed)
	bytes := make([]byte, needed+1)
	raw.ModelDescribe(m.handle, &bytes[0], uintptr(len(bytes)), nil)
	return text(&bytes[0])
}
