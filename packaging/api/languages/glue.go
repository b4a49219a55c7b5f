// What generated calls stand on: objects that free themselves, messages, sizes, and memory that is held in place.

package tenon

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"unsafe"

	"tenon/raw"
)

// object is what the library made: freed by Close, or some time after nobody holds it.
type object[H any] struct {
	handle  *H
	cleanup runtime.Cleanup
	destroy func(*H)
}

func (o *object[H]) own(handle *H, destroy func(*H)) {
	o.handle, o.destroy, o.cleanup = handle, destroy, runtime.AddCleanup(o, destroy, handle)
}

// Close frees it now. What was made from it stays good.
func (o *object[H]) Close() {
	if o.handle != nil {
		o.cleanup.Stop()
		o.destroy(o.handle)
		o.handle = nil
	}
}

// Raw is the handle for calls of package raw; keep the object alive meanwhile.
func (o *object[H]) Raw() *H { return o.handle }

func (o *object[H]) alive(k *kept) *H {
	if o.handle == nil {
		k.fail(InvalidArgument, "this object is closed, or was never made")
	}
	return o.handle
}

func (m *Matrix) leading() int {
	if m.Leading == 0 {
		return m.Rows
	}
	return m.Leading
}

func (m *Matrix) rows() int {
	if m == nil {
		return 0
	}
	return m.Rows
}

func (m *Matrix) columns() int {
	if m == nil {
		return 0
	}
	return m.Columns
}

// parts are pointer, count and leading dimension of a matrix of this shape; the library compares them.
func (m *Matrix) parts(k *kept, what string, rows, columns int) (*float64, uintptr, int32) {
	if m == nil {
		return nil, 0, 0
	}
	if m.Rows != rows || m.Columns != columns {
		k.fail(WrongSize, "%s: %d x %d numbers; %d x %d are needed", what, m.Rows, m.Columns, rows, columns)
	}
	return unsafe.SliceData(m.Data), uintptr(len(m.Data)), small(max(m.leading(), 1-min(rows, 1)))
}

// kept is what a call has until it ends: memory held in place, and what was wrong with its arguments.
type kept struct {
	err    error
	pinner runtime.Pinner
	logs   *logger
}

func (k *kept) free() {
	k.pinner.Unpin()
	runtime.KeepAlive(k.logs)
}

func (k *kept) fail(status Status, words string, values ...any) {
	if k.err == nil {
		k.err = &Error{status, fmt.Sprintf(words, values...)}
	}
}

func (k *kept) loaded() {
	if err := loaded(); err != nil && k.err == nil {
		k.err = err
	}
}

func (k *kept) prepared(yes bool, what string) {
	if !yes {
		k.fail(WrongSize, "%s: nobody filled in its defaults; take Default%s, then change fields", what, what)
	}
}

func (k *kept) plain(s string) {
	if strings.IndexByte(s, 0) >= 0 {
		k.fail(InvalidArgument, "a text with a zero in it")
	}
}

func (k *kept) text(s string, without *byte) *byte {
	if s == "" {
		return without
	}
	return k.texts([]string{s})[0]
}

func (k *kept) texts(all []string) []*byte {
	starts := make([]*byte, len(all))
	for i, s := range all {
		k.plain(s)
		starts[i] = unsafe.StringData(s + "\x00")
		k.pinner.Pin(starts[i])
	}
	return starts
}

func (k *kept) list(x []float64) (*float64, uintptr) {
	if len(x) > 0 {
		k.pinner.Pin(unsafe.SliceData(x))
	}
	return unsafe.SliceData(x), uintptr(len(x))
}

func (k *kept) states(n int) {
	if n < 0 {
		k.fail(InvalidArgument, "%d states", n)
	}
}

// product is that of sizes of float64. One that wraps would be small, and what is written after it not; and what has no
// address ends the program where it is made.
func (k *kept) product(sizes ...int) int {
	const most = min(math.MaxInt, 1<<47) / 8
	all := 1
	for _, size := range sizes {
		if size < 0 || size != 0 && all > most/size {
			words := strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", " x ")
			k.fail(OutOfMemory, "%s numbers are more than any memory has", words)
			return 0
		}
		all *= size
	}
	return all
}

func (k *kept) matrix(rows, columns int) *Matrix {
	return &Matrix{Rows: rows, Columns: columns, Data: zeros[float64](k, rows, columns)}
}

func names(count int, name func(int) string) []string {
	all := make([]string, max(count, 0))
	for i := range all {
		all[i] = name(i)
	}
	return all
}

func zero[T any]() (none T) { return none }

func zeros[T any](k *kept, sizes ...int) []T { return make([]T, k.product(sizes...)) }

// statesOf is how many states these numbers are of, count of each. Without numbers a state has none, and a call is of one.
func statesOf[T Real](k *kept, what string, x []T, count int) int {
	states := 1
	if count > 0 {
		states = len(x) / count
	}
	if len(x) != states*count {
		k.fail(WrongSize, "%s: %d numbers, not states x %d", what, len(x), count)
	}
	return states
}

// array is that of the library, which sees that what strides lead to is there. Of each state count numbers are needed, once
// for each record.
func array[T Real](k *kept, what string, x States[T], count, states, records int, written bool) *raw.BatchArray {
	s, all := Strides{Count: count, Number: 1}, len(x.Data)
	switch {
	case x.Strides != nil:
		s = *x.Strides
	case fits(all, count, states, records):
		s.State = count * records
		if records > 1 {
			s.Record = count
		}
	case !written && fits(all, count, states):
		s.State = count
	case written || all != count:
		k.fail(WrongSize, "%s: %d numbers; %d times %d are needed", what, all, states, count)
	}
	r := ready(raw.BatchArrayInit)
	if x.Data == nil {
		x.Data = []T{}
	}
	k.pinner.Pin(unsafe.SliceData(x.Data))
	r.Data, r.Size, r.First, r.Count = unsafe.Pointer(unsafe.SliceData(x.Data)), uintptr(all), uintptr(s.First), uintptr(s.Count)
	r.NumberStride, r.StateStride, r.RecordStride = s.Number, s.State, s.Record
	return &r
}

func fits(all int, sizes ...int) bool {
	var k kept
	return all == k.product(sizes...) && k.err == nil
}

// ready is a struct of the library that its function filled. Where there is no library the call comes to nothing.
func ready[R any](init func(*R, uintptr) int32) R {
	var r R
	if init != nil {
		init(&r, unsafe.Sizeof(r))
	}
	return r
}

func number(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// small is beyond all indices and counts where x is.
func small(x int) int32 { return int32(max(math.MinInt32, min(x, math.MaxInt32))) }

// call is of what takes a message at its end.
func call(function func(message *byte, size uintptr) int32) error {
	message := make([]byte, 1024)
	status := function(&message[0], uintptr(len(message)))
	return checked(status, text(&message[0]))
}

func checked(status int32, message string) error {
	if status < 0 {
		return &Error{Status(status), message}
	}
	return nil
}

// grown is a text of any length: function tells the size, then the text.
func grown(function func(room *byte, size uintptr, needed *uintptr) error) (string, error) {
	var needed uintptr
	if err := function(nil, 0, &needed); err != nil {
		return "", err
	}
	room := make([]byte, needed+1)
	err := function(&room[0], uintptr(len(room)), &needed)
	return text(&room[0]), err
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
