// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
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
