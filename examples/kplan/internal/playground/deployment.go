// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// mostReplicas is the largest number of replicas that a page can simulate quickly.
const mostReplicas = 2000

// Defaults of the API server.
const (
	usualDeadline = 600
	usualHistory  = 10
	usualLimit    = "25%"
)

// deployment returns the Deployment of a manifest with the defaults of the API server. The hash
// is part of the name of the ReplicaSet.
func (m *manifest) deployment(hash string) (deploy.Deployment, error) {
	spec := &m.Spec
	d := deploy.Deployment{
		Name: m.Metadata.Name, UID: "deployment", Annotations: m.Metadata.Annotations,
		Replicas: orDefault(spec.Replicas, 1), Template: revision.Template{ID: m.id, Hash: hash}, TemplateLabels: m.template.Metadata.Labels,
		Strategy: deploy.Strategy(spec.Strategy.Type), MinReadySeconds: spec.MinReadySeconds,
		ProgressDeadlineSeconds: orDefault(spec.ProgressDeadlineSeconds, usualDeadline),
		RevisionHistoryLimit:    orDefault(spec.RevisionHistoryLimit, usualHistory), Paused: spec.Paused,
	}
	var err error
	if d.Strategy != deploy.Recreate {
		rolling := &spec.Strategy.RollingUpdate
		if d.MaxSurge, err = limit("maxSurge", &rolling.MaxSurge); err != nil {
			return d, err
		}
		if d.MaxUnavailable, err = limit("maxUnavailable", &rolling.MaxUnavailable); err != nil {
			return d, err
		}
	}
	d.Partitioned = deploy.PartitionedBy(d)
	if d.Selector, err = m.selector(); err != nil {
		return d, err
	}
	return d, m.check(&d)
}

// check returns an error if the API server would reject the Deployment, or the page cannot
// simulate it.
func (m *manifest) check(d *deploy.Deployment) error {
	switch n := *d.Replicas; {
	case d.Name == "":
		return errors.New("metadata.name: must be set")
	case n < 0:
		return fmt.Errorf("spec.replicas: %d is negative", n)
	case n > mostReplicas:
		return fmt.Errorf("spec.replicas: at most %d are simulated here; the command takes more", mostReplicas)
	case d.Strategy != "" && d.Strategy != deploy.Recreate && d.Strategy != deploy.RollingUpdate:
		return fmt.Errorf("spec.strategy.type: %q must be RollingUpdate or Recreate", d.Strategy)
	case d.Strategy != deploy.Recreate && zero(d.MaxSurge) && zero(d.MaxUnavailable):
		return errors.New("spec.strategy.rollingUpdate: maxSurge and maxUnavailable must not both be 0")
	}
	return nil
}

func zero(v rollout.IntOrPercent) bool { return v.Value() == 0 }

func orDefault(v *int32, otherwise int32) *int32 {
	if v == nil {
		return &otherwise
	}
	return v
}

// limit reads a number of pods or a percentage.
func limit(name string, n *yaml.Node) (rollout.IntOrPercent, error) {
	text := n.Value
	if n.Kind == 0 || n.Tag == "!!null" {
		text = usualLimit
	}
	number, percent := strings.CutSuffix(text, "%")
	value, err := strconv.ParseInt(number, 10, 32)
	if err != nil || value < 0 || !percent && n.Tag == "!!str" {
		return rollout.IntOrPercent{}, fmt.Errorf("line %d: %s must be a number of pods, or a percentage such as 25%%", n.Line, name)
	}
	if percent {
		return rollout.Percent(int32(value)), nil
	}
	return rollout.Int(int32(value)), nil
}

// selector returns the selector of the pods. It must match the labels of the template.
func (m *manifest) selector() (*selector.LabelSelector, error) {
	written := m.Spec.Selector
	if written == nil {
		return nil, errors.New("spec.selector: must be set")
	}
	s := &selector.LabelSelector{MatchLabels: written.MatchLabels}
	for _, e := range written.MatchExpressions {
		s.MatchExpressions = append(s.MatchExpressions, selector.Expression{Key: e.Key, Operator: selector.Operator(e.Operator), Values: e.Values})
	}
	compiled, err := selector.FromLabelSelector(s)
	switch {
	case err != nil:
		return nil, fmt.Errorf("spec.selector: %w", err)
	case len(s.MatchLabels)+len(s.MatchExpressions) == 0:
		return nil, errors.New("spec.selector: must not be empty")
	case !compiled.Matches(m.template.Metadata.Labels):
		return nil, errors.New("spec.template.metadata.labels: must match the selector")
	}
	return s, nil
}
