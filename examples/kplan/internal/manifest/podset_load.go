// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
)

// podSets returns the sets of a source.
func (l *loader) podSets() ([]PodSet, error) {
	var list []PodSet
	add := func(kind, group string, s PodSet, err error) error {
		if err != nil {
			return l.reject(ID{kind, group, s.Object.GetNamespace(), s.Object.GetName()}, s.Invalid(err))
		}
		list = append(list, s)
		return nil
	}
	for _, source := range l.cloneSets {
		o := source.object
		w, err := kubekruise.CloneSet(o)
		s := PodSet{File: source.file, Object: o, template: &o.Spec.Template, policy: o.Spec.UpdateStrategy.Type}
		s.Set = podset.Set{Workload: w, ScaleUnavailable: limit(o.Spec.ScaleStrategy.MaxUnavailable)}
		if err := add("CloneSet", kruiseApps, s, err); err != nil {
			return nil, err
		}
	}
	for _, source := range l.statefuls {
		o := source.object
		w, err := kubekruise.StatefulSet(o, l.podsOf(o.Namespace))
		s := PodSet{File: source.file, Object: o, template: &o.Spec.Template}
		s.Set = podset.Set{Workload: w, Parallel: o.Spec.PodManagementPolicy == appsv1.ParallelPodManagement}
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
		s.Set = podset.Set{Workload: w, Parallel: o.Spec.PodManagementPolicy == string(appsv1.ParallelPodManagement)}
		if err := add("StatefulSet", kruiseApps, s, err); err != nil {
			return nil, err
		}
	}
	return list, l.complete(list)
}

// limit returns a limit that only those with a smaller one than all look at. One that cannot
// be read is none, as it is for OpenKruise.
func limit(v *intstr.IntOrString) rollout.IntOrPercent {
	n, err := kube.IntOrPercent(v)
	if err != nil {
		return rollout.IntOrPercent{}
	}
	return n
}

// complete adds to sets what else there is of them. There is only one of a name.
func (l *loader) complete(list []PodSet) error {
	for i := range list {
		s := &list[i]
		s.Set.TemplateLabels = s.template.Labels
		s.Pods = ownedBy(s.Object, nil, l.podsOf(s.Object.GetNamespace()))
		if j := slices.IndexFunc(list[:i], func(o PodSet) bool { return o.Key() == s.Key() }); j >= 0 {
			return s.Invalid(fmt.Errorf("there is one of this name already, in %s", list[j].File))
		}
	}
	return nil
}
