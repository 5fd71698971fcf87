// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/selector"
)

// A Tracker looks at all ReplicaSets anew when the Deployment changes in what says whose they
// are, each of these alone and in both directions: at the end of a partition orphans are
// adopted, for example. Of the ReplicaSets one is kept, one is an orphan, one has other labels,
// and one is another Deployment's. Options change what is adopted afterwards, too.
func TestTrackerSeesWhoseSetsAre(t *testing.T) {
	s := snapshot(web(5, selects(map[string]string{"app": "web"}), limits(1, 1)), set(1, 3, labelled("web")),
		set(2, 1, controlled(""), labelled("web")), set(3, 1, labelled("other")), set(4, 1, labelled("other"), controlled("another")), set(5, 1, controlled(""), labelled("other")))
	options := []deploy.Options{
		{}, {Adoption: deploy.AdoptSameTemplate}, {Adoption: deploy.AdoptNone}, {Repair: quirk.All}, {PausePoints: true},
		{Repair: quirk.All, Adoption: deploy.AdoptNone, Terminating: deploy.TerminationComplete, PausePoints: true},
	}
	text := func(p deploy.Plan, err error) string {
		json, _ := json.Marshal(p)
		return fmt.Sprintf("%s %v", json, err)
	}
	for name, change := range map[string]func(*deploy.Deployment){
		"a partition": func(d *deploy.Deployment) {
			d.Partitioned = &partition.Strategy{RollingStyle: "Partition", Partition: rollout.Percent(50)}
		},
		"a deletion":              func(d *deploy.Deployment) { d.DeletionTimestamp = t0.Add(-time.Minute) },
		"another UID":             func(d *deploy.Deployment) { d.UID = "another" },
		"no selector":             func(d *deploy.Deployment) { d.Selector = nil },
		"another selector":        func(d *deploy.Deployment) { d.Selector = selector.FromLabels(map[string]string{"app": "other"}) },
		"an empty selector":       func(d *deploy.Deployment) { d.Selector = &selector.LabelSelector{} },
		"a selector of any app":   func(d *deploy.Deployment) { d.Selector = anyApp() },
		"an unusable selector":    func(d *deploy.Deployment) { d.Selector = selector.FromLabels(map[string]string{"app": "a b"}) },
		"a deletion and all apps": func(d *deploy.Deployment) { d.DeletionTimestamp, d.Selector = t0.Add(-time.Minute), anyApp() },
	} {
		with := s
		change(&with.Deployment)
		differs := false
		for i, o := range options {
			for _, way := range [][2]*deploy.Snapshot{{&s, &with}, {&with, &s}} {
				before, after := way[0], way[1]
				tr := tracker(t, before)
				_, _ = tr.Plan(t0, o)
				require.NoError(t, tr.Apply(deploy.Delta{Deployment: &after.Deployment}))
				got := text(tr.Plan(t0, o))
				require.Equal(t, text(deploy.Reconcile(*after, t0, o)), got, "%s, options %d", name, i)
				differs = differs || got != text(deploy.Reconcile(*before, t0, o))
			}
		}
		require.True(t, differs, "%s changes no plan", name)
	}
}

// anyApp selects all that have the label.
func anyApp() *selector.LabelSelector {
	return &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "Exists"}}}
}
