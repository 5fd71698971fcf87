// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"bytes"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// DaemonSet returns the snapshot of ds. It shares maps, values of selectors and pointers to
// numbers with ds.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError] for each field that
// makes planning impossible: a negative number, a text that is not a percentage, an unknown
// strategy, a template that cannot be encoded in JSON.
//
// MaxSurge and MaxUnavailable are left unset if the rollingUpdate block is missing, and for the
// strategy OnDelete, which does not read them.
func DaemonSet(ds *appsv1.DaemonSet) (daemonset.DaemonSet, error) {
	var es kplan.FieldErrors
	return hashed(convert.Or(ds), convertDaemonSet(convert.Or(ds), &es), &es)
}

// hashed adds the hash of the template to d.
func hashed(ds *appsv1.DaemonSet, d daemonset.DaemonSet, es *kplan.FieldErrors) (daemonset.DaemonSet, error) {
	if err := es.Join(); err != nil {
		return daemonset.DaemonSet{}, err
	}
	d.Template.Hash = daemonHash(ds)
	return d, nil
}

// DaemonSetSnapshot returns the input of daemonset.Reconcile. Pods and revisions of
// other namespaces and nil elements are left out, so the lists may come from a cache.
// The error is the one of [DaemonSet].
//
// The table of delays is in no object and left to the caller. The hash of the template
// is computed only if a revision may have to be created. If a revision of the DaemonSet
// has the template, the hash is its label.
func DaemonSetSnapshot(ds *appsv1.DaemonSet, nodes []*corev1.Node, pods []*corev1.Pod, revisions []*appsv1.ControllerRevision) (daemonset.Snapshot, error) {
	var es kplan.FieldErrors
	return daemonSnapshot(convert.Or(ds), convertDaemonSet(convert.Or(ds), &es), nodes, pods, revisions, &es)
}

// daemonSnapshot adds nodes, pods and revisions to d.
func daemonSnapshot(ds *appsv1.DaemonSet, d daemonset.DaemonSet, nodes []*corev1.Node, pods []*corev1.Pod,
	revisions []*appsv1.ControllerRevision, es *kplan.FieldErrors) (daemonset.Snapshot, error) {
	if err := es.Join(); err != nil {
		return daemonset.Snapshot{}, err
	}
	s := daemonset.Snapshot{DaemonSet: d, Nodes: nodesOf(nodes), Pods: podsOf(ds.Namespace, pods, translateDaemonPod)}
	s.Revisions = converted(revisions, func(r *appsv1.ControllerRevision) bool { return r.Namespace == ds.Namespace }, ControllerRevision)
	s.DaemonSet.Template.Hash = hashOfCurrent(ds, &s)
	return s, nil
}

// nodesOf converts nodes, with one list of taints for all of them.
func nodesOf(nodes []*corev1.Node) []daemonset.Node {
	taints := 0
	for _, n := range nodes {
		if n != nil {
			taints += len(n.Spec.Taints)
		}
	}
	list, all, i := make([]daemonset.Node, len(nodes)), make([]daemonset.Taint, 0, taints), 0
	for _, n := range nodes {
		if n != nil {
			all = translateNode(n, &list[i], all)
			i++
		}
	}
	if i == 0 {
		return nil
	}
	return list[:i]
}

// converted converts the elements of a list that are not nil and that are wanted.
func converted[From, To any](list []*From, wanted func(*From) bool, convert func(*From) To) []To {
	var all []To
	for i, o := range list {
		if o == nil || !wanted(o) {
			continue
		}
		if all == nil {
			all = make([]To, 0, len(list)-i)
		}
		all = append(all, convert(o))
	}
	return all
}

// hashOfCurrent returns the label of a revision that has the template of ds and is
// certain to keep its name. Otherwise it computes the hash of the template.
func hashOfCurrent(ds *appsv1.DaemonSet, s *daemonset.Snapshot) string {
	if hash := labelled(&s.DaemonSet, s.Revisions); hash != "" {
		return hash
	}
	return daemonHash(ds)
}

