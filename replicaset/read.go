// SPDX-License-Identifier: Apache-2.0

package replicaset

import "github.com/kplan-go/kplan/podorder"

// A PodReader reads pods in place, such as objects of the API in a cache. No two pods have
// the same name or UID. See [ReconcileFrom].
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

// podList reads the pods of a snapshot, in which a name or a UID may occur twice.
type podList []podorder.Pod

func (l podList) Len() int { return len(l) }

func (l podList) At(i int) *podorder.Pod { return &l[i] }

func (l podList) Read(i int, p *podorder.Pod) { *p = l[i] }
