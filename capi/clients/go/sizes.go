package tenon

import "unsafe"

func (s *system) rowsOf(constraint int) int {
	if constraint < 0 || constraint >= len(s.rows) {
		return 0
	}
	return s.rows[constraint]
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

// precise are options of the precision of T.
func precise[T Real](options *BatchOptions) *BatchOptions {
	chosen := DefaultBatchOptions()
	if options != nil {
		chosen = *options
	}
	chosen.Precision = PrecisionDouble
	if unsafe.Sizeof(T(0)) == 4 {
		chosen.Precision = PrecisionSingle
	}
	return &chosen
}
