// SPDX-License-Identifier: Apache-2.0

package sim

import "math"

// A patience counts what must not go on for ever.
type patience struct {
	n    int32
	most int32 // 0 until many have been counted
}

// lost counts one more. It reports whether there are too many: more than so many, and some more by the
// size of the world, as it is once that is asked for: to one that grows for ever it would never be too many.
func (p *patience) lost(many int, more func() int) bool {
	if p.n++; int(p.n) <= many {
		return false
	}
	if p.most == 0 {
		p.most = int32(min(many+more(), math.MaxInt32))
	}
	return p.n > p.most
}
