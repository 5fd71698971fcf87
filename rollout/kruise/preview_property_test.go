// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Oracle: whatever is there when a new template comes, the sizes behind each step are
// those that the planner of package deploy reaches, as upstream and corrected.
func TestPreviewAgreesWithDeploy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := preview.Input{Replicas: rapid.Int32Range(1, 12).Draw(t, "replicas"), Limits: &partition.RollingUpdate{
			MaxSurge: rollout.Int(rapid.Int32Range(0, 3).Draw(t, "surge")), MaxUnavailable: rollout.Int(rapid.Int32Range(0, 3).Draw(t, "unavailable")),
		}}
		for range rapid.IntRange(1, 4).Draw(t, "templates") {
			in.Generations = append(in.Generations, rapid.Int32Range(0, in.Replicas/2+1).Draw(t, "size"))
		}
		last := int32(1)
		var steps []kruise.Step
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			last = rapid.Int32Range(last, 100).Draw(t, "share")
			steps = append(steps, step(rollout.Percent(last), -1))
		}
		in.Rollout = partitioned(deployment, steps...)
		var o kruise.Options
		if rapid.Bool().Draw(t, "corrected") {
			o.Repair = quirk.All
		}
		p, err := preview.Of(in, o)
		require.NoError(t, err)
		c := newWorld(t, in.Replicas)
		c.opts, c.sizes, c.partitioned = o, map[string]int32{}, &partitioner{t: t}
		for i, n := range in.Generations {
			c.sizes[templates()[i]] = n
		}
		c.w.Template, c.w.StrategyType, c.w.Paused = template(templates()[len(in.Generations)]), "Recreate", true
		reach := func(size rollout.IntOrPercent) preview.Sizes {
			c.w.Annotations = map[string]string{
				partition.AnnotationControlInfo: "{}",
				partition.AnnotationStrategy:    partition.Strategy{RollingStyle: partition.Style, RollingUpdate: in.Limits, Partition: size}.Text(),
			}
			for range 60 {
				c.partitioned.pass(c)
			}
			s := preview.Sizes{New: c.newPods(), Old: c.sizes["v0"]}
			s.Middle = c.total() - s.New - s.Old
			return s
		}
		require.Equal(t, reach(rollout.Int(0)), p.Begin, "%v", in.Generations)
		for i, s := range p.Steps {
			require.Equal(t, reach(steps[i].Replicas), s.End, "step %d of %v, %v", i+1, in.Generations, c.partitioned.seen)
		}
	})
}
