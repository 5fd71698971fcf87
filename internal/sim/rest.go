// SPDX-License-Identifier: Apache-2.0

package sim

import "fmt"

// maxPasses is how often a planner of a calm world may act for an object at one instant, that is, until
// all has come to rest, and maxStill how often pods may change then, which takes a Kubelet without
// delays. More may be left to do in a world that is not small.
const (
	maxPasses = 10_000
	maxStill  = 100_000
)

// How much more it is for each pod that there is, or that is wanted, and for each other object. A rollout
// at one instant, pod by pod, takes at most five passes of whoever looks at all that is written, and each
// pod goes through a few stages: several rollouts have room.
const (
	passesOfPod    = 20
	stagesOfPod    = 10
	passesOfObject = 100
)

// passed fails if a controller of a calm world looks at an object again and again.
func (c *controller) passed(o *item) {
	w := c.w
	if !w.calm {
		return
	}
	if o.rests != w.rests {
		o.passes, o.rests = patience{}, w.rests
	}
	if o.passes.lost(maxPasses, w.store.morePasses) {
		w.fail(fmt.Errorf("%s: %s is still changing after %d passes", c.Role, o.key, o.passes.n-1))
	}
}

// rested lets all be counted anew: nothing is left to happen at an instant.
func (w *World) rested() {
	w.still = patience{}
	w.rests++
}

func (s *store) morePasses() int {
	return passesOfObject*s.objects() + passesOfPod*(s.podCount()+s.wanted())
}

func (s *store) moreStages() int { return stagesOfPod * (s.podCount() + s.wanted()) }

// podCount is how many pods there are.
func (s *store) podCount() int { return s.pods.size() + s.daemons.size() }

// objects is how many objects there are that controllers work on, but pods.
func (s *store) objects() int {
	return s.replicaSets.size() + s.deployments.size() + s.daemonSets.size() + s.sets.size() +
		s.nodes.size() + s.rollouts.size()
}

// wanted is how many pods all workloads want together, those of Deployments counted twice.
func (s *store) wanted() (n int) {
	for _, d := range s.deployments.all() {
		n += wantedBy(d.Replicas)
	}
	for _, rs := range s.replicaSets.all() {
		n += wantedBy(rs.Replicas)
	}
	for _, o := range s.sets.all() {
		n += wantedBy(o.Replicas)
	}
	return min(n+s.daemonSets.size()*s.nodes.size(), 16*mostWanted)
}

// mostWanted is how many pods of one object count, of which no world has more: what is reckoned with them
// is no number of 32 bits otherwise.
const mostWanted = 1 << 20

func wantedBy(replicas *int32) int {
	if replicas == nil {
		return 1
	}
	return max(0, min(int(*replicas), mostWanted))
}
