// SPDX-License-Identifier: Apache-2.0

package batchrelease

import "github.com/kplan-go/kplan/rollout/workload"

// A crowd is the pods of a workload, as far as a pass asks about them.
type crowd interface {
	// list returns all, in the order of the list.
	list() []workload.Pod
	// count returns how many there are, and how many of those that are not being deleted carry
	// the label of a rollout.
	count(id string) (all, labelled int32)
	// labels returns the labels that they are to get.
	labels(l *labelling) []LabelPod
}

// listed are pods in a list.
type listed []workload.Pod

func (pods listed) list() []workload.Pod { return pods }

func (pods listed) count(id string) (all, labelled int32) {
	for i := range pods {
		if pods[i].DeletionTimestamp.IsZero() && pods[i].Labels[workload.LabelRolloutID] == id {
			labelled++
		}
	}
	return int32(len(pods)), labelled
}

func (pods listed) labels(l *labelling) []LabelPod { return l.labels(pods) }
