// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector"
)

// A part is a field of what a DaemonSet, a node or a pod is made of, and a change of it in the
// snapshot of [apart].
type part struct {
	field  string
	change func(s *daemonset.Snapshot)
}

// apart is an agent whose template tolerates the taint of the empty node n6 for a minute, and wants
// zone a and not n5. Of the nodes n0 to n4 two have an old pod, and n7 answers no more.
func apart() daemonset.Snapshot {
	s := random.Agents(8, "v1", "v1", "v2", "v2", "v2")
	t := &s.DaemonSet.Template
	t.Tolerations = []daemonset.Toleration{{
		Key: "maint", Operator: daemonset.TolerationEqual, Value: "on", Effect: daemonset.NoExecute, Seconds: ptr.To(int64(60)),
	}}
	t.Affinity = &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{
		MatchExpressions: []selector.Expression{{Key: "zone", Operator: selector.In, Values: []string{"a"}}},
		MatchFields:      []selector.Expression{{Key: selector.FieldName, Operator: selector.NotIn, Values: []string{"n5"}}},
	}}}
	s.DaemonSet.MinReadySeconds = 30
	s.Nodes[6].Taints = []daemonset.Taint{{Key: "maint", Value: "on", Effect: daemonset.NoExecute}}
	s.Nodes[7].Taints = []daemonset.Taint{{Key: daemonset.TaintUnreachable, Effect: daemonset.NoSchedule}}
	return s
}

// partsOfTemplates are the fields by which tolerations and affinities differ.
func partsOfTemplates() []part {
	toleration := func(field string, change func(*daemonset.Toleration)) part {
		return part{"Toleration." + field, func(s *daemonset.Snapshot) { change(&s.DaemonSet.Template.Tolerations[0]) }}
	}
	expression := func(field string, change func(*selector.Expression)) part {
		return part{"Expression." + field, func(s *daemonset.Snapshot) {
			change(&s.DaemonSet.Template.Affinity.Terms[0].MatchExpressions[0])
		}}
	}
	term := func(field string, change func(*selector.NodeSelectorTerm)) part {
		return part{"NodeSelectorTerm." + field, func(s *daemonset.Snapshot) { change(&s.DaemonSet.Template.Affinity.Terms[0]) }}
	}
	return []part{
		toleration("Key", func(t *daemonset.Toleration) { t.Key = "x" }),
		toleration("Operator", func(t *daemonset.Toleration) { t.Operator = "x" }),
		toleration("Value", func(t *daemonset.Toleration) { t.Value = "off" }),
		toleration("Effect", func(t *daemonset.Toleration) { t.Effect = daemonset.NoSchedule }),
		toleration("Seconds", func(t *daemonset.Toleration) { t.Seconds = nil }),
		expression("Key", func(e *selector.Expression) { e.Key = "x" }),
		expression("Operator", func(e *selector.Expression) { e.Operator = selector.NotIn }),
		expression("Values", func(e *selector.Expression) { e.Values = []string{"b"} }),
		term("MatchExpressions", func(t *selector.NodeSelectorTerm) {
			t.MatchExpressions = []selector.Expression{{Key: "x", Operator: selector.Exists}}
		}),
		term("MatchFields", func(t *selector.NodeSelectorTerm) { t.MatchFields = nil }),
	}
}

// partsOfNodes are the fields of nodes and taints, but for the name of a node, which never changes.
func partsOfNodes() []part {
	node := func(field string, i int, change func(*daemonset.Node)) part {
		return part{"Node." + field, func(s *daemonset.Snapshot) { change(&s.Nodes[i]) }}
	}
	taint := func(field string, change func(*daemonset.Taint)) part {
		return part{"Taint." + field, func(s *daemonset.Snapshot) { change(&s.Nodes[6].Taints[0]) }}
	}
	return []part{
		node("Labels", 0, func(n *daemonset.Node) { n.Labels = nil }),
		node("Taints", 0, func(n *daemonset.Node) { n.Taints = []daemonset.Taint{{Key: "x", Effect: daemonset.NoExecute}} }),
		node("Taints", 7, func(n *daemonset.Node) { n.Taints = nil }),
		node("Rank", 0, func(n *daemonset.Node) { n.Rank = 1 }),
		taint("Key", func(t *daemonset.Taint) { t.Key = "x" }),
		taint("Value", func(t *daemonset.Taint) { t.Value = "off" }),
		taint("Effect", func(t *daemonset.Taint) { t.Effect = daemonset.PreferNoSchedule }),
	}
}

