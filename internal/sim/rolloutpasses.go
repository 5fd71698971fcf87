// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/selector"
)

// A RolloutPass is what a planner does in a release, or waits for. Of passes that follow each
// other without doing anything, only those that wait for something else are kept.
type RolloutPass struct {
	Time    time.Duration // since the start
	Step    int           // how many steps there were: what it does leads to the next ones, if to any
	By      Role
	Actions []fmt.Stringer
	Holds   []selector.Hold[string] // none of the Deployment, whose pods steps tell of
}

// explain makes the recorder keep the passes.
func (r *rolloutRecorder) explain() {
	o := &r.world.Observer
	o.Batch = func(p Planned[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]) error {
		r.pass(p.By.Role, texts(p.Plan.Actions), plain(p.Plan.Holds))
		return nil
	}
	o.Deployment = func(p Planned[deploy.Snapshot, deploy.Options, deploy.Plan]) error {
		r.pass(p.By.Role, texts(p.Plan.Actions), nil)
		return nil
	}
	o.Rollout = func(p Planned[kruise.Snapshot, kruise.Options, kruise.Plan]) error {
		r.pass(p.By.Role, texts(p.Plan.Actions), plain(p.Plan.Holds))
		return r.planned(p)
	}
}

func (r *rolloutRecorder) pass(by Role, actions []fmt.Stringer, holds []selector.Hold[string]) {
	if len(actions) == 0 && slices.Equal(r.waits[by], holds) {
		return
	}
	r.waits[by] = holds
	r.passes = append(r.passes, RolloutPass{r.world.now.Sub(r.start), len(r.steps), by, actions, holds})
}

func texts[T fmt.Stringer](list []T) (all []fmt.Stringer) {
	for _, a := range list {
		all = append(all, a)
	}
	return all
}

func plain[R ~string](list []selector.Hold[R]) (all []selector.Hold[string]) {
	for _, h := range list {
		all = append(all, selector.Hold[string]{Node: h.Node, Name: h.Name, Reason: string(h.Reason), Have: h.Have, Limit: h.Limit})
	}
	return all
}
