// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// The fence limits the sum of the sizes of a Deployment's ReplicaSets while several
// processes work on it. The precondition of a write guards one ReplicaSet, but the limit is
// for all: a process with a stale cache may grow one ReplicaSet into the room that another
// process has given to a second one.
//
// Therefore a pass that grows ReplicaSets first records in the Deployment which ReplicaSets
// it has seen, at which versions, and which of them it will grow. The record replaces the
// one that the pass has read; if there is a newer one, the write is a conflict. The next
// process has to read the record, and grows nothing while
//
//  - its cache is older than the versions in the record: it could miss an earlier growth;
//  - one of the recorded growths may still arrive. Its precondition is the recorded version,
//    so once the cache shows a later version, it has arrived or never will.
//
// If a process dies between record and growth, the growth may or may not arrive. For a plan
// that grows only this ReplicaSet, from this version, it does not matter: one of the two
// writes fails. Any other plan waits for a while and then annotates the ReplicaSet, which
// gives it a later version.
//
// The name of a new ReplicaSet has no version yet. It is therefore created without pods and
// grows in the next pass.
//
// The record is a condition of the status, not an annotation: kubectl rollout undo and
// kubectl replace overwrite all annotations, but only controllers write the status.

// ConditionGrowth is the type of a condition of a Deployment: the record of its last
// growth, see [Options.Fence].
const ConditionGrowth = "kplan-go.github.io/Growth"

// AnnotationFence is the annotation that voids a growth of a ReplicaSet that may still
// arrive: writing it changes the version. Its value is the version before.
const AnnotationFence = "kplan-go.github.io/fence"

// An observedSet is a ReplicaSet as a pass has read it.
type observedSet struct {
	Name    string `json:"name"`
	UID     string `json:"uid"`
	Version string `json:"version"`
	Size    int32  `json:"size"`
	To      int32  `json:"to,omitempty"` // the size that the pass gives it, if it grows
}

// A growth is the record of a pass that grows ReplicaSets: all ReplicaSets of the
// Deployment that grow or have pods.
type growth []observedSet

// growing returns the record for a plan of d. It is empty if the plan grows nothing.
func growing(d *appsv1.Deployment, p deploy.Plan, sets []*appsv1.ReplicaSet) growth {
	to := map[string]int32{}
	for _, a := range p.Actions {
		if s, ok := a.(deploy.ScaleReplicaSet); ok && s.To > s.From {
			to[s.Name] = s.To
		}
	}
	if len(to) == 0 {
		return nil
	}
	var g growth
	for _, rs := range sets {
		if s := observedSetOf(rs); s.Size > 0 && metav1.IsControlledBy(rs, d) || to[rs.Name] > 0 {
			s.To = to[rs.Name]
			g = append(g, s)
		}
	}
	return g
}

// observedSetOf returns a ReplicaSet that does not grow.
func observedSetOf(rs *appsv1.ReplicaSet) observedSet {
	s := observedSet{Name: rs.Name, UID: string(rs.UID), Version: rs.ResourceVersion, Size: 1} // as the API server defaults
	if rs.Spec.Replicas != nil {
		s.Size = *rs.Spec.Replicas
	}
	return s
}

// An obstacle lists the reasons why a plan may not grow anything yet.
type obstacle struct {
	// The cache is older than the record.
	behind bool
	// missing are ReplicaSets that the cache does not have. If the API server does not have
	// one either, it is gone and no obstacle; otherwise the cache is too old.
	missing []observedSet
	// pending are growths that may still arrive.
	pending []observedSet
}

// against returns the obstacle that the record r is to the growth next, which was
// planned from the cached ReplicaSets.
func (r growth) against(next growth, cached []observedSet) obstacle {
	var o obstacle
	for _, s := range r {
		i := slices.IndexFunc(cached, func(c observedSet) bool { return c.UID == s.UID })
		if i < 0 {
			o.missing = append(o.missing, s)
			continue
		}
		switch c, comparable := expect.CompareVersions(cached[i].Version, s.Version); {
		case !comparable || c < 0:
			o.behind = true
		case c == 0 && s.To > s.Size:
			o.pending = append(o.pending, s)
		}
	}
	if len(o.pending) == 1 && next.only(o.pending[0]) {
		o.pending = nil
	}
	return o
}

// only reports whether the record grows a single ReplicaSet, from the same version as s:
// of these two writes one fails.
func (r growth) only(s observedSet) bool {
	grows := slices.DeleteFunc(slices.Clone(r), func(s observedSet) bool { return s.To <= s.Size })
	return len(grows) == 1 && grows[0].UID == s.UID && grows[0].Version == s.Version
}

// stepwise returns the part of a plan that the fence can guard. It ends after the creation
// of a ReplicaSet, which is created without pods, and before the growth of a ReplicaSet
// that the plan has already written to, since its version is not known beforehand.
func stepwise(p deploy.Plan) deploy.Plan {
	written := map[string]bool{}
	for i, a := range p.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			if a.Replicas > 0 {
				a.Replicas = 0
				return upTo(p, i, a)
			}
			written[a.Name] = true
		case deploy.ScaleReplicaSet:
			if a.To > a.From && written[a.Name] {
				return upTo(p, i)
			}
			written[a.Name] = true
		case deploy.AdoptReplicaSet:
			written[a.Name] = true
		case deploy.AnnotateReplicaSet:
			written[a.Name] = true
		}
	}
	return p
}

// recorded returns the record of a Deployment.
func recorded(d *appsv1.Deployment) (growth, error) {
	for _, c := range d.Status.Conditions {
		if c.Type == ConditionGrowth {
			var g growth
			if err := json.Unmarshal([]byte(c.Message), &g); err != nil {
				return nil, fmt.Errorf("condition %s: %w", ConditionGrowth, err)
			}
			return g, nil
		}
	}
	return nil, nil
}

// recording returns a copy of a Deployment with a record.
func recording(d *appsv1.Deployment, g growth, now metav1.Time) (*appsv1.Deployment, error) {
	text, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	d = d.DeepCopy()
	d.Status.Conditions = append(slices.DeleteFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool { return c.Type == ConditionGrowth }),
		appsv1.DeploymentCondition{
			Type: ConditionGrowth, Status: corev1.ConditionTrue, Reason: "Recorded", Message: string(text), LastUpdateTime: now, LastTransitionTime: now,
		})
	return d, nil
}

// upTo returns the part of a plan before action i, with other actions instead of the rest,
// and the events of that part.
func upTo(p deploy.Plan, i int, instead ...deploy.Action) deploy.Plan {
	p.Actions = append(slices.Clone(p.Actions[:i]), instead...)
	p.Events = slices.DeleteFunc(slices.Clone(p.Events), func(e kplan.Event) bool { return e.Action >= i })
	return p
}
