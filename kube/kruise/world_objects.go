// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// AddToWorld adds the objects that a pass of a Rollout reads in a namespace, other than its
// workload, to the start of a world: the Rollout, if it has a name, its BatchRelease, and the
// objects of its traffic. Names and references become "namespace/name". Objects that exist
// already, such as Services, are not added again. It shares with s the parts that contain no
// names.
func AddToWorld(w *cluster.Snapshot, namespace string, s kruise.Snapshot) {
	if w == nil {
		return
	}
	in := within(namespace)
	if s.Rollout.Name != "" {
		in.rollout(w, s.Rollout)
	}
	if s.BatchRelease != nil {
		br := *s.BatchRelease
		br.Name, br.WorkloadRef.Name = in.name(br.Name), in.name(br.WorkloadRef.Name)
		w.Releases = append(w.Releases, br)
	}
	t := s.Traffic
	for _, service := range []*traffic.Service{t.Stable, t.Canary} {
		if service != nil && !slices.ContainsFunc(w.Services, func(o traffic.Service) bool { return o.Name == in.name(service.Name) }) {
			w.Services = append(w.Services, traffic.Service{Name: in.name(service.Name), Selector: service.Selector})
		}
	}
	for _, ingress := range []*traffic.Ingress{t.Ingress, t.CanaryIngress} {
		if ingress != nil && !slices.ContainsFunc(w.Ingresses, func(o traffic.Ingress) bool { return o.Name == in.name(ingress.Name) }) {
			w.Ingresses = append(w.Ingresses, traffic.Ingress{Name: in.name(ingress.Name), Annotations: ingress.Annotations})
		}
	}
	if t.Route != nil && !slices.ContainsFunc(w.Routes, func(o traffic.Route) bool { return o.Name == in.name(t.Route.Name) }) {
		w.Routes = append(w.Routes, in.route(*t.Route))
	}
}

// within is a namespace. In a world it is part of the names of its objects.
type within string

func (n within) name(name string) string {
	if n == "" || name == "" {
		return name
	}
	return string(n) + "/" + name
}

// rollout adds a Rollout. The hash of its steps covers names, which change here: where the
// Rollout holds the hash of its own steps, it gets the new hash. Its Deployment gets the
// template name that the Rollout knows.
func (n within) rollout(w *cluster.Snapshot, r kruise.Rollout) {
	before := kruise.StrategyHash(r)
	r.Name, r.WorkloadRef.Name = n.name(r.Name), n.name(r.WorkloadRef.Name)
	r.Canary, r.BlueGreen = n.strategy(r.Canary), n.strategy(r.BlueGreen)
	after := kruise.StrategyHash(r)
	if r.Annotations[workload.AnnotationHash] == before {
		r.Annotations = convert.With(nil, r.Annotations)
		r.Annotations[workload.AnnotationHash] = after
	}
	if sub := r.Status.Sub; sub != nil {
		own := *sub
		if own.RolloutHash == before {
			own.RolloutHash = after
		}
		r.Status.Sub = &own
		n.nameRevision(w, &r)
	}
	w.Rollouts = append(w.Rollouts, r)
}

// nameRevision gives the template of a Deployment the name by which its Rollout knows it. This
// name may differ from the hash by this release of the API: the status pairs it with the label
// of the pods.
func (n within) nameRevision(w *cluster.Snapshot, r *kruise.Rollout) {
	switch r.Status.ProgressingReason() {
	case kruise.ProgressInRolling, kruise.ProgressPaused, kruise.ProgressFinalising:
	default:
		return
	}
	if r.Status.Phase != kruise.PhaseProgressing || r.WorkloadRef.Kind != "Deployment" || r.Status.Sub.Revision == "" {
		return
	}
	i := slices.IndexFunc(w.Deployments, func(d deploy.Deployment) bool { return d.Name == r.WorkloadRef.Name })
	if i < 0 {
		return
	}
	for _, rs := range w.ReplicaSets {
		if hash := rs.Template.Hash; rs.Template.Same(w.Deployments[i].Template) && hash != "" && hash == r.Status.Sub.PodTemplateHash {
			w.Deployments[i].Template.Hash = r.Status.Sub.Revision
		}
	}
}