// labelled returns the hash label of the DaemonSet's revision with its template, "" if there is
// no such revision.
func labelled(d *daemonset.DaemonSet, revisions []revision.ControllerRevision) string {
	matches, err := selector.FromLabelSelector(d.Selector)
	for i := range revisions {
		r := &revisions[i]
		if err != nil || r.ControllerUID != d.UID || !bytes.Equal(r.Data, d.Template.Data) || !matches.Matches(r.Labels) {
			continue
		}
		if hash, labelled := revision.RevisionHash(*r); labelled && hash != "" {
			return hash
		}
	}
	return ""
}

// daemonHash returns the hash that names a revision of the template of ds.
func daemonHash(ds *appsv1.DaemonSet) string {
	return templateHash(&ds.Spec.Template, ds.Status.CollisionCount)
}

// convertDaemonSet is [DaemonSet] without the hash of the template.
func convertDaemonSet(ds *appsv1.DaemonSet, es *kplan.FieldErrors) daemonset.DaemonSet {
	surge, unavailable := convert.DaemonSetLimits(ds, es)
	es.NotNegative("spec.minReadySeconds", ds.Spec.MinReadySeconds)
	notNegative(es, "spec.revisionHistoryLimit", ds.Spec.RevisionHistoryLimit)
	switch ds.Spec.UpdateStrategy.Type {
	case "", appsv1.RollingUpdateDaemonSetStrategyType, appsv1.OnDeleteDaemonSetStrategyType:
	default:
		es.Add("spec.updateStrategy.type", string(ds.Spec.UpdateStrategy.Type), "must be RollingUpdate or OnDelete")
	}
	return daemonset.DaemonSet{
		Namespace:            ds.Namespace,
		Name:                 ds.Name,
		UID:                  string(ds.UID),
		Generation:           ds.Generation,
		Annotations:          ds.Annotations,
		DeletionTimestamp:    convert.TimeOrZero(ds.DeletionTimestamp),
		Selector:             LabelSelector(ds.Spec.Selector),
		Template:             daemonTemplate(ds, es),
		Strategy:             daemonset.Strategy(ds.Spec.UpdateStrategy.Type),
		MaxSurge:             surge,
		MaxUnavailable:       unavailable,
		MinReadySeconds:      ds.Spec.MinReadySeconds,
		RevisionHistoryLimit: ds.Spec.RevisionHistoryLimit,
		Status:               FromDaemonSetStatus(ds.Status),
	}
}

func daemonTemplate(ds *appsv1.DaemonSet, es *kplan.FieldErrors) daemonset.Template {
	t := &ds.Spec.Template
	data, err := templatePatch(t)
	if err != nil {
		*es = append(*es, &kplan.FieldError{Path: "spec.template", Value: "", Detail: "must have a JSON form: " + err.Error(), Err: err})
	}
	return daemonset.Template{
		Data:           data,
		Labels:         t.Labels,
		Annotations:    t.Annotations,
		NodeName:       t.Spec.NodeName,
		NodeSelector:   t.Spec.NodeSelector,
		Affinity:       requiredNodes(t.Spec.Affinity),
		Tolerations:    Tolerations(t.Spec.Tolerations),
		HostNetwork:    t.Spec.HostNetwork,
		ReadinessGates: gates(t.Spec.ReadinessGates),
	}
}

// templatePatch returns a template in the form in which a revision stores it: an object
// with sorted keys. Whole numbers stay exact, even beyond 2^53.
//
// It mirrors getPatch of the DaemonSet controller of Kubernetes.
func templatePatch(t *corev1.PodTemplateSpec) ([]byte, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	var template map[string]any
	if err := utiljson.Unmarshal(text, &template); err != nil {
		return nil, err
	}
	template["$patch"] = "replace"
	return json.Marshal(map[string]any{"spec": map[string]any{"template": template}})
}
