// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/rollout/workload"
)

// releasedOf returns how the workloads of a kind are kept.
func releasedOf(ref workload.Ref) released {
	switch {
	case podset.Known(ref):
		return releasedSet{}
	case ref.Kind == daemonset.Kind:
		return releasedDaemonSet{}
	}
	return releasedDeployment{}
}

// driven returns the workload that the Rollout releases as it is, nil if it is not there.
func (w *World) driven() *workload.Workload {
	o, _ := releasedOf(w.ref).at(w, w.latest(), w.ref.Name)
	return o
}

// patchWorkload changes a workload if it still is as the pass has seen it. Upstream patches
// it as it is, so that a stale controller can undo what admission has done.
func (c *controller) patchWorkload(a fmt.Stringer, uid string, ref workload.Ref, patch *workload.Patch) answer {
	k := releasedOf(ref)
	pre := precondition{uid: uid}
	if o, version := k.at(c.w, &c.view, ref.Name); o != nil {
		pre.version = version
	}
	return c.ask(func() answer {
		return k.change(c.w, c.request(Update, ref.Name, pre, a), func(o workload.Workload) workload.Workload { return o.Patched(*patch) })
	})
}
