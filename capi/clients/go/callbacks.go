package tenon

import (
	"errors"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"tenon/raw"
)

// A program may make few functions that the library calls, and none is freed: one for each kind, and their user says whose.
// Objects do not move, and are held until the library lets go of them.
var (
	logFunction      = sync.OnceValue(func() uintptr { return purego.NewCallback(logged) })
	implicitFunction = sync.OnceValue(func() uintptr { return purego.NewCallback(implicitly) })
	releaseFunction  = sync.OnceValue(func() uintptr { return purego.NewCallback(released) })
)

type logger struct {
	function func(level LogLevel, message string)
}

func logged(user unsafe.Pointer, level uintptr, message *byte) uintptr {
	defer func() { _ = recover() }() // A panic must not pass through the library.
	(*logger)(user).function(LogLevel(int32(level)), text(message))
	return 0
}

func (k *kept) logging(function func(level LogLevel, message string)) (uintptr, unsafe.Pointer) {
	if function == nil {
		return 0, nil
	}
	k.logs = &logger{function}
	return logFunction(), unsafe.Pointer(k.logs)
}

// Implicit is a constraint phi(q) = 0 on some joints: of their positions and velocities, in the order of their names, it
// writes phi, K = d phi / dt by v, and KdotV = (dK/dt) v; or it returns why it cannot, NotFinite where the constraint is not
// known.
type Implicit func(q, v, phi []float64, K *Matrix, KdotV []float64) error

// The functions that the library has, by what it hands back to them.
var implicits sync.Map

func implicitly(user unsafe.Pointer, nq, nv, rows uintptr, q, v, phi, K, KdotV *float64) (status uintptr) {
	invalid := InvalidArgument
	status = uintptr(invalid)
	defer func() { _ = recover() }()
	function, _ := implicits.Load(user)
	n, m, r := int(int32(nq)), int(int32(nv)), int(int32(rows))
	matrix := &Matrix{Rows: r, Columns: m, Data: unsafe.Slice(K, r*m)}
	err := function.(Implicit)(unsafe.Slice(q, n), unsafe.Slice(v, m), unsafe.Slice(phi, r), matrix, unsafe.Slice(KdotV, r))
	reason := OK
	if err != nil && !errors.As(err, &reason) {
		reason = InvalidArgument
	}
	return uintptr(reason)
}

func released(user unsafe.Pointer) uintptr {
	implicits.Delete(user)
	return 0
}

// AddImplicit adds a constraint that only a function knows. It is called in every computation, by the threads that compute,
// at once. A panic ends in it, with InvalidArgument.
func (b *Builder) AddImplicit(name string, joints []string, rows int, function Implicit) error {
	var k kept
	defer k.free()
	handle, names := b.alive(&k), k.texts(joints)
	defer runtime.KeepAlive(b)
	if k.plain(name); k.err != nil {
		return k.err
	}
	user := unsafe.Pointer(new(int64)) // an address that nothing else has as long as it is a key
	implicits.Store(user, function)
	err := call(func(message *byte, size uintptr) int32 {
		return raw.BuilderAddImplicit(handle, name, unsafe.SliceData(names), uintptr(len(names)), small(rows),
			implicitFunction(), user, releaseFunction(), message, size)
	})
	if err != nil {
		released(user)
	}
	return err
}
