// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/kube"
)

// loadDeployments returns the Deployments with their ReplicaSets and pods.
func (l *loader) loadDeployments(around *surroundings) ([]Workload, error) {
	taken, namespaces := names{}, l.namespaces()
	list := make([]Workload, 0, len(l.deployments))
	for _, source := range l.deployments {
		h, d := source.object, source.object.open()
		w := Workload{File: source.file, surroundings: around, failures: l.failures, held: h, namespace: namespaces[h.namespace]}
		before := d.Spec.Replicas
		w.scaled = l.autoscale("Deployment", d, &d.Spec.Replicas)
		if d.Spec.Replicas != before {
			h.replicas = d.Spec.Replicas
		}
		if err := taken.take(w.Key(), w.File); err != nil {
			return nil, w.Invalid(err)
		}
		if err := kube.Validate(d); err != nil {
			if err = l.reject(w.ID(), w.Invalid(err)); err != nil {
				return nil, err
			}
			continue
		}
		h.hadSets = hadSets(d)
		h.identify()
		h.close()
		list = append(list, w)
	}
	return list, l.assignReplicaSets(list)
}

// assignReplicaSets gives Deployments their ReplicaSets and the pods of these.
func (l *loader) assignReplicaSets(list []Workload) error {
	owners, deployments := map[types.UID]int{}, byUID(list) // of ReplicaSets
	for _, source := range l.replicaSets {
		rs := source.object
		if !rs.controlled {
			offer(list, rs)
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
		list[i].sets = append(list[i].sets, rs)
	}
	for _, p := range l.pods {
		owner := metav1.GetControllerOfNoCopy(p.object)
		if owner == nil {
			continue
		}
		if i, ok := owners[owner.UID]; ok {
			list[i].Pods = append(list[i].Pods, p.object)
		}
	}
	return nil
}

// byUID returns the indexes of the Deployments by UID and namespace.
func byUID(list []Workload) map[owner]int {
	places := map[owner]int{}
	for i := range list {
		o := owner{list[i].held.uid, list[i].held.namespace}
		if _, ok := places[o]; !ok {
			places[o] = i
		}
	}
	return places
}

// offer gives a ReplicaSet without a controller to every Deployment of its namespace: the planner
// decides which one adopts it.
func offer(list []Workload, rs *heldSet) {
	for i := range list {
		if list[i].held.namespace == rs.namespace {
			list[i].sets = append(list[i].sets, rs)
		}
	}
}

// withdraw removes a ReplicaSet from the Deployments that it was offered to.
func withdraw(list []Workload, rs *heldSet) {
	for i := range list {
		w := &list[i]
		w.sets = slices.DeleteFunc(w.sets, func(o *heldSet) bool { return o == rs })
	}
}
