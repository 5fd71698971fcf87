// SPDX-License-Identifier: Apache-2.0

package pausepoint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/podorder"
)

// A Cause is the reason why pods of a ReplicaSet are deleted.
type Cause string

// The causes. Pause points have an effect only for CauseRollout. A paused Deployment still
// scales, so a pause would not stop a scale-down. A ReplicaSet without a Deployment has no
// spec.paused, so a user could not resume it.
const (
	CauseRollout  Cause = "Rollout"  // a rolling update replaces pods of an old template
	CauseScale    Cause = "Scale"    // the workload wants fewer pods
	CauseRecreate Cause = "Recreate" // the strategy Recreate deletes all old pods at once
	CauseOther    Cause = "Other"    // a ReplicaSet without a Deployment, or a Deployment that is being deleted
)

// A State holds the fields of a Deployment that a pause decision reads.
type State struct {
	Name            string `json:"name,omitzero"`
	UID             string `json:"uid,omitzero"`
	ResourceVersion string `json:"resourceVersion,omitzero"`
	Paused          bool   `json:"paused,omitzero"`
	Token           string `json:"token,omitzero"` // the value of AnnotationHit
	Revision        int64  `json:"revision"`       // of the new ReplicaSet
	// IgnoreUnready ignores the pause points of pods that are not ready.
	IgnoreUnready bool `json:"ignoreUnready,omitzero"`
}

// A ScaleDown is a number of pods of one ReplicaSet to delete.
type ScaleDown struct {
	Name  string // of the ReplicaSet
	Pods  []int  // the indexes in the list of pods of all its active pods; nil means all pods
	N     int    // how many of them to delete, within the limits of the caller
	Cause Cause
}

// A Plan is the result of [Decide]: the scale-downs, limited by pause points.
type Plan struct {
	// Delete is the number of pods to delete for each scale-down, in their order. Delete the
	// first pods in deletion order.
	Delete []int `json:"delete"`
	// Pause is the write that pauses the Deployment, or nil.
	Pause    *PauseDeployment `json:"pause,omitempty"`
	Warnings []Warning        `json:"warnings,omitempty"`
}

// PauseDeployment pauses a Deployment at a pod. In one write, set spec.paused to true and the
// annotation [AnnotationHit] to Token, with UID and ResourceVersion as preconditions. The
// annotation without spec.paused means that a user has resumed the rollout: a system that
// needs two writes must set spec.paused first. The event of the write has the reason
// PausePointReached.
type PauseDeployment struct {
	Name            string `json:"name"`
	UID             string `json:"uid,omitzero"`
	ResourceVersion string `json:"resourceVersion,omitzero"`
	Token           string `json:"token"`
	Pod             string `json:"pod"` // the name of the pod with the pause point
	Mode            Mode   `json:"mode"`
}

// String returns one line, the text of the event.
func (a PauseDeployment) String() string {
	return fmt.Sprintf("Paused deployment %s %s deleting pod %s", a.Name, a.Mode, a.Pod)
}

// A Warning reports a pause point that may not work as its author expects.
type Warning struct {
	Pod    string    `json:"pod"` // the name
	Reason Oversight `json:"reason"`
	Value  string    `json:"value,omitzero"` // the cause for Inert, the UID for NoUID, otherwise the annotation
}

// An Oversight is the mistake in a pause point.
type Oversight string

// The mistakes in a pause point.
const (
	Unreadable Oversight = "Unreadable" // the value is unknown, and counts as "before"
	Inert      Oversight = "Inert"      // no effect: the cause of the deletion is not CauseRollout
	NotReady   Oversight = "NotReady"   // no effect: the pod is not ready, and State.IgnoreUnready is set
	NoUID      Oversight = "NoUID"      // no effect: the UID is empty or has a character that a token cannot hold
)

// String returns one line such as "pause point on web-1: Inert (Scale)".
func (w Warning) String() string {
	return fmt.Sprintf("pause point on %s: %s (%s)", w.Pod, w.Reason, w.Value)
}

// Decide returns how many pods of old ReplicaSets may be deleted before a pause point stops
// the rollout, and whether to pause the Deployment now. The argument pods has the pods of the
// namespace, and downs the scale-downs of one pass, in their order.
//
// A point is acknowledged after the rollout has paused at it and a user has resumed the
// rollout. In a rollout, no pod after a point that is not acknowledged is deleted. The pod
// with the point is deleted after the resume or, with the mode [After], once the snapshot
// shows the pause: a planner with an old snapshot cannot delete the pod before the pause.
// A plan has at most one pause; the later scale-downs of the rollout then delete no pods.
//
// Decide is for a planner of Deployments. A planner of ReplicaSets may call it too, to hold
// back deletions that the Deployment planner could not foresee. It ignores Pause.
func Decide(o podorder.Order, pods []podorder.Pod, downs []ScaleDown, state State) Plan {
	d := decision{order: o, pods: pods, state: state}
	d.token, d.known = ParseToken(state.Token)
	d.known = d.known && d.token.Revision == state.Revision
	d.hits = make(map[string]bool, len(d.token.Entries))
	for _, e := range d.token.Entries {
		d.hits[e.UID] = d.known
	}
	var plan Plan
	for i := range downs {
		plan.Delete = append(plan.Delete, max(0, d.limit(&downs[i], &plan)))
	}
	slices.SortStableFunc(plan.Warnings, func(a, b Warning) int { return cmp.Compare(a.Pod, b.Pod) })
	return plan
}

