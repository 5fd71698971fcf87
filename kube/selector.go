package kube

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// LabelSelector returns the snapshot of s. It shares the maps and the values with s.
func LabelSelector(s *metav1.LabelSelector) *selector.LabelSelector {
	if s == nil {
		return nil
	}
	ls := &selector.LabelSelector{MatchLabels: s.MatchLabels}
	if s.MatchExpressions != nil { // an empty list is not an empty selector for upstream
		ls.MatchExpressions = make([]selector.Expression, len(s.MatchExpressions))
	}
	for i, e := range s.MatchExpressions {
		ls.MatchExpressions[i] = selector.Expression{Key: e.Key, Operator: selector.Operator(e.Operator), Values: e.Values}
	}
	return ls
}

// ToLabelSelector returns s as the API has it. It shares nothing with s.
func ToLabelSelector(s *selector.LabelSelector) *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	ls := &metav1.LabelSelector{MatchLabels: maps.Clone(s.MatchLabels)}
	if s.MatchExpressions != nil {
		ls.MatchExpressions = make([]metav1.LabelSelectorRequirement, 0, len(s.MatchExpressions))
	}
	for _, e := range s.MatchExpressions {
		ls.MatchExpressions = append(ls.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: slices.Clone(e.Values),
		})
	}
	return ls
}

// AdoptPodPatch returns the patch of the pod of a.
func AdoptPodPatch(a replicaset.AdoptPod) Patch {
	return Patch{Type: types.StrategicMergePatchType, Data: a.Patch()}
}

// ReleasePodPatch returns the patch of the pod of a.
func ReleasePodPatch(a replicaset.ReleasePod) Patch {
	return Patch{Type: types.StrategicMergePatchType, Data: a.Patch()}
}
