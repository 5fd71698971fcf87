// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"maps"

	"github.com/kplan-go/kplan/internal/verify/random"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller"
)

// damage changes a few cases in ways that no API server stores.
func (g *draft) damage() {
	t, d := g.t, g.c.Deployment
	switch random.Weighted(t, "break", 74, 10, 2, 1, 1, 6, 2, 1, 1, 2) {
	case 1:
		g.forget()
	case 2:
		if d.Spec.Strategy.RollingUpdate != nil {
			d.Spec.Strategy.RollingUpdate.MaxSurge = Limit(t, "odd surge")
			d.Spec.Strategy.RollingUpdate.MaxUnavailable = Limit(t, "odd unavailable")
		}
	case 3:
		*random.OneOf(t, "negative", d.Spec.Replicas, d.Spec.ProgressDeadlineSeconds, d.Spec.RevisionHistoryLimit, &d.Spec.MinReadySeconds) = -1
	case 4:
		d.Spec.Strategy = appsv1.DeploymentStrategy{Type: "Canary"}
	case 5:
		g.rollBack()
	case 6:
		d.Spec.Selector = oddSelector(t)
	case 7:
		if len(g.c.ReplicaSets) > 0 {
			g.c.ReplicaSets[0].UID = ""
		}
	case 8:
		if len(g.c.ReplicaSets) > 0 {
			g.c.ReplicaSets[0].Spec.Replicas = new(int32(-1))
		}
	case 9:
		g.collide()
	}
}

// forget leaves out values that the API server would default.
func (g *draft) forget() {
	t, s := g.t, &g.c.Deployment.Spec
	for range 1 + random.Below(t, "forgotten", 3) {
		switch random.Below(t, "forget", 6) {
		case 0:
			s.Replicas = nil
		case 1:
			s.ProgressDeadlineSeconds = nil
		case 2:
			s.RevisionHistoryLimit = nil
		case 3:
			if s.Strategy.RollingUpdate != nil {
				s.Strategy.RollingUpdate.MaxSurge = nil
			}
		case 4:
			if s.Strategy.RollingUpdate != nil {
				s.Strategy.RollingUpdate.MaxUnavailable = nil
			}
		case 5:
			s.Strategy = appsv1.DeploymentStrategy{}
		}
	}
}

// rollBack asks for a former revision, mostly one that exists.
func (g *draft) rollBack() {
	t, d := g.t, g.c.Deployment
	d.Annotations = maps.Clone(d.Annotations)
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	d.Annotations["deprecated.deployment.rollback.to"] = random.OneOf(t, "rollback", "0", "1", "2", "3", "0", "1", "2", "99", "-3", "+4", "007", "bad", "")
	if !random.OneIn(t, "any state", 8) {
		d.Spec.Paused, d.DeletionTimestamp = random.OneIn(t, "paused", 4), nil
	}
}

// ownership makes some ReplicaSets orphans, and others such that the selector no longer
// matches them.
func (g *draft) ownership() {
	t, d := g.t, g.c.Deployment
	if random.Percent(t, "expressions", 10) {
		d.Spec.Selector = Selector(t, "app", "web")
	}
	for _, rs := range g.c.ReplicaSets {
		if !metav1.IsControlledBy(rs, d) {
			continue
		}
		switch random.Weighted(t, "ownership", 87, 6, 2, 3, 2) {
		case 1:
			rs.OwnerReferences = rs.OwnerReferences[:len(rs.OwnerReferences)-1]
		case 2:
			rs.OwnerReferences[len(rs.OwnerReferences)-1].Controller = random.OneOf(t, "flag", nil, new(false))
		case 3:
			rs.Labels = random.OneOf(t, "set labels", map[string]string{"app": "former"}, nil)
		case 4:
			rs.Labels = maps.Clone(rs.Labels)
			rs.Labels["tier"] = "x"
		}
	}
}

// collide gives the name of the new ReplicaSet to a ReplicaSet with another template.
func (g *draft) collide() {
	d, sets := g.c.Deployment, g.c.ReplicaSets
	if len(sets) == 0 {
		return
	}
	hash := controller.ComputeHash(&d.Spec.Template, d.Status.CollisionCount)
	rs := sets[len(sets)-1]
	rs.Name = d.Name + "-" + hash
	rs.Spec.Template = bare(templates, rs.Spec.Template.Labels)
}