func (n within) strategy(s *kruise.Strategy) *kruise.Strategy {
	if s == nil || len(s.TrafficRoutings) == 0 {
		return s
	}
	own := *s
	own.TrafficRoutings = slices.Clone(s.TrafficRoutings)
	for i := range own.TrafficRoutings {
		t := &own.TrafficRoutings[i]
		t.Service = n.name(t.Service)
		if t.Ingress != nil {
			t.Ingress = &traffic.IngressRef{ClassType: t.Ingress.ClassType, Name: n.name(t.Ingress.Name)}
		}
		if t.Gateway != nil && t.Gateway.HTTPRouteName != nil {
			name := n.name(*t.Gateway.HTTPRouteName)
			t.Gateway = &traffic.GatewayRef{HTTPRouteName: &name}
		}
	}
	return &own
}

func (n within) route(r traffic.Route) traffic.Route {
	r.Name, r.Rules = n.name(r.Name), slices.Clone(r.Rules)
	for i := range r.Rules {
		rule := &r.Rules[i]
		rule.BackendRefs = slices.Clone(rule.BackendRefs)
		for j := range rule.BackendRefs {
			rule.BackendRefs[j].Name = n.name(rule.BackendRefs[j].Name)
		}
	}
	return r
}

// AddToWorld adds the Rollout as [AddToWorld] does.
func (o *RolloutObject) AddToWorld(w *cluster.Snapshot) error {
	AddToWorld(w, o.Namespace, kruise.Snapshot{Rollout: Rollout(o)})
	return nil
}

// AddToWorld adds the Rollout as [AddToWorld] does.
func (o *RolloutObjectV1alpha1) AddToWorld(w *cluster.Snapshot) error {
	AddToWorld(w, o.Namespace, kruise.Snapshot{Rollout: RolloutV1alpha1(o).Convert()})
	return nil
}

// AddToWorld adds the BatchRelease as [AddToWorld] does.
func (o *BatchReleaseObject) AddToWorld(w *cluster.Snapshot) error {
	br := BatchRelease(o)
	AddToWorld(w, o.Namespace, kruise.Snapshot{BatchRelease: &br})
	return nil
}

// AddToWorld adds the BatchRelease as [AddToWorld] does.
func (o *BatchReleaseObjectV1alpha1) AddToWorld(w *cluster.Snapshot) error {
	br := BatchReleaseV1alpha1(o)
	AddToWorld(w, o.Namespace, kruise.Snapshot{BatchRelease: &br})
	return nil
}

// AddToWorld adds the route as [AddToWorld] does. The error is the one of [HTTPRoute].
func (o *HTTPRouteObject) AddToWorld(w *cluster.Snapshot) error {
	r, err := HTTPRoute(o)
	if err == nil {
		AddToWorld(w, o.Namespace, kruise.Snapshot{Traffic: traffic.Objects{Route: &r}})
	}
	return err
}

// WorldSet returns the CloneSet for a world, with its namespace. If its strategy says so, pods
// are updated in place, assuming that only images change. The error wraps [kplan.ErrInvalid].
func (o *CloneSetObject) WorldSet() (cluster.Set, *corev1.PodTemplateSpec, error) {
	w, err := CloneSet(o)
	s := cluster.Set{Workload: w, InPlace: updatesInPlace(o.Spec.UpdateStrategy.Type)}
	if limit, err := convert.IntOrPercent(o.Spec.ScaleStrategy.MaxUnavailable); err == nil { // OpenKruise has none if it cannot be read
		s.ScaleUnavailable = limit
	}
	return s, &o.Spec.Template, err
}

// WorldSet returns the StatefulSet for a world, with its namespace. If its strategy says so,
// pods are updated in place, assuming that only images change. The error wraps
// [kplan.ErrInvalid].
func (o *AdvancedStatefulSetObject) WorldSet() (cluster.Set, *corev1.PodTemplateSpec, error) {
	w, err := AdvancedStatefulSet(o, nil)
	return cluster.Set{
		Workload: w, Parallel: o.Spec.PodManagementPolicy == string(appsv1.ParallelPodManagement),
		InPlace: updatesInPlace(convert.Or(o.Spec.UpdateStrategy.RollingUpdate).PodUpdatePolicy),
	}, &o.Spec.Template, err
}

// updatesInPlace reports whether a strategy updates pods in place: InPlaceIfPossible or
// InPlaceOnly.
func updatesInPlace(strategy string) bool { return strings.HasPrefix(strategy, "InPlace") }
