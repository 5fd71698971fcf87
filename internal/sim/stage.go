// SPDX-License-Identifier: Apache-2.0

package sim

import "github.com/kplan-go/kplan/podorder"

// A Stage is a part of the life of a pod.
type Stage string

// The stages.
const (
	Scheduled   Stage = "scheduled"
	Ready       Stage = "ready"
	Failed      Stage = "failed"
	Terminating Stage = "terminating"
	Gone        Stage = "gone"
)

// Unscheduled is that a pod has no node yet.
const Unscheduled Stage = "unscheduled"

// stageOf returns where a pod is in its life.
func stageOf(p *podorder.Pod) Stage {
	switch {
	case p == nil:
		return Gone
	case p.Finished():
		return Failed
	case !p.DeletionTimestamp.IsZero():
		return Terminating
	case p.NodeName == "":
		return Unscheduled
	case p.Ready:
		return Ready
	}
	return Scheduled
}
