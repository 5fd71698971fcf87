// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"testing"
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"
)

// What a controller has written itself is no excuse, unless it wrote that for another wish than
// the view shows in which it is missing.
func TestOvertaken(t *testing.T) {
	const told, pods = 1, 3 // the states that somebody's wish led to, and the controller's 3 pods
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
