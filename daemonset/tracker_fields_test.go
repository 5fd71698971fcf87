// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// everyField changes each field of a DaemonSet and of its template, alone.
var everyField = map[string][]func(*daemonset.DaemonSet){
	"Kind":              {func(d *daemonset.DaemonSet) { d.Kind = "Agent" }},
	"PodKind":           {func(d *daemonset.DaemonSet) { d.PodKind = "Machine" }},
	"Namespace":         {func(d *daemonset.DaemonSet) { d.Namespace = "web" }},
	"Name":              {func(d *daemonset.DaemonSet) { d.Name = "" }, func(d *daemonset.DaemonSet) { d.Name = "other" }},
	"UID":               {func(d *daemonset.DaemonSet) { d.UID = "" }, func(d *daemonset.DaemonSet) { d.UID = "other" }},
	"Generation":        {func(d *daemonset.DaemonSet) { d.Generation++ }},
	"Annotations":       {func(d *daemonset.DaemonSet) { d.Annotations = map[string]string{daemonset.AnnotationGeneration: "5"} }},
	"DeletionTimestamp": {func(d *daemonset.DaemonSet) { d.DeletionTimestamp = random.Now }},
	"Selector": {
		func(d *daemonset.DaemonSet) { d.Selector = nil },
		func(d *daemonset.DaemonSet) { d.Selector = &selector.LabelSelector{} },
		func(d *daemonset.DaemonSet) { d.Selector = selector.FromLabels(map[string]string{"app": "x"}) },
	},
	"Strategy": {func(d *daemonset.DaemonSet) { d.Strategy = daemonset.OnDelete }, func(d *daemonset.DaemonSet) { d.Strategy = "x" }},
	"MaxSurge": {func(d *daemonset.DaemonSet) { d.MaxSurge = rollout.Int(1) }, func(d *daemonset.DaemonSet) { d.MaxSurge = rollout.Int(-1) }},
	"MaxUnavailable": {
		func(d *daemonset.DaemonSet) { d.MaxUnavailable = rollout.Int(3) }, func(d *daemonset.DaemonSet) { d.MaxUnavailable = rollout.Percent(-1) },
	},
	"MinReadySeconds": {func(d *daemonset.DaemonSet) { d.MinReadySeconds = 7200 }, func(d *daemonset.DaemonSet) { d.MinReadySeconds = -1 }},
	"RevisionHistoryLimit": {
		func(d *daemonset.DaemonSet) { d.RevisionHistoryLimit = ptr.To(int32(0)) },
		func(d *daemonset.DaemonSet) { d.RevisionHistoryLimit = ptr.To(int32(-1)) },
	},
	"RollingType": {func(d *daemonset.DaemonSet) { d.RollingType = daemonset.Surging }, func(d *daemonset.DaemonSet) { d.RollingType = "x" }},
	"Partition":   {func(d *daemonset.DaemonSet) { d.Partition = rollout.Int(6) }, func(d *daemonset.DaemonSet) { d.Partition = rollout.Int(-1) }},
	"NodeSelector": {
		func(d *daemonset.DaemonSet) { d.NodeSelector = selector.FromLabels(map[string]string{"zone": "b"}) },
		func(d *daemonset.DaemonSet) {
			d.NodeSelector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{}}}
		},
	},
	"Paused":      {func(d *daemonset.DaemonSet) { d.Paused = true }},
	"Burst":       {func(d *daemonset.DaemonSet) { d.Burst = rollout.Int(1) }, func(d *daemonset.DaemonSet) { d.Burst = rollout.Int(-1) }},
	"Progressive": {func(d *daemonset.DaemonSet) { d.Progressive = true }},
	"PreDelete": {func(d *daemonset.DaemonSet) {
		d.PreDelete = &daemonset.PreDelete{Labels: map[string]string{"app": "agent"}}
	}},
	"Status": {
		func(d *daemonset.DaemonSet) { d.Status.NumberReady = 7 },
		func(d *daemonset.DaemonSet) { d.Status.CollisionCount = ptr.To(int32(3)) },
	},
	"Template.Hash": {func(d *daemonset.DaemonSet) { d.Template.Hash = "" }, func(d *daemonset.DaemonSet) { d.Template.Hash = "v1" }},
	"Template.Data": {
		func(d *daemonset.DaemonSet) { d.Template.Data = random.Stored("v1") }, func(d *daemonset.DaemonSet) { d.Template.Data = random.Stored("v9") },
	},
	"Template.Labels":       {func(d *daemonset.DaemonSet) { d.Template.Labels = map[string]string{"app": "agent", "more": "yes"} }},
	"Template.Annotations":  {func(d *daemonset.DaemonSet) { d.Template.Annotations = map[string]string{"more": "yes"} }},
	"Template.NodeName":     {func(d *daemonset.DaemonSet) { d.Template.NodeName = "n1" }},
	"Template.NodeSelector": {func(d *daemonset.DaemonSet) { d.Template.NodeSelector = map[string]string{"zone": "b"} }},
	"Template.Affinity": {func(d *daemonset.DaemonSet) {
		term := selector.NodeSelectorTerm{MatchExpressions: []selector.Expression{{Key: "zone", Operator: selector.DoesNotExist}}}
		d.Template.Affinity = &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{term}}
	}},
	"Template.Tolerations": {func(d *daemonset.DaemonSet) {
		d.Template.Tolerations = []daemonset.Toleration{{Key: "maint", Operator: daemonset.TolerationExists}}
	}},
	"Template.HostNetwork":    {func(d *daemonset.DaemonSet) { d.Template.HostNetwork = true }},
	"Template.ReadinessGates": {func(d *daemonset.DaemonSet) { d.Template.ReadinessGates = []string{"gate"} }},
}

