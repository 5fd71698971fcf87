// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/stretchr/testify/require"
)

// TestCorrectedSums has sizes whose sums leave 32 bits (quirk.SumsWrapAround), with what upstream does and
// what the repair does.
func TestCorrectedSums(t *testing.T) {
	const most = math.MaxInt32
	percent := func(surge int32) func(*deploy.Deployment) {
		return func(d *deploy.Deployment) {
			d.MaxSurge, d.MaxUnavailable = rollout.Percent(surge), rollout.Int(1)
		}
	}
	released := func(d *deploy.Deployment) {
		d.Strategy, d.Paused = deploy.Recreate, true
		d.Partitioned = &partition.Strategy{
			Partition: rollout.Percent(100), RollingUpdate: &partition.RollingUpdate{MaxSurge: d.MaxSurge, MaxUnavailable: d.MaxUnavailable},
		}
	}
	for _, c := range []struct {
		why           string
		s             deploy.Snapshot
		before, after string
	}{
		{"there is room for the surge of the largest Deployment",
			snapshot(web(most, limits(1, 0)), set(1, most), set(2, 0)),
			"none", "web-v2 0->1"},
		{"and then old pods may go",
			snapshot(web(most, limits(1, 0)), set(1, most), set(2, 1)),
			"none", "web-v1 2147483647->2147483646"},
		{"the same by partition",
			snapshot(web(most, limits(1, 0), released), set(1, most), set(2, 1)),
			"web-v2 1->2147483647", "web-v1 2147483647->2147483646"},
		{"and all that is unavailable goes at once",
			snapshot(web(5, limits(0, 1), released), set(1, most, counts(0, 0)), set(3, most, counts(4, 4)), set(2, 0)),
			"web-v2 0->5", "web-v1 2147483647->0, web-v3 2147483647->4"},
		{"all that is unavailable goes at once",
			snapshot(web(5, limits(0, 1)), set(1, most, counts(0, 0)), set(3, most, counts(4, 4)), set(2, 0)),
			"web-v2 0->5", "web-v1 2147483647->0, web-v3 2147483647->4"},
		{"Recreate waits for old pods",
			snapshot(web(3, recreate, template("v9")), set(1, 0, counts(1<<30, 0)), set(3, 0, counts(1<<30, 0))),
			"create web-v9 3", "none"},
		{"a surge without bounds leaves room for all",
			snapshot(web(1<<30, percent(400)), set(1, 1<<30), set(2, 0)),
			"web-v1 1073741824->1073741823", "web-v2 0->1073741824"},
		{"the same by partition, whose limits wrap around as well",
			snapshot(web(1<<30, percent(400), released), set(1, 1<<30), set(2, 0)),
			"web-v1 1073741824->1073741823", "web-v2 0->1073741824"},
	} {
		t.Run(c.why, func(t *testing.T) {
			requireEqual(t, "upstream", c.before, sizes(reconcile(t, c.s)))
			requireEqual(t, "corrected", c.after, sizes(reconcileWith(t, c.s, corrected)))
		})
	}
}

// TestManySharesAddUp: more sets of the largest size than their shares, which are not
// whole numbers, could be added up at full precision.
func TestManySharesAddUp(t *testing.T) {
	var sets []replicaset.ReplicaSet
	for n := range 600 {
		sets = append(sets, set(n+1, math.MaxInt32, sized("1", fmt.Sprint(1+n/599))))
	}
	p := reconcileWith(t, snapshot(web(1200, limits(0, 1)), sets...), corrected)
	total := int64(600 * math.MaxInt32)
	for _, a := range p.Actions {
		if a, ok := a.(deploy.ScaleReplicaSet); ok {
			total -= int64(a.From - a.To)
		}
	}
	require.Equal(t, int64(1200), total)
}
