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
	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	simulated "github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A PodSet is a CloneSet, or a StatefulSet of Kubernetes or OpenKruise.
type PodSet struct {
	File   string
	Object metav1.Object
	Set    simulated.Set
	Pods   []*corev1.Pod // that the set controls

	template *corev1.PodTemplateSpec
	policy   string // how pods are updated; "" means deleted and created again
}

// Name returns the kind and name of the set, for messages.
func (s *PodSet) Name() string { return describe(s.Set.Kind, s.Object.GetName()) }

// ID returns the ID of the set.
func (s *PodSet) ID() ID {
	ref := &s.Set.Ref
	return ID{ref.Kind, ref.Group(), s.Object.GetNamespace(), ref.Name}
}

// Key identifies the set among all sets.
func (s *PodSet) Key() string { return s.Set.GroupKind() + " " + key(s.Object) }

// Invalid returns err as an error of the set.
func (s *PodSet) Invalid(err error) error { return &Error{File: s.File, Object: s.Name(), Err: err} }

// InPlace reports whether pods are updated in place from the template of an older version of the
// set to the template of this one.
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

// UpdatesInPlace reports whether pods are updated in place if the change of the template allows it.
func (s *PodSet) UpdatesInPlace() bool {
	return s.policy == inPlaceIfPossible || s.policy == inPlaceOnly
}

// inPlaceIfPossible and inPlaceOnly are the policies that update pods in place.
const inPlaceIfPossible, inPlaceOnly = "InPlaceIfPossible", "InPlaceOnly"

// stored returns a template as revisions store it.
func stored(t *corev1.PodTemplateSpec) []byte {
	type spec struct {
		Template *corev1.PodTemplateSpec `json:"template"`
	}
	data, _ := json.Marshal(map[string]spec{"spec": {t}}) // types that always encode
	return data
}

// defaultCloneSet sets the defaults of the template of a CloneSet, as OpenKruise does.
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
