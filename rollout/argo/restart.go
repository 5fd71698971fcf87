// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"cmp"
	"github.com/kplan-go/kplan/rollout/argo/reason"
	"slices"
	"time"
)

// restartAgain is the time after which more pods are restarted.
const restartAgain = 30 * time.Second

// restart decides which pods are restarted: pods older than the restart, by name, as far as
// enough stay available, and at least one if all are available.
//
// It mirrors the RolloutPodRestarter of Argo Rollouts.
func (c *counts) restart() restart {
	r, at := restart{done: c.read.RestartedAt}, c.r.RestartAt
	switch {
	case at.IsZero() || at.Equal(c.read.RestartedAt):
		return r
	case !c.now.After(at):
		r.waiting = until(at.Add(1)) // strictly after it
		return r
	}
	old, room := c.oldPods(at), c.mayRestart()
	for _, p := range old {
		if !p.Deleting && room > 0 {
			r.evict, room = append(r.evict, p.Name), room-1
		}
	}
	if left := len(old) - len(r.evict); left > 0 {
		r.waiting = until(c.now.Add(restartAgain))
	} else {
		r.done = at
	}
	if len(old) > 0 {
		r.waiting = held(reason.Restart, int64(len(c.s.Pods)-len(old)), int64(len(c.s.Pods))).and(r.waiting)
	}
	return r
}

// oldPods returns the pods that were created before a time, by name.
func (c *counts) oldPods(at time.Time) (old []*Pod) {
	for i := range c.s.Pods {
		if p := &c.s.Pods[i]; p.CreationTimestamp.Before(at) {
			old = append(old, p)
		}
	}
	slices.SortFunc(old, func(a, b *Pod) int { return cmp.Compare(a.Name, b.Name) })
	return old
}

// mayRestart returns how many pods may be restarted now: the available pods beyond the size
// of the Rollout, or of its ReplicaSets if that is larger, and as many as may be unavailable.
func (c *counts) mayRestart() int64 {
	total, available := int64(0), int64(0)
	for i := range c.s.Sets {
		total += int64(c.s.Sets[i].Replicas)
	}
	for i := range c.s.Pods {
		if p := &c.s.Pods[i]; p.Available && !p.Deleting {
			available++
		}
	}
	n := c.replicas()
	down := Budget(n, c.r.MaxSurge, c.r.MaxUnavailable).Unavailable
	if c.r.BlueGreen != nil && !c.r.MaxUnavailable.IsZero() {
		down = min(c.r.MaxUnavailable.Of(n), n)
	}
	return available - (max(int64(n), total) - int64(max(down, 1)))
}
