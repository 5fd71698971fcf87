// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// A PodReader gives a pass its pods where they are, such as objects of the API in a cache. No
// two pods have the same name or UID. See [ReconcileFrom].
type PodReader interface {
	// Len returns the number of pods.
	Len() int
	// At returns the fields of a pod that counting needs: Labels, ControllerKind, ControllerName,
	// ControllerUID, DeletionTimestamp, NodeName, Phase, Ready and ReadySince. Other fields are
	// not read. It returns nil if there is no such pod. The result is valid until the next call,
	// so the reader may use the same memory again.
	At(i int) *podorder.Pod
	// Read copies all fields of a pod into p, which is zero. It is called only for pods that At
	// has returned, and only if the plan adopts, releases or deletes pods.
	Read(i int, p *podorder.Pod)
}

// ReconcileFrom is [Reconcile] with the pods of r in place of those of s. Most passes of a
// cluster create pods or do nothing, so they only count pods, and copy none. If the plan deletes
// pods, it copies those that may be among the first.
//
// If r is nil there are no pods.
func ReconcileFrom(s Snapshot, r PodReader, now time.Time, opts Options) (Plan, error) {
	s.Pods = nil
	return reconcile(s, r, now, opts)
}

// podList reads the pods of a snapshot, in which a name or a UID may occur twice.
type podList []podorder.Pod

func (l podList) Len() int { return len(l) }

func (l podList) At(i int) *podorder.Pod { return &l[i] }

func (l podList) Read(i int, p *podorder.Pod) { *p = l[i] }

// readPods gives the input the pods of the reader that the plan is about: all of them, or those
// among which the first n victims are.
func (in *input) readPods(r PodReader, c *counts) {
	if list, ok := r.(podList); ok {
		in.Pods = list
		return
	}
	claims := c.adopt > 0 || c.release > 0
	if c.draft == nil || claims {
		c.draft, in.Pods = nil, make([]podorder.Pod, r.Len())
		for i := range in.Pods {
			if r.At(i) != nil {
				r.Read(i, &in.Pods[i])
			}
		}
		return
	}
	c.front = c.draft.Front(int(in.numbers(c).change().remove))
	in.Pods = make([]podorder.Pod, len(c.front))
	for at, i := range c.front {
		r.Read(i, &in.Pods[at])
	}
}
