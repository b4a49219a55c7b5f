// Package tenon computes the dynamics of articulated robots whose links are held and whose joints are tied by kinematic
// loops. It stands on package raw, and tenon.h is the manual of every call.
//
// A Model and finished Constraints may be read by any number of goroutines; a Workspace and a Batch belong to one at a
// time. Objects are freed by Close, or some time after nobody holds them. Units are SI and radians, spatial vectors
// [angular; linear], quaternions x y z w, poses [x y z qx qy qz qw]; matrices are column-major. A nil slice stands for
// an input that is absent.
package tenon

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"tenon/raw"
)

// Status tells what a call returned: OK, a caveat that its answer has, or what went wrong.
type Status int32

// The statuses. errors.Is(err, tenon.NotFound) compares an error with one.
const (
	OK                    Status = raw.TENON_OK
	MaxIterations         Status = raw.TENON_MAX_ITERATIONS
	Infeasible            Status = raw.TENON_INFEASIBLE
	RankDeficient         Status = raw.TENON_RANK_DEFICIENT
	InvalidArgument       Status = raw.TENON_INVALID_ARGUMENT
	WrongSize             Status = raw.TENON_WRONG_SIZE
	NotFinite             Status = raw.TENON_NOT_FINITE
	OutOfRange            Status = raw.TENON_OUT_OF_RANGE
	NotNormalized         Status = raw.TENON_NOT_NORMALIZED
	ParseError            Status = raw.TENON_PARSE_ERROR
	FileError             Status = raw.TENON_FILE_ERROR
	InvalidModel          Status = raw.TENON_INVALID_MODEL
	InvalidInertia        Status = raw.TENON_INVALID_INERTIA
	NotFound              Status = raw.TENON_NOT_FOUND
	NotPositiveDefinite   Status = raw.TENON_NOT_POSITIVE_DEFINITE
	SingularConfiguration Status = raw.TENON_SINGULAR_CONFIGURATION
	OpenLoop              Status = raw.TENON_OPEN_LOOP
	Unsupported           Status = raw.TENON_UNSUPPORTED
	OutOfMemory           Status = raw.TENON_OUT_OF_MEMORY
	InternalError         Status = raw.TENON_INTERNAL_ERROR
)

func (s Status) String() string { return raw.StatusString(int32(s)) }
func (s Status) Error() string  { return s.String() }

// Error is of a call that failed: nothing was written. The message tells what, where and how to mend it.
type Error struct {
	Status  Status
	Message string
}

func (e *Error) Error() string { return e.Status.String() + ": " + e.Message }
func (e *Error) Unwrap() error { return e.Status }

// Axes along which a spatial vector, or the rows of a constraint, are given.
type Axes int32

const (
	LinkAxes  Axes = raw.TENON_AXES_LINK
	WorldAxes Axes = raw.TENON_AXES_WORLD
)

// World instead of a link, in Constraints.AddClosure.
const World = raw.TENON_WORLD

// Options that the library fills with its defaults: take one of the functions Default..., then change fields.
type (
	SolveOptions     = raw.SolveOptions
	WorkspaceOptions = raw.WorkspaceOptions
	BatchOptions     = raw.BatchOptions
	RolloutOptions   = raw.RolloutOptions
	SolveReport      = raw.SolveReport
)

func prepared[T any](init func(*T, uintptr) int32) T {
	var options T
	if loaded() == nil {
		init(&options, unsafe.Sizeof(options))
	}
	return options
}

func DefaultSolveOptions() SolveOptions         { return prepared(initSolve) }
func DefaultWorkspaceOptions() WorkspaceOptions { return prepared(initWorkspace) }
func DefaultBatchOptions() BatchOptions         { return prepared(initBatch) }
func DefaultRolloutOptions() RolloutOptions     { return prepared(initRollout) }

// The functions of raw are set when the library is loaded: later than their names are looked at here.
func initSolve(o *SolveOptions, n uintptr) int32         { return raw.SolveOptionsInit(o, n) }
func initWorkspace(o *WorkspaceOptions, n uintptr) int32 { return raw.WorkspaceOptionsInit(o, n) }
func initBatch(o *BatchOptions, n uintptr) int32         { return raw.BatchOptionsInit(o, n) }
func initRollout(o *RolloutOptions, n uintptr) int32     { return raw.RolloutOptionsInit(o, n) }

