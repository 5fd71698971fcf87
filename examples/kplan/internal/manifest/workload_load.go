// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/kube"
)

// assignDeployments completes the Deployments with their ReplicaSets and pods.
func (l *loader) assignDeployments(s *Set) error {
	files, namespaces := map[string]string{}, l.namespaces()
	s.Workloads = make([]Workload, 0, len(l.deployments))
	for _, source := range l.deployments {
		h, d := source.object, source.object.open()
		w := Workload{File: source.file, limits: l.limitObjects, failures: l.failures, held: h, shared: &s.Shared, namespace: namespaces[h.namespace]}
		before := d.Spec.Replicas
		w.scaled = l.autoscale("Deployment", d, &d.Spec.Replicas)
		if d.Spec.Replicas != before {
			h.replicas = d.Spec.Replicas
		}
		if first, ok := files[w.Key()]; ok {
			return w.Invalid(fmt.Errorf("there is one of this name already, in %s", first))
		}
		files[w.Key()] = source.file
		if err := kube.Validate(d); err != nil {
			if err = l.reject(w.ID(), w.Invalid(err)); err != nil {
				return err
			}
			continue
		}
		h.hadSets = hadSets(d)
		h.identify()
		h.close()
		s.Workloads = append(s.Workloads, w)
	}
	return l.assignReplicaSets(s)
}

func (l *loader) assignReplicaSets(s *Set) error {
	owners, deployments := map[types.UID]int{}, s.byUID() // of ReplicaSets
	for _, source := range l.replicaSets {
		rs := source.object
		if !rs.controlled {
			s.offer(rs)
			continue
		}
		i, ok := deployments[rs.owner()]
		if !ok {
			continue // no Deployment of the input controls it
		}
		if rs.wrong != nil {
			return &Error{File: source.file, Object: rs.describe(), Err: rs.wrong}
		}
		owners[rs.uid] = i
		s.Workloads[i].sets = append(s.Workloads[i].sets, rs)
	}
	for _, p := range l.pods {
		owner := metav1.GetControllerOfNoCopy(p.object)
		if owner == nil {
			continue
		}
		if i, ok := owners[owner.UID]; ok {
			s.Workloads[i].Pods = append(s.Workloads[i].Pods, p.object)
		}
	}
	return nil
}

// byUID returns the indexes of the Deployments by UID and namespace.
func (s *Set) byUID() map[owner]int {
	places := map[owner]int{}
	for i := range s.Workloads {
		o := owner{s.Workloads[i].held.uid, s.Workloads[i].held.namespace}
		if _, ok := places[o]; !ok {
			places[o] = i
		}
	}
	return places
}

// offer gives a ReplicaSet without a controller to every Deployment of its namespace: the planner
// decides which one adopts it.
func (s *Set) offer(rs *heldSet) {
	for i := range s.Workloads {
		if s.Workloads[i].held.namespace == rs.namespace {
			s.Workloads[i].sets = append(s.Workloads[i].sets, rs)
		}
	}
}

// withdraw removes a ReplicaSet from the Deployments that it was offered to.
func (s *Set) withdraw(rs *heldSet) {
	for i := range s.Workloads {
		w := &s.Workloads[i]
		w.sets = slices.DeleteFunc(w.sets, func(o *heldSet) bool { return o == rs })
	}
}
