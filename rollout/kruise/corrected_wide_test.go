// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// wideLimits is a preview with a surge that is beyond 32 bits.
func wideLimits(t *testing.T, o kruise.Options) string {
	in := preview.Input{
		Rollout: partitioned(deployment, step(rollout.Percent(100), 0)), Replicas: 200,
		Limits: &partition.RollingUpdate{MaxSurge: rollout.Percent(math.MaxInt32), MaxUnavailable: rollout.Int(0)},
	}
	p, err := preview.Of(in, o)
	require.NoError(t, err)
	end := "ends at " + p.Steps[0].End.String()
	if p.Steps[0].Stuck != "" {
		end = "never ends"
	}
	return fmt.Sprintf("surge %d, %s", partition.Budget(in.Replicas, in.Limits, o.Repair.Has(quirk.LimitsWrapAround)).Surge, end)
}

// Oracle: with limits of any size, corrected, the sizes of a preview are those that the
// planner of package deploy reaches. No total wraps around or saturates on the way.
func TestPreviewOfWideLimitsAgreesWithDeploy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wide := rapid.Map(rapid.Int32Range(1<<30, math.MaxInt32), rollout.Percent)
		in := preview.Input{
			Replicas: rapid.Int32Range(100, math.MaxInt32).Draw(t, "replicas"), Rollout: partitioned(deployment, step(rollout.Percent(50), -1)),
			Limits: &partition.RollingUpdate{MaxSurge: wide.Draw(t, "surge"), MaxUnavailable: wide.Draw(t, "unavailable")},
		}
		in.Generations = []int32{in.Replicas, rapid.Int32Range(0, in.Replicas).Draw(t, "middle")}
		o := kruise.Options{Repair: quirk.All}
		p, err := preview.Of(in, o)
		require.NoError(t, err)
		c := newWorld(t, in.Replicas)
		c.opts, c.sizes, c.partitioned = o, map[string]int32{"v0": in.Generations[0], "v1": in.Generations[1]}, &partitioner{t: t}
		c.w.Template, c.w.StrategyType, c.w.Paused = template("v2"), "Recreate", true
		for _, size := range []rollout.IntOrPercent{rollout.Int(0), rollout.Percent(50)} {
			c.w.Annotations = map[string]string{
				partition.AnnotationControlInfo: "{}",
				partition.AnnotationStrategy:    partition.Strategy{RollingStyle: partition.Style, RollingUpdate: in.Limits, Partition: size}.Text(),
			}
			for range 12 {
				c.partitioned.pass(c)
			}
		}
		want := preview.Sizes{New: c.sizes["v2"], Old: c.sizes["v0"], Middle: c.sizes["v1"]}
		require.Equal(t, want, p.Steps[0].End, strings.Join(c.partitioned.seen, "\n"))
	})
}
