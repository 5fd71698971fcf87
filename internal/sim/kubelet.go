// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// A Kubelet is how pods live: how long each part of a pod's life takes. It stands
// for the scheduler as well. The zero Kubelet takes no time for anything.
type Kubelet struct {
	ScheduleAfter  time.Duration // from being created to being assigned to a node
	ReadyAfter     time.Duration // from then to being ready
	TerminateAfter time.Duration // from being deleted to being gone

	// Jitter makes each of these longer by a random time below it; Seed chooses
	// the times.
	Jitter time.Duration
	Seed   uint64

	// ReadyIn, if set, gives the time from being assigned to being ready for a random
	// number of at least 0 and below 1, in place of ReadyAfter and Jitter. [Run] alone
	// reads it.
	ReadyIn func(draw float64) time.Duration

	// Nodes is how many nodes take turns in running new pods; 0 means 5. Names, if set,
	// are the nodes instead. Zones are those that they are in: with some, a [Step] of
	// [Run] tells how many pods run in each.
	Nodes int
	Names []string
	Zones podorder.Domains

	// Room, if set, is what the nodes have left; without it they take any number of pods.
	// [Run] alone reads it.
	Room *Room
	// MaxPods, if set, is how many pods a quota allows. Others are not created until pods
	// are gone. [Run] alone reads it.
	MaxPods *int
	// Quota, if set, is what a quota allows all pods together of each resource. Others are
	// not created until pods are gone. [Run] alone reads it.
	Quota *Quota

	// Looks, if set, is how often planners may look at a pod, or a node, in all runs that
	// share it. What is left is written back; a run for which nothing is left fails with
	// [ErrTooLong].
	Looks *int64

	// Recording, if set, is filled in: what became of pods and of what owns them.
	Recording *Recording

	// Unbound, if set, tells which pods no node takes, whatever room there is.
	Unbound func(podorder.Pod, revision.Template) bool
	// NeverReady, if set, tells which pods start but never become ready.
	NeverReady func(podorder.Pod, revision.Template) bool
}

// nodes returns the names of the nodes that take turns.
func (k *Kubelet) nodes() (names []string) {
	if len(k.Names) > 0 {
		return k.Names
	}
	n := k.Nodes
	if n <= 0 {
		n = 5
	}
	for i := range n {
		names = append(names, fmt.Sprintf("node-%d", i+1))
	}
	return names
}
