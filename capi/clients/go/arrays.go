package tenon

// Real is what a batch computes with: float32 is single precision.
type Real interface{ float32 | float64 }

// Strides tell how far apart numbers lie: number i of record r of state s is First + s*State + r*Record + i*Number.
// Count: the numbers of each state, or record.
type Strides struct{ Count, First, Number, State, Record int }

// States is what a batch reads or writes. Without strides the numbers of one state come after those of another, or are
// those of one state, which are then the same for all; of a rollout also those of each step of a state. No data is none.
type States[T Real] struct {
	Data    []T
	Strides *Strides
}

// Of is a slice without strides.
func Of[T Real](x []T) States[T] { return States[T]{Data: x} }

// Matrix is column-major: element (i, j) is Data[i+j*Leading]; Leading 0 is Rows.
type Matrix struct {
	Rows, Columns int
	Data          []float64
	Leading       int
}

// turned is the shape of a result of derivatives: of one that is row-major that of the transpose.
func (o *DerivativeOptions) turned(rows, columns int) (int, int) {
	if o != nil && o.RowMajor {
		return columns, rows
	}
	return rows, columns
}

// NewMatrix panics, as make does, where there is no memory for it.
func NewMatrix(rows, columns int) *Matrix {
	var k kept
	m := k.matrix(rows, columns)
	if k.err != nil {
		panic(k.err)
	}
	return m
}

func (m *Matrix) At(i, j int) float64         { return m.Data[i+j*m.leading()] }
func (m *Matrix) Set(i, j int, value float64) { m.Data[i+j*m.leading()] = value }
func (m *Matrix) Column(j int) []float64      { return m.Data[j*m.leading():][:m.Rows] }
