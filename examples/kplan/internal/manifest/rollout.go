// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A Rollout is one of OpenKruise with its BatchRelease, its workload and what leads
// traffic to it.
type Rollout struct {
	File      string
	Namespace string

	Snapshot kruise.Snapshot
	Workload workload.Workload
	Batch    *batchrelease.Snapshot // nil if there is no BatchRelease
	Pods     []*corev1.Pod          // of the workload

	Deployment *Workload  // the workload, if it is a Deployment
	Set        *PodSet    // the workload, if it is a CloneSet or a StatefulSet
	DaemonSet  *DaemonSet // the workload, if it is a DaemonSet that has nodes
	Canaries   []Workload // Deployments that the Rollout has made beside it

	limits *limitObjects
}

// Name returns what messages call the Rollout.
func (r *Rollout) Name() string { return describe("Rollout", r.Snapshot.Rollout.Name) }

// Invalid returns err as an error of the Rollout.
func (r *Rollout) Invalid(err error) error {
	return &Error{File: r.File, Object: r.Name(), Err: err}
}

// A namespaced is something and its namespace.
type namespaced[T any] struct {
	namespace string
	object    T
}

// A storedRollout is a Rollout and why admission rejects it, nil if it does not.
type storedRollout struct {
	namespaced[kruise.Rollout]
	rejected error
}

// progressive are the objects that only Rollouts look at.
type progressive struct {
	rollouts  []source[storedRollout]
	releases  []source[namespaced[batchrelease.Release]]
	cloneSets []source[kubekruise.CloneSetObject]
	statefuls []source[appsv1.StatefulSet]
	advanced  []source[kubekruise.AdvancedStatefulSetObject]
	services  []source[corev1.Service]
	ingresses []source[networkingv1.Ingress]
	routes    []source[kubekruise.HTTPRouteObject]
	routings  []source[trafficRouting]

	passed map[string]int // by kind: how many are passed over if there is no Rollout
}

// A trafficRouting is a TrafficRouting object, as far as Rollouts look at it.
type trafficRouting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// addProgressive adds an object that only Rollouts look at. It reports whether it is
// one.
func (l *loader) addProgressive(u *unstructured.Unstructured, file string) (bool, error) {
	p := &l.progressive
	switch u.GroupVersionKind().GroupKind().String() + " " + u.GetAPIVersion() {
	case "Rollout.rollouts.kruise.io " + kubekruise.V1beta1:
		return true, addAs(l, &p.rollouts, u, file, readRollout)
	case "Rollout.rollouts.kruise.io " + kubekruise.V1alpha1:
		return true, addAs(l, &p.rollouts, u, file, readRolloutV1alpha1)
	case "BatchRelease.rollouts.kruise.io " + kubekruise.V1beta1:
		return true, addAs(l, &p.releases, u, file, func(o *kubekruise.BatchReleaseObject) *namespaced[batchrelease.Release] {
			return &namespaced[batchrelease.Release]{o.Namespace, kubekruise.BatchRelease(o)}
		})
	case "BatchRelease.rollouts.kruise.io " + kubekruise.V1alpha1:
		return true, addAs(l, &p.releases, u, file, func(o *kubekruise.BatchReleaseObjectV1alpha1) *namespaced[batchrelease.Release] {
			return &namespaced[batchrelease.Release]{o.Namespace, kubekruise.BatchReleaseV1alpha1(o)}
		})
	}
	var list func() error
	switch gk := u.GroupVersionKind().GroupKind().String(); gk {
	case "CloneSet.apps.kruise.io":
		list = func() error { return addLoose(l, &p.cloneSets, u, file, defaultCloneSet) }
	case "StatefulSet.apps":
		list = func() error { return addLoose(l, &p.statefuls, u, file, kube.Default[appsv1.StatefulSet]) }
	case "StatefulSet.apps.kruise.io":
		list = func() error { return addLoose(l, &p.advanced, u, file, defaultAdvanced) }
	case "Service":
		list = func() error { return addLoose(l, &p.services, u, file) }
	case "Ingress.networking.k8s.io":
		list = func() error { return addLoose(l, &p.ingresses, u, file) }
	case "HTTPRoute.gateway.networking.k8s.io":
		list = func() error { return addLoose(l, &p.routes, u, file) }
	case "HorizontalPodAutoscaler.autoscaling":
		list = func() error { return addLoose(l, &l.autoscalers, u, file) }
	case "TrafficRouting.rollouts.kruise.io":
		list = func() error { return addLoose(l, &p.routings, u, file) }
	default:
		return false, nil
	}
	if !isAutoscaler(u) {
		count(&p.passed, u, file)
	}
	return true, list()
}

// addLoose decodes an object of which only some fields are looked at, and adds what some
// functions make of it.
func addLoose[T any](l *loader, list *[]source[T], u *unstructured.Unstructured, file string, convert ...func(*T) *T) error {
	notes := len(l.notes)
	err := addAs(l, list, u, file, func(object *T) *T {
		for _, f := range convert {
			object = f(object)
		}
		return object
	})
	l.notes = l.notes[:notes]
	return err
}

// errNoWorkload tells that nothing can be said about a Rollout.
var errNoWorkload = errors.New("its workload is not in the input")