// A decision is the working state of Decide.
type decision struct {
	order podorder.Order
	pods  []podorder.Pod
	state State
	token Token
	known bool            // the token is valid and of the current revision
	hits  map[string]bool // the UIDs of the pods in a known token
}

// limit returns how many pods of one scale-down may be deleted.
func (d *decision) limit(down *ScaleDown, plan *Plan) int {
	points, waiting := d.survey(down, plan)
	switch {
	case down.Cause != CauseRollout:
		return down.N
	case plan.Pause != nil:
		return 0
	case d.state.Paused && d.known && !waiting:
		return 0 // the rollout is paused at a pod that is gone or of another ReplicaSet
	case !points:
		return down.N
	}
	victims := d.order.Victims(d.pods, down.Pods, down.N)
	for i, v := range victims {
		p := &d.pods[v]
		mode := d.armed(p)
		if mode == Never || d.acknowledged(p.UID) {
			continue
		}
		switch {
		case !d.state.Paused:
			plan.Pause = d.pause(p, mode)
		case mode == After && d.last(p.UID):
			return i + 1
		}
		return i
	}
	return down.N
}

// survey reports whether any pod of a scale-down has an armed point, see armed, and whether the
// most recent pause was at one of these pods. It adds the warnings to the plan.
func (d *decision) survey(down *ScaleDown, plan *Plan) (points, waiting bool) {
	n := len(down.Pods)
	if down.Pods == nil {
		n = len(d.pods)
	}
	for i := range n {
		index := i
		if down.Pods != nil {
			index = down.Pods[i]
		}
		if index < 0 || index >= len(d.pods) {
			continue
		}
		p := &d.pods[index]
		waiting = waiting || d.known && d.last(p.UID)
		if len(p.Annotations) == 0 {
			continue
		}
		points = points || d.armed(p) != Never
		d.warn(p, down, plan)
	}
	return points, waiting
}

// armed returns the mode of the pod's point, or Never if the point has no effect.
func (d *decision) armed(p *podorder.Pod) Mode {
	mode, _ := Parse(p.Annotations)
	if d.state.IgnoreUnready && !p.Ready || !recordable(p.UID) {
		return Never
	}
	return mode
}

func (d *decision) warn(p *podorder.Pod, down *ScaleDown, plan *Plan) {
	mode, valid := Parse(p.Annotations)
	if mode == Never || down.N <= 0 {
		return
	}
	w := Warning{Pod: p.Name, Value: p.Annotations[Annotation]}
	switch {
	case down.Cause != CauseRollout:
		w.Reason, w.Value = Inert, string(down.Cause)
	case !recordable(p.UID):
		w.Reason, w.Value = NoUID, p.UID
	case d.state.IgnoreUnready && !p.Ready:
		w.Reason = NotReady
	case !valid:
		w.Reason = Unreadable
	default:
		return
	}
	plan.Warnings = append(plan.Warnings, w)
}

// last reports whether the most recent pause of the rollout was at this pod.
func (d *decision) last(uid string) bool {
	return d.known && d.token.Entries[len(d.token.Entries)-1].UID == uid
}

// acknowledged reports whether the rollout has paused at this pod and was resumed.
func (d *decision) acknowledged(uid string) bool {
	return d.hits[uid] && !(d.state.Paused && d.last(uid))
}

// pause returns the write that pauses at p. Its token has the entries of the old token, without
// pods that are gone and without p, and then an entry for p.
func (d *decision) pause(p *podorder.Pod, mode Mode) *PauseDeployment {
	exists := map[string]bool{}
	for i := range d.pods {
		if d.hits[d.pods[i].UID] {
			exists[d.pods[i].UID] = true
		}
	}
	token := Token{Revision: d.state.Revision}
	for _, e := range d.token.Entries {
		if exists[e.UID] && e.UID != p.UID {
			token.Entries = append(token.Entries, e)
		}
	}
	token.Entries = append(token.Entries, Entry{Mode: mode, UID: p.UID})
	return &PauseDeployment{
		Name: d.state.Name, UID: d.state.UID, ResourceVersion: d.state.ResourceVersion,
		Token: token.String(), Pod: p.Name, Mode: mode,
	}
}
