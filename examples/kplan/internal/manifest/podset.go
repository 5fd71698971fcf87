// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
)

// A PodSet is a CloneSet, or a StatefulSet of Kubernetes or OpenKruise.
type PodSet struct {
	File   string
	Object metav1.Object
	Set    podset.Set
	Pods   []*corev1.Pod // that it controls

	template *corev1.PodTemplateSpec
	policy   string // how pods are updated, "" is that they are made anew
}

// Name returns what messages call the set.
func (s *PodSet) Name() string { return describe(s.Set.Kind, s.Object.GetName()) }

// Key tells sets apart.
func (s *PodSet) Key() string { return s.Set.GroupKind() + " " + key(s.Object) }

// Invalid returns err as an error of the set.
func (s *PodSet) Invalid(err error) error { return &Error{File: s.File, Object: s.Name(), Err: err} }

// InPlace reports whether pods are brought from the template of an older set to that of this
// one where they run.
func (s *PodSet) InPlace(old *PodSet) (bool, error) {
	if !s.UpdatesInPlace() {
		return false, nil
	}
	_, possible := inplace.CalculateSpec(stored(old.template), stored(s.template), "", inplace.Options{})
	if !possible && s.policy == inPlaceOnly {
		return false, s.Invalid(errors.New("its pods are updated in place only, and the new template differs in more than images and metadata: none would be updated"))
	}
	return possible, nil
}

// UpdatesInPlace reports whether pods are updated where they run, as far as a template lets
// them.
func (s *PodSet) UpdatesInPlace() bool {
	return s.policy == inPlaceIfPossible || s.policy == inPlaceOnly
}

// How pods are updated in place.
const inPlaceIfPossible, inPlaceOnly = "InPlaceIfPossible", "InPlaceOnly"

// stored returns a template as revisions store it.
func stored(t *corev1.PodTemplateSpec) []byte {
	type spec struct {
		Template *corev1.PodTemplateSpec `json:"template"`
	}
	data, _ := json.Marshal(map[string]spec{"spec": {t}}) // of types that encode
	return data
}

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

// defaultCloneSet completes a CloneSet as OpenKruise does with its template.
func defaultCloneSet(o *kubekruise.CloneSetObject) *kubekruise.CloneSetObject {
	o.Spec.Template = defaultTemplate(o.Spec.Template)
	return o
}

func defaultAdvanced(o *kubekruise.AdvancedStatefulSetObject) *kubekruise.AdvancedStatefulSetObject {
	o.Spec.Template = defaultTemplate(o.Spec.Template)
	return o
}

func defaultTemplate(t corev1.PodTemplateSpec) corev1.PodTemplateSpec {
	return kube.Default(&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: t}}).Spec.Template
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