// assignRollouts puts together Rollouts with what they need.
func (l *loader) assignRollouts(s *Set) error {
	p := &l.progressive
	files := map[string]string{}
	for _, source := range p.rollouts {
		r := Rollout{File: source.file, Namespace: source.object.namespace, limits: l.limitObjects}
		r.Snapshot.Rollout = source.object.object
		if r.Snapshot.Rollout.Name == "" {
			return r.Invalid(&kube.FieldError{Path: "metadata.name", Value: "", Detail: "must be set"})
		}
		if err := source.object.rejected; err != nil {
			if err = l.reject(r.ID(), r.Invalid(err)); err != nil {
				return err
			}
			continue
		}
		key := r.Namespace + "/" + r.Snapshot.Rollout.Name
		if first, ok := files[key]; ok {
			return r.Invalid(fmt.Errorf("there is one of this name already, in %s", first))
		}
		files[key] = r.File
		for _, br := range p.releases {
			if br.object.namespace == r.Namespace && br.object.object.Name == r.Snapshot.Rollout.Name {
				r.Snapshot.BatchRelease = &br.object.object
			}
		}
		found, err := l.workloadOf(&r)
		if err != nil {
			return r.Invalid(err)
		}
		if !found || l.rejected(r.WorkloadID()) {
			s.Notes = append(s.Notes, fmt.Sprintf("%s: skipped %s: %v", r.File, r.Name(), errNoWorkload))
			continue
		}
		if err := l.trafficOf(&r); err != nil {
			return r.Invalid(err)
		}
		r.takeDeployments(s.Workloads)
		for i := range s.PodSets {
			if set := &s.PodSets[i]; set.Object.GetNamespace() == r.Namespace && set.Set.GroupKind() == r.Workload.GroupKind() && set.Set.Name == r.Workload.Name {
				r.Set = set
			}
		}
		for i := range s.DaemonSets {
			if d := &s.DaemonSets[i]; r.Runs(d) {
				r.DaemonSet = d
			}
		}
		s.Rollouts = append(s.Rollouts, r)
	}
	return nil
}

// takeDeployments keeps those of a list that the Rollout releases.
func (r *Rollout) takeDeployments(list []Workload) {
	for _, w := range list {
		if !r.Releases(&w) {
			continue
		}
		if w.Open(); w.Deployment.Name == r.Workload.Name {
			r.Deployment = &w
		} else {
			r.Canaries = append(r.Canaries, w)
		}
	}
}

// Releases reports whether a Deployment is that of the Rollout, or one that it has made
// beside it.
func (r *Rollout) Releases(w *Workload) bool {
	ref, o := r.Workload.Ref, w.head()
	return ref.Group() == "apps" && ref.Kind == "Deployment" && r.Namespace == o.namespace &&
		(ref.Name == o.name || w.held != nil && ref.Name == w.held.canaryOf)
}

// Runs reports whether a DaemonSet is that of the Rollout.
func (r *Rollout) Runs(d *DaemonSet) bool {
	ref := r.Workload.Ref
	return ref.Kind == daemonset.Kind && (ref.Group() != "apps") == (d.Advanced != nil) && r.Namespace == d.Object.Namespace && ref.Name == d.Object.Name
}

// named returns the object of a name in a namespace, or nil.
func named[T any](list []source[T], namespace, name string) *T {
	for _, source := range list {
		if o, ok := any(source.object).(metav1.Object); ok && o.GetNamespace() == namespace && o.GetName() == name {
			return source.object
		}
	}
	return nil
}

// trafficOf finds what leads traffic to the pods of a Rollout.
func (l *loader) trafficOf(r *Rollout) error {
	p, s := &l.progressive, &r.Snapshot
	if name := s.Rollout.Annotations[workload.AnnotationTrafficRouting]; name != "" {
		if t := named(p.routings, r.Namespace, name); t != nil {
			s.Shared = &kruise.SharedRouting{Name: t.Name, UID: string(t.UID), Phase: t.Status.Phase, Finalizers: t.Finalizers}
		}
	}
	strategy := s.Rollout.Strategy()
	if strategy == nil || len(strategy.TrafficRoutings) == 0 {
		return nil
	}
	routing := &strategy.TrafficRoutings[0]
	s.Traffic.Stable = l.service(r.Namespace, routing.Service)
	s.Traffic.Canary = l.service(r.Namespace, routing.Service+"-canary")
	if ref := routing.Ingress; ref != nil {
		s.Traffic.Ingress = l.ingress(r.Namespace, ref.Name)
		s.Traffic.CanaryIngress = l.ingress(r.Namespace, ref.Name+"-canary")
	}
	if ref := routing.Gateway; ref != nil && ref.HTTPRouteName != nil {
		if o := named(p.routes, r.Namespace, *ref.HTTPRouteName); o != nil {
			route, err := kubekruise.HTTPRoute(o)
			if err != nil {
				return err
			}
			s.Traffic.Route = &route
		}
	}
	return nil
}

func (l *loader) service(namespace, name string) *traffic.Service {
	if o := named(l.services, namespace, name); o != nil {
		return new(kubekruise.Service(o))
	}
	return nil
}

func (l *loader) ingress(namespace, name string) *traffic.Ingress {
	if o := named(l.ingresses, namespace, name); o != nil {
		return new(kubekruise.Ingress(o))
	}
	return nil
}
