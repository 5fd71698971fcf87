// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// fields maps each key that a step may set to a function that sets it.
type fields[T any] map[string]func(o *T, values []string) error

// assign sets the values of a step on an object.
func (f fields[T]) assign(o *T, args map[string][]string) error {
	for _, key := range slices.Sorted(maps.Keys(args)) {
		set, ok := f[key]
		if !ok {
			return fmt.Errorf("unknown key %s", key)
		}
		if err := set(o, args[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// to combines a function that parses a value and a function that returns its place into an
// entry of fields.
func to[T, V any](parse func([]string) (V, error), place func(*T) *V) func(*T, []string) error {
	return func(o *T, values []string) error {
		v, err := parse(values)
		if err == nil {
			*place(o) = v
		}
		return err
	}
}

func single[V any](parse func(string) (V, error)) func([]string) (V, error) {
	return func(values []string) (v V, err error) {
		if len(values) != 1 {
			return v, fmt.Errorf("%d values", len(values))
		}
		return parse(values[0])
	}
}

var (
	text     = single(func(s string) (string, error) { return s, nil })
	yes      = single(strconv.ParseBool)
	number   = single(strconv.Atoi)
	number64 = single(func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
	number32 = single(func(s string) (int32, error) {
		n, err := strconv.ParseInt(s, 10, 32)
		return int32(n), err
	})
	pointer = single(func(s string) (*int32, error) {
		n, err := strconv.ParseInt(s, 10, 32)
		return ptr.To(int32(n)), err
	})
	limit    = single(rollout.Parse)
	duration = single(func(s string) (time.Duration, error) {
		if s == "never" {
			return -1, nil
		}
		return time.ParseDuration(s)
	})
)

// words reads a list, which may be empty.
func words(values []string) ([]string, error) {
	if len(values) == 1 && values[0] == "" {
		return nil, nil
	}
	return values, nil
}

// pairs reads (a=b,c=d).
func pairs(values []string) (map[string]string, error) {
	m := map[string]string{}
	values, _ = words(values)
	for _, v := range values {
		key, value, ok := strings.Cut(v, "=")
		if !ok {
			return nil, fmt.Errorf("%s is no pair", v)
		}
		m[key] = value
	}
	return m, nil
}

func labelSelector(values []string) (*selector.LabelSelector, error) {
	m, err := pairs(values)
	return selector.FromLabels(m), err
}

var deploymentFields = fields[deploy.Deployment]{
	"replicas":    to(pointer, func(o *deploy.Deployment) **int32 { return &o.Replicas }),
	"template":    to(text, func(o *deploy.Deployment) *string { return &o.Template.ID }),
	"labels":      to(pairs, func(o *deploy.Deployment) *map[string]string { return &o.TemplateLabels }),
	"selector":    to(labelSelector, func(o *deploy.Deployment) **selector.LabelSelector { return &o.Selector }),
	"strategy":    to(text, func(o *deploy.Deployment) *string { return (*string)(&o.Strategy) }),
	"surge":       to(limit, func(o *deploy.Deployment) *rollout.IntOrPercent { return &o.MaxSurge }),
	"unavailable": to(limit, func(o *deploy.Deployment) *rollout.IntOrPercent { return &o.MaxUnavailable }),
	"minReady":    to(number32, func(o *deploy.Deployment) *int32 { return &o.MinReadySeconds }),
	"deadline":    to(pointer, func(o *deploy.Deployment) **int32 { return &o.ProgressDeadlineSeconds }),
	"history":     to(pointer, func(o *deploy.Deployment) **int32 { return &o.RevisionHistoryLimit }),
	"paused":      to(yes, func(o *deploy.Deployment) *bool { return &o.Paused }),
	"annotations": func(o *deploy.Deployment, values []string) error {
		m, err := pairs(values)
		o.Annotations = apply.With(o.Annotations, m)
		return err
	},
	// A condition from another writer.
	"condition": func(o *deploy.Deployment, values []string) error {
		o.Status.Conditions = append(slices.Clone(o.Status.Conditions), kplan.Condition{Type: values[0], Status: kplan.ConditionTrue})
		return nil
	},
}

var replicaSetFields = fields[replicaset.ReplicaSet]{
	"replicas":       to(pointer, func(o *replicaset.ReplicaSet) **int32 { return &o.Replicas }),
	"template":       to(text, func(o *replicaset.ReplicaSet) *string { return &o.Template.ID }),
	"labels":         to(pairs, func(o *replicaset.ReplicaSet) *map[string]string { return &o.Labels }),
	"templateLabels": to(pairs, func(o *replicaset.ReplicaSet) *map[string]string { return &o.TemplateLabels }),
	"selector":       to(labelSelector, func(o *replicaset.ReplicaSet) **selector.LabelSelector { return &o.Selector }),
	"minReady":       to(number32, func(o *replicaset.ReplicaSet) *int32 { return &o.MinReadySeconds }),
	// "controller" is empty: the owner was removed.
	"controller": func(o *replicaset.ReplicaSet, values []string) error {
		o.ControllerKind, o.ControllerName, o.ControllerUID = "", "", values[0]
		return nil
	},
	"revision": func(o *replicaset.ReplicaSet, values []string) error {
		o.Annotations = apply.With(o.Annotations, map[string]string{revision.AnnotationRevision: values[0]})
		return nil
	},
	"condition": func(o *replicaset.ReplicaSet, values []string) error {
		o.Status.Conditions = append(slices.Clone(o.Status.Conditions), kplan.Condition{Type: values[0], Status: kplan.ConditionTrue})
		return nil
	},
}

// data returns a template as a revision stores it.
func data(template string) []byte {
	d, _ := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"name": template, "$patch": "replace"}}})
	return d
}

var daemonSetFields = fields[daemonset.DaemonSet]{
	"template": func(o *daemonset.DaemonSet, values []string) (err error) {
		o.Template.Hash, err = text(values)
		o.Template.Data = data(o.Template.Hash)
		return err
	},
	"strategy":     to(text, func(o *daemonset.DaemonSet) *string { return (*string)(&o.Strategy) }),
	"surge":        to(limit, func(o *daemonset.DaemonSet) *rollout.IntOrPercent { return &o.MaxSurge }),
	"unavailable":  to(limit, func(o *daemonset.DaemonSet) *rollout.IntOrPercent { return &o.MaxUnavailable }),
	"minReady":     to(number32, func(o *daemonset.DaemonSet) *int32 { return &o.MinReadySeconds }),
	"history":      to(pointer, func(o *daemonset.DaemonSet) **int32 { return &o.RevisionHistoryLimit }),
	"nodeSelector": to(pairs, func(o *daemonset.DaemonSet) *map[string]string { return &o.Template.NodeSelector }),
	"hostNetwork":  to(yes, func(o *daemonset.DaemonSet) *bool { return &o.Template.HostNetwork }),
	"tolerations": func(o *daemonset.DaemonSet, values []string) error {
		keys, err := words(values)
		o.Template.Tolerations = nil
		for _, key := range keys {
			o.Template.Tolerations = append(o.Template.Tolerations, daemonset.Toleration{Key: key, Operator: daemonset.TolerationExists})
		}
		return err
	},
	// Each value is a term: a label, or "name=" and the name of a node.
	"affinity": func(o *daemonset.DaemonSet, values []string) error {
		o.Template.Affinity = &selector.NodeSelector{}
		for _, v := range values {
			key, value, _ := strings.Cut(v, "=")
			e := []selector.Expression{{Key: key, Operator: selector.In, Values: []string{value}}}
			term := selector.NodeSelectorTerm{MatchExpressions: e}
			if key == "name" {
				e[0].Key = "metadata.name"
				term = selector.NodeSelectorTerm{MatchFields: e}
			}
			o.Template.Affinity.Terms = append(o.Template.Affinity.Terms, term)
		}
		return nil
	},
}

var revisionFields = fields[revision.ControllerRevision]{
	"data": func(o *revision.ControllerRevision, values []string) error {
		o.Data = data(values[0])
		return nil
	},
	"labels": func(o *revision.ControllerRevision, values []string) error {
		m, err := pairs(values)
		o.Labels = apply.With(o.Labels, m)
		return err
	},
	"number": to(number64, func(o *revision.ControllerRevision) *int64 { return &o.Revision }),
}

var nodeFields = fields[node]{
	"labels": to(pairs, func(o *node) *map[string]string { return &o.Labels }),
	"full":   to(yes, func(o *node) *bool { return &o.full }),
	"taints": func(o *node, values []string) error { // (key:effect)
		o.Taints = nil
		values, _ = words(values)
		for _, v := range values {
			key, effect, _ := strings.Cut(v, ":")
			o.Taints = append(o.Taints, daemonset.Taint{Key: key, Effect: daemonset.Effect(effect)})
		}
		return nil
	},
}

// podFields returns the fields of a pod, at an instant.
func podFields(now time.Time) fields[daemonset.Pod] {
	return fields[daemonset.Pod]{
		"labels":   to(pairs, func(o *daemonset.Pod) *map[string]string { return &o.Labels }),
		"phase":    to(text, func(o *daemonset.Pod) *string { return (*string)(&o.Phase) }),
		"restarts": to(number32, func(o *daemonset.Pod) *int32 { return &o.Restarts }),
		"cost": func(o *daemonset.Pod, values []string) error {
			o.Annotations = apply.With(o.Annotations, map[string]string{podorder.AnnotationDeletionCost: values[0]})
			return nil
		},
		// "ready" is false, or for how long the pod has been ready.
		"ready": func(o *daemonset.Pod, values []string) error {
			o.NodeName, o.Phase, o.Ready = cmp.Or(o.NodeName, "any"), podorder.Running, values[0] != "false"
			if !o.Ready {
				return nil
			}
			d, err := time.ParseDuration(values[0])
			o.ReadySince = now.Add(-d)
			return err
		},
		// "controller" is empty, or the UID of an unknown owner.
		"controller": func(o *daemonset.Pod, values []string) error {
			if o.ControllerUID = values[0]; o.ControllerUID == "" {
				o.ControllerKind, o.ControllerName = "", ""
				return nil
			}
			o.ControllerKind, o.ControllerName = replicaset.Kind, "another"
			return nil
		},
	}
}

var kubeletFields = fields[kubelet]{
	"ready": to(duration, func(o *kubelet) *time.Duration { return &o.ready }),
	"end":   to(duration, func(o *kubelet) *time.Duration { return &o.end }),
	"never": to(words, func(o *kubelet) *[]string { return &o.never }),
}
