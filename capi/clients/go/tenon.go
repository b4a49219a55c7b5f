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
	"os"
	"runtime"
	"sync"

	"tenon/raw"
)

func (s Status) Error() string { return s.String() }

// Error is of a call that failed: nothing was written. The message tells what, where and how to mend it.
type Error struct {
	Status  Status
	Message string
}

func (e *Error) Error() string { return e.Status.String() + ": " + e.Message }
func (e *Error) Unwrap() error { return e.Status }

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
	return version()
}
