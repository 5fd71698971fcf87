package sim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// patchWorkload changes a Deployment if it still is as the pass has seen it. Upstream
// patches it as it is, so that a stale controller can undo what admission has done.
func (c *controller) patchWorkload(a fmt.Stringer, uid, name string, patch *workload.Patch) answer {
	table := &c.w.store.deployments
	pre := precondition{uid: uid}
	if seen := find(table, table.at(c.view[KindDeployment]), name); seen != nil {
		pre.version = seen.ResourceVersion
	}
	return c.ask(func() answer {
		r := c.request(Update, name, pre, a)
		_, d, _ := lookup(table, &r)
		var after workload.Workload
		if d != nil {
			before := c.w.workloadOf(d)
			after = before.Patched(*patch)
			if after.Generation == before.Generation && maps.Equal(after.Labels, before.Labels) && maps.Equal(after.Annotations, before.Annotations) {
				return done // no write, no event
			}
		}
		_, answer := update(c.w, table, r, func(d *Deployment) {
			take(d, &after)
			d.Generation = after.Generation
		})
		return answer
	})
}

func sameRolloutStatus(a, b *kruise.Status) bool {
	return a.ObservedGeneration == b.ObservedGeneration && a.Phase == b.Phase && a.Message == b.Message &&
		a.CurrentStepIndex == b.CurrentStepIndex && a.CurrentStepState == b.CurrentStepState && same(a.Sub, b.Sub) &&
		slices.Equal(a.Conditions, b.Conditions)
}
