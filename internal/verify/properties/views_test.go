// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"
)

// A controller's own write does not widen the bounds, unless it was for another desired state than
// the view shows that lacks the write.
func TestOvertaken(t *testing.T) {
	const told, pods = 1, 3 // the state after a change of the desired state, and the 3 pods of the controller's write
	for _, c := range []struct {
		name       string
		from, view int
		want       int64
	}{
		{"the wish came between what was seen first and then", 0, 1, 3},
		{"nor does the view behind it show the write", 0, 2, 3},
		{"the write is seen", 0, 3, 0},
		{"both views show the wish", 1, 2, 0},
		{"neither does, and no bound is known", 0, 0, Unknown},
	} {
		v := &views[int, int]{}
		for state := range 3 {
			drift := int64(0)
			if state == told {
				drift = Unknown
			}
			v.add(&state, drift, own{})
		}
		last := 3
		v.planned(c.from, &last, pods)
		v.seen = c.view // which no bytes draw: the oldest
		if i, drift := v.draw(random.Bytes(nil), time.Time{}); i != c.view || drift != c.want {
			t.Errorf("%s: view %d is wrong by %d, want view %d and %d", c.name, i, drift, c.view, c.want)
		}
	}
}
