// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	simulated "github.com/kplan-go/kplan/rollout/sim/cluster"
)

// loadPodSets returns the CloneSets and StatefulSets of a source.
func (l *loader) loadPodSets() ([]PodSet, error) {
	var list []PodSet
	taken := names{}
	add := func(kind, group string, s PodSet, err error) error {
		if err == nil {
			err = taken.take(s.Key(), s.File)
		}
		if err == nil {
			list = append(list, s)
			return nil
		}
		id := ID{kind, group, s.Object.GetNamespace(), s.Object.GetName()}
		if err = l.reject(id, s.Invalid(err)); err != nil && !l.released(id) {
			l.notes = append(l.notes, fmt.Sprintf("%s: skipped %s: %s", s.File, describe(kind, id.Name), files.Cause(err)))
			return nil
		}
		return err
	}
	for _, source := range l.cloneSets {
		o := source.object
		w, err := kubekruise.CloneSet(o)
		s := PodSet{File: source.file, Object: o, template: &o.Spec.Template, policy: o.Spec.UpdateStrategy.Type}
		s.Set = simulated.Set{Workload: w, ScaleUnavailable: limit(o.Spec.ScaleStrategy.MaxUnavailable)}
		if err := add("CloneSet", kruiseApps, s, err); err != nil {
			return nil, err
		}
	}
	for _, source := range l.statefuls {
		o := source.object
		w, err := kubekruise.StatefulSet(o, l.podsOf(o.Namespace))
		s := PodSet{File: source.file, Object: o, template: &o.Spec.Template}
		s.Set = simulated.Set{Workload: w, Parallel: o.Spec.PodManagementPolicy == appsv1.ParallelPodManagement}
		if err := add("StatefulSet", "apps", s, err); err != nil {
			return nil, err
		}
	}
	for _, source := range l.advanced {
		o := source.object
		w, err := kubekruise.AdvancedStatefulSet(o, l.podsOf(o.Namespace))
		s := PodSet{File: source.file, Object: o, template: &o.Spec.Template}
		if rolling := o.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
			s.policy = rolling.PodUpdatePolicy
		}
		s.Set = simulated.Set{Workload: w, Parallel: o.Spec.PodManagementPolicy == string(appsv1.ParallelPodManagement)}
		if err := add("StatefulSet", kruiseApps, s, err); err != nil {
			return nil, err
		}
	}
	l.completePodSets(list)
	return list, nil
}

// limit returns the number or percentage of a limit. A limit that cannot be read counts as unset,
// as in OpenKruise.
func limit(v *intstr.IntOrString) rollout.IntOrPercent {
	n, err := kube.IntOrPercent(v)
	if err != nil {
		return rollout.IntOrPercent{}
	}
	return n
}

// released reports whether a Rollout of the input names a workload.
func (l *loader) released(id ID) bool {
	return slices.ContainsFunc(l.rollouts, func(s source[storedRollout]) bool {
		ref := s.object.object.WorkloadRef
		return ref.Kind == id.Kind && ref.Group() == id.Group && ref.Name == id.Name && sameNamespace(s.object.namespace, id.Namespace)
	})
}

// completePodSets adds the template labels and the pods of sets.
func (l *loader) completePodSets(list []PodSet) {
	for i := range list {
		s := &list[i]
		s.Set.TemplateLabels = s.template.Labels
		s.Pods = ownedBy(s.Object, nil, l.podsOf(s.Object.GetNamespace()))
	}
}
