// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
)

// reported looks at the pods of ReplicaSets that no file holds: only the statuses of their
// ReplicaSets tell of them. Why one is not ready nobody knows: it stays so if the rollout does
// not come on, and none of the template is ready.
func (b *belief) reported(sets []*appsv1.ReplicaSet, seen []*corev1.Pod, template func(*appsv1.ReplicaSet) string, p headway, now time.Time) {
	stay, become, told := 0, 0, len(b.broken) > 0
	for _, rs := range sets {
		uid, of := string(rs.UID), template(rs)
		n := int(rs.Status.Replicas - rs.Status.ReadyReplicas)
		if n <= 0 || slices.ContainsFunc(seen, func(p *corev1.Pod) bool { return ownerOf(p) == uid }) {
			continue
		}
		long := p.exceeded || now.Sub(later(rs.CreationTimestamp.Time, p.at)) > stuckAfter
		if !long || rs.Status.ReadyReplicas > 0 {
			become += n
			continue
		}
		stay += n
		b.broken[of] = true
	}
	if stay > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%s not ready, and not in the input, %s so", podsText(stay), verb(stay, "stays", "stay")))
	}
	if len(b.broken) > 0 && !told {
		b.notes = append(b.notes, noneReady)
	}
	if become > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%s not ready, and not in the input, %s ready", podsText(become), verb(become, "becomes", "become")))
	}
}

// A headway is when a rollout has come nearer to its end, and whether it has exceeded its
// deadline, as its conditions tell.
type headway struct {
	at       time.Time
	exceeded bool
}

func headwayOfArgo(r *manifest.ArgoRollout) (p headway) {
	for _, c := range r.Object.Status.Conditions {
		if c.Type == string(appsv1.DeploymentProgressing) {
			p = headway{c.LastUpdateTime.Time, c.Status == string(corev1.ConditionFalse)}
		}
	}
	return p
}