var (
	once    sync.Once
	loading error
)

// Load loads the library from a path. Without it the first call loads what the environment variable TENON_LIBRARY
// names, or what the system finds as libtenon. A module brings no library.
func Load(path string) error { return load(path, path+" cannot be loaded") }

func load(path, failure string) error {
	once.Do(func() {
		if loading = raw.Load(path); loading != nil {
			loading = fmt.Errorf("tenon: %s: %w", failure, loading)
		} else if raw.Version()/100 != raw.TENON_VERSION/100 {
			loading = fmt.Errorf("tenon: %s is Tenon %s, of another version than this package", path, raw.VersionString())
		}
	})
	return loading
}

func loaded() error {
	if path := os.Getenv("TENON_LIBRARY"); path != "" {
		return load(path, "TENON_LIBRARY names "+path+", which cannot be loaded")
	}
	series := fmt.Sprintf("%d.%d", raw.TENON_VERSION_MAJOR, raw.TENON_VERSION_MINOR)
	name := map[string]string{"windows": "tenon.dll", "darwin": "libtenon." + series + ".dylib"}[runtime.GOOS]
	if name == "" {
		name = "libtenon.so." + series
	}
	here := runtime.GOOS + "/" + runtime.GOARCH
	return load(name, "there is no library for "+here+": a module brings none, and the system has no "+name+". Take that of a "+
		"release or a wheel for "+here+", or build Tenon, and set TENON_LIBRARY to the path of the library")
}

// Version is that of the library, "" where there is none.
func Version() string {
	if loaded() != nil {
		return ""
	}
	return raw.VersionString()
}

// call is of what takes a message at its end.
func call(function func(message *byte, size uintptr) int32) error {
	message := make([]byte, 1024)
	if status := function(&message[0], uintptr(len(message))); status < 0 {
		return &Error{Status(status), text(&message[0])}
	}
	return nil
}

func text(start *byte) string {
	if start == nil {
		return ""
	}
	length := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(start), length)) != 0 {
		length++
	}
	return string(unsafe.Slice(start, length))
}

func cText(s string) (*byte, error) {
	for i := range s {
		if s[i] == 0 {
			return nil, &Error{InvalidArgument, "a text with a zero in it"}
		}
	}
	return unsafe.StringData(s + "\x00"), nil
}

// in is pointer and count of a slice; nil stays nil.
func in(x []float64) (*float64, uintptr) { return unsafe.SliceData(x), uintptr(len(x)) }

// product is that of sizes of float64. One that wraps would be small, and what is written after it not; and what has no
// address ends the program where it is made.
func product(sizes ...uintptr) (int, error) {
	const most = min(math.MaxInt, 1<<47) / 8
	all := uintptr(1)
	for _, size := range sizes {
		if size != 0 && all > most/size {
			words := strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", " x ")
			return 0, &Error{OutOfMemory, words + " numbers are more than any memory has"}
		}
		all *= size
	}
	return int(all), nil
}

// Matrix is column-major: element (i, j) is Data[i + j*Rows].
type Matrix struct {
	Rows, Columns int
	Data          []float64
}

// NewMatrix panics, as make does, where there is no memory for it.
func NewMatrix(rows, columns int) *Matrix {
	count, err := product(uintptr(rows), uintptr(columns))
	if err != nil {
		panic(err)
	}
	return &Matrix{rows, columns, make([]float64, count)}
}

func (m *Matrix) At(i, j int) float64         { return m.Data[i+j*m.Rows] }
func (m *Matrix) Set(i, j int, value float64) { m.Data[i+j*m.Rows] = value }
func (m *Matrix) Column(j int) []float64      { return m.Data[j*m.Rows : (j+1)*m.Rows] }
func (m *Matrix) out() (*float64, uintptr, int32) {
	p, n := in(m.Data)
	return p, n, int32(max(m.Rows, 1))
}