// partsOfPods are the fields of pods that a plan reads, but for the name and the version, by which
// a Tracker knows which pod it is.
func partsOfPods() []part {
	pod := func(field string, change func(*daemonset.Pod)) part {
		return part{"Pod." + field, func(s *daemonset.Snapshot) { change(&s.Pods[0]) }}
	}
	return []part{
		pod("Labels", func(p *daemonset.Pod) { p.Labels = map[string]string{"app": "agent", daemonset.LabelHash: "v2"} }),
		pod("Labels", func(p *daemonset.Pod) { p.Labels = nil }),
		pod("Annotations", func(p *daemonset.Pod) { p.Annotations = map[string]string{inplace.AnnotationState: "x"} }),
		pod("ControllerKind", func(p *daemonset.Pod) { p.ControllerKind = "x" }),
		pod("ControllerName", func(p *daemonset.Pod) { p.ControllerName = "x" }),
		pod("ControllerUID", func(p *daemonset.Pod) { p.ControllerUID = "x" }),
		pod("ControllerUID", func(p *daemonset.Pod) { p.ControllerUID = "" }),
		pod("CreationTimestamp", func(p *daemonset.Pod) { p.CreationTimestamp = random.Now }),
		pod("DeletionTimestamp", func(p *daemonset.Pod) { p.DeletionTimestamp = random.Now }),
		pod("NodeName", func(p *daemonset.Pod) { p.NodeName = "n4" }),
		pod("NodeName", func(p *daemonset.Pod) { p.NodeName = "" }),
		pod("PinnedNode", func(p *daemonset.Pod) { p.NodeName, p.PinnedNode = "", "n4" }),
		pod("Phase", func(p *daemonset.Pod) { p.Phase = podorder.Failed }),
		pod("Ready", func(p *daemonset.Pod) { p.Ready = false }),
		pod("ReadySince", func(p *daemonset.Pod) { p.ReadySince = random.Now.Add(-10 * time.Second) }),
		pod("Restarts", func(p *daemonset.Pod) { p.Restarts = 7 }),
		pod("SidecarRestarts", func(p *daemonset.Pod) { p.SidecarRestarts = 7 }),
		pod("Finalizers", func(p *daemonset.Pod) { p.Finalizers = []string{"x"} }),
		pod("ReadinessGates", func(p *daemonset.Pod) { p.ReadinessGates = []string{inplace.Gate} }),
		pod("Containers", func(p *daemonset.Pod) { p.Containers = []inplace.Container{{Name: "app", Image: "x"}} }),
		pod("InPlace", func(p *daemonset.Pod) { p.InPlace = &inplace.ReadyCondition{True: true} }),
		pod("RuntimePlain", func(p *daemonset.Pod) { p.RuntimePlain = true }),
		pod("RuntimeEnv", func(p *daemonset.Pod) { p.RuntimeEnv = true }),
	}
}

// partOptions are upstream's, and all policies together that a Tracker counts with; of those one
// keeps pods off nodes whose taint is tolerated for seconds alone.
func partOptions() []daemonset.Options {
	policies := daemonset.Options{
		Repair: quirk.All, StrictUnavailable: true, SkipDeadNodes: 1, KeepHealthyDuplicate: true,
		FiniteTolerationMeansNo: true, KeepUserTolerations: true,
	}
	summed := policies
	summed.SumHolds = true
	return []daemonset.Options{{}, policies, summed}
}

// TestTrackerParts: a Tracker that has planned notices each change of what a template, a node and a
// pod are made of, with upstream's options and with policies together.
func TestTrackerParts(t *testing.T) {
	for _, p := range append(append(partsOfTemplates(), partsOfNodes()...), partsOfPods()...) {
		tells := false
		for _, opts := range partOptions() {
			before := apart()
			changed := purity.Clone(before)
			p.change(&changed)
			tr := tracker(t, &before)
			was, err := tr.Plan(random.Now, opts)
			require.NoError(t, err)
			for _, to := range []*daemonset.Snapshot{&changed, &before} {
				tell(t, tr, to)
				want, wrong := daemonset.Reconcile(*to, random.Now, opts)
				got, err := tr.Plan(random.Now, opts)
				require.Equal(t, wrong, err, p.field)
				require.Equal(t, want, got, "%s with %+v", p.field, opts)
				tells = tells || !reflect.DeepEqual(was, got)
			}
		}
		require.True(t, tells || strings.HasPrefix(p.field, "Pod."), "the change of %s changes no plan", p.field)
	}
}

// tell tells a Tracker of all of a snapshot: whatever it knows already as well.
func tell(t *testing.T, tr *daemonset.Tracker, s *daemonset.Snapshot) {
	t.Helper()
	require.NoError(t, tr.Apply(daemonset.Delta{DaemonSet: &s.DaemonSet}))
	for i := range s.Nodes {
		require.NoError(t, tr.Apply(daemonset.Delta{Node: daemonset.NodeEvent{Old: &s.Nodes[i], New: &s.Nodes[i]}}))
	}
	for i := range s.Pods {
		require.NoError(t, tr.Apply(daemonset.Delta{Pod: daemonset.PodEvent{Old: &s.Pods[i], New: &s.Pods[i]}}))
	}
}

// TestParts: the parts have all fields.
func TestParts(t *testing.T) {
	have := map[string]bool{
		"Node.Name": true, "Pod.Name": true, "Pod.UID": true, "Pod.ResourceVersion": true, // they tell which object it is
		"Pod.Pod": true, // its fields are there
	}
	for _, p := range append(append(partsOfTemplates(), partsOfNodes()...), partsOfPods()...) {
		have[p.field] = true
	}
	for prefix, of := range map[string][]reflect.Type{
		"Toleration.": {reflect.TypeFor[daemonset.Toleration]()}, "Expression.": {reflect.TypeFor[selector.Expression]()},
		"NodeSelectorTerm.": {reflect.TypeFor[selector.NodeSelectorTerm]()}, "Node.": {reflect.TypeFor[daemonset.Node]()},
		"Taint.": {reflect.TypeFor[daemonset.Taint]()}, "Pod.": {reflect.TypeFor[daemonset.Pod](), reflect.TypeFor[podorder.Pod]()},
	} {
		for _, typ := range of {
			for i := range typ.NumField() {
				require.True(t, have[prefix+typ.Field(i).Name], prefix+typ.Field(i).Name)
			}
		}
	}
}
