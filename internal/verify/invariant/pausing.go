// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"slices"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
)

// A Pausing is a plan of scale-downs with pause points.
type Pausing struct {
	Order podorder.Order
	Pods  []podorder.Pod
	Downs []pausepoint.ScaleDown
	State pausepoint.State
	Plan  pausepoint.Plan
}

// A stop is the limit of a rollout in one ReplicaSet.
type stop struct {
	at      int  // number of pods before the pause point
	through bool // the pod with the pause point may be deleted as well
}

// stopOf finds the first unacknowledged pause point of a ReplicaSet, in deletion order.
func (c *Pausing) stopOf(down *pausepoint.ScaleDown, sorted []podorder.Pod) (stop, bool) {
	token, ok := pausepoint.ParseToken(c.State.Token)
	current := ok && token.Revision == c.State.Revision && len(token.Entries) > 0
	waits := ""
	if current && c.State.Paused {
		waits = token.Entries[len(token.Entries)-1].UID
	}
	for i := range sorted {
		p := &sorted[i]
		mode, _ := pausepoint.Parse(p.Annotations)
		armed := mode == pausepoint.Before || mode == pausepoint.After
		if !armed || p.UID == "" || c.State.IgnoreUnready && !p.Ready || down.Cause != pausepoint.CauseRollout {
			continue
		}
		acknowledged := current && p.UID != waits && slices.ContainsFunc(token.Entries, func(e pausepoint.Entry) bool { return e.UID == p.UID })
		if !acknowledged {
			return stop{i, mode == pausepoint.After && p.UID == waits}, true
		}
	}
	return stop{}, false
}

// prioritiesAndPausePointsPause checks that no pod after a pause point is deleted, and the planned
// pause.
func prioritiesAndPausePointsPause(c *Pausing) []string {
	l := list(nil)
	for i := range c.Downs {
		down := &c.Downs[i]
		if i >= len(c.Plan.Delete) {
			l.add("nothing is said about %s", down.Name)
			continue
		}
		n := c.Plan.Delete[i]
		l.addIf(n > max(down.N, 0) || n < 0, "%s loses %d pods of %d", down.Name, n, down.N)
		var pods []podorder.Pod
		for k := range c.Pods {
			if down.Pods == nil || slices.Contains(down.Pods, k) {
				pods = append(pods, c.Pods[k])
			}
		}
		c.Order.Sort(pods)
		if s, found := c.stopOf(down, pods); found {
			most := s.at
			if s.through {
				most++
			}
			l.addIf(n > most, "%s loses %d pods, and a pause point lets %d go", down.Name, n, most)
		}
	}
	l.addIf(c.Plan.Pause != nil && c.State.Paused, "%s is paused, and is to be paused", c.State.Name)
	l.addIf(c.Plan.Pause != nil && (c.Plan.Pause.UID != c.State.UID || c.Plan.Pause.ResourceVersion != c.State.ResourceVersion), "the pause is for another version")
	return l
}
