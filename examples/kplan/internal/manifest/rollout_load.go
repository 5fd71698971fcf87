// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"

	"github.com/kplan-go/kplan"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// errNoWorkload is the error for a Rollout without its workload.
var errNoWorkload = errors.New("its workload is not in the input")

// assignRollouts completes the Rollouts of OpenKruise with their workloads and traffic objects.
func (l *loader) assignRollouts(s *Set) error {
	p := &l.progressive
	files := map[string]string{}
	for _, source := range p.rollouts {
		r := Rollout{File: source.file, Namespace: source.object.namespace, limits: l.limitObjects, shared: &s.Shared, nodes: s.nodes}
		r.Snapshot.Rollout = source.object.object
		if r.Snapshot.Rollout.Name == "" {
			return r.Invalid(&kplan.FieldError{Path: "metadata.name", Value: "", Detail: "must be set"})
		}
		note, err := l.admission.judge(source.object)
		if note != nil {
			s.Notes = append(s.Notes, r.Invalid(note).Error())
		}
		if err != nil {
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

// takeDeployments gives the Rollout the Deployments of a list that it releases.
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

// trafficOf finds the objects that route traffic to the pods of a Rollout.
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