// TestTrackerFields: a Tracker that has planned sees it if any field of its DaemonSet changes, and if
// it is again what it was, even as long as no revision has the template.
func TestTrackerFields(t *testing.T) {
	begin := random.Agents(8, "v1", "v1", "v2", "v2", "v1", "v1", "v1")
	begin.Nodes[6].Taints = []daemonset.Taint{{Key: "maint", Effect: daemonset.NoExecute}}
	begin.Nodes[7].Taints = []daemonset.Taint{{Key: "node.kubernetes.io/network-unavailable", Effect: daemonset.NoSchedule}}
	begin.Pods[0].Labels[daemonset.LabelGeneration] = "5"
	begin.Pods[2].Ready, begin.Pods[2].ReadySince = false, time.Time{}
	for _, revisions := range []int{1, 2} {
		s := begin
		s.Revisions = s.Revisions[:revisions]
		for field, changes := range everyField {
			for _, change := range changes {
				tr := tracker(t, &s)
				changed := s.DaemonSet
				change(&changed)
				for _, d := range []*daemonset.DaemonSet{&s.DaemonSet, &changed, &s.DaemonSet} {
					require.NoError(t, tr.Apply(daemonset.Delta{DaemonSet: d}))
					want, wrong := daemonset.Reconcile(tr.Snapshot(), random.Now, daemonset.Options{})
					got, err := tr.Plan(random.Now, daemonset.Options{})
					require.Equal(t, wrong, err, field)
					require.Equal(t, want, got, field)
				}
			}
		}
	}
}

// TestEveryField: everyField has them all.
func TestEveryField(t *testing.T) {
	fields := 0
	for prefix, of := range map[string]reflect.Type{"": reflect.TypeFor[daemonset.DaemonSet](), "Template.": reflect.TypeFor[daemonset.Template]()} {
		for i := range of.NumField() {
			if name := prefix + of.Field(i).Name; name != "Template" {
				require.NotEmpty(t, everyField[name], name)
				fields++
			}
		}
	}
	require.Len(t, everyField, fields)
}
