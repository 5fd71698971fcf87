// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

func in(key string, values ...string) selector.NodeSelectorTerm {
	return selector.NodeSelectorTerm{MatchExpressions: []selector.Expression{{Key: key, Operator: selector.In, Values: values}}}
}

func TestPlacement(t *testing.T) {
	dedicated := daemonset.Taint{Key: "dedicated", Value: "db", Effect: daemonset.NoSchedule}
	dedicatedExec := dedicated
	dedicatedExec.Effect = daemonset.NoExecute
	network := taint("node.kubernetes.io/network-unavailable", daemonset.NoSchedule)
	cordon := taint("node.kubernetes.io/unschedulable", daemonset.NoSchedule)
	notReady := []daemonset.Taint{taint(daemonset.TaintNotReady, daemonset.NoExecute), taint(daemonset.TaintNotReady, daemonset.NoSchedule)}
	fits := daemonset.Placement{ShouldRun: true, ShouldContinueRunning: true, Reason: reason.Fits}
	keeps := func(taint daemonset.Taint) daemonset.Placement {
		return daemonset.Placement{ShouldContinueRunning: true, Reason: reason.TaintNoSchedule, Taint: taint}
	}
	for _, c := range []struct {
		name, why string
		template  daemonset.Template
		node      daemonset.Node
		opts      daemonset.Options
		want      daemonset.Placement
	}{
		{"fits", "nothing is demanded", daemonset.Template{}, daemonset.Node{Name: "n"}, daemonset.Options{}, fits},
		{"named", "placement", daemonset.Template{NodeName: "n"}, daemonset.Node{Name: "n"}, daemonset.Options{}, fits},
		{"named otherwise", "placement comes before taints", daemonset.Template{NodeName: "m"}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{dedicated}}, daemonset.Options{}, daemonset.Placement{Reason: reason.NodeName}},
		{"label differs", "affinity terms; the first key is named", daemonset.Template{NodeSelector: map[string]string{"b": "1", "a": "1", "c": "1"}}, daemonset.Node{Name: "n", Labels: map[string]string{"c": "1", "b": "2"}}, daemonset.Options{}, daemonset.Placement{Reason: reason.NodeSelector, Key: "a"}},
		{"label differs beside one that does not", "affinity terms; the one that differs is named", daemonset.Template{NodeSelector: map[string]string{"a": "1", "b": "1"}}, daemonset.Node{Name: "n", Labels: map[string]string{"a": "2", "b": "1"}}, daemonset.Options{}, daemonset.Placement{Reason: reason.NodeSelector, Key: "a"}},
		{"empty label is not an absent one", "affinity terms", daemonset.Template{NodeSelector: map[string]string{"a": ""}}, daemonset.Node{Name: "n"}, daemonset.Options{}, daemonset.Placement{Reason: reason.NodeSelector, Key: "a"}},
		{"affinity", "affinity terms", daemonset.Template{Affinity: &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{in("zone", "b")}}}, daemonset.Node{Name: "n", Labels: map[string]string{"zone": "a"}}, daemonset.Options{}, daemonset.Placement{Reason: reason.Affinity}},
		{"affinity without terms", "it matches nothing", daemonset.Template{Affinity: &selector.NodeSelector{}}, daemonset.Node{Name: "n"}, daemonset.Options{}, daemonset.Placement{Reason: reason.Affinity}},
		{"a wrong term beside a right one", "affinity terms", daemonset.Template{Affinity: &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{in("zone", "a"), in("zone")}}}, daemonset.Node{Name: "n", Labels: map[string]string{"zone": "a"}}, daemonset.Options{}, fits},
		{"a wrong term alone", "errors are swallowed", daemonset.Template{Affinity: &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{in("zone")}}}, daemonset.Node{Name: "n", Labels: map[string]string{"zone": "a"}}, daemonset.Options{}, daemonset.Placement{Reason: reason.Affinity}},
		{"NoSchedule", "placement", daemonset.Template{}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{dedicated}}, daemonset.Options{}, keeps(dedicated)},
		{"NoExecute", "it wins over an earlier NoSchedule", daemonset.Template{}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{dedicated, dedicatedExec}}, daemonset.Options{}, daemonset.Placement{Reason: reason.TaintNoExecute, Taint: dedicatedExec}},
		{"PreferNoSchedule", "it is ignored", daemonset.Template{}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{taint("x", daemonset.PreferNoSchedule)}}, daemonset.Options{}, fits},
		{"two taints", "the first is named", daemonset.Template{}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{dedicated, taint("y", daemonset.NoSchedule)}}, daemonset.Options{}, keeps(dedicated)},
		{"no network", "default tolerations", daemonset.Template{}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{network}}, daemonset.Options{}, keeps(network)},
		{"no network, on the host's", "default tolerations", daemonset.Template{HostNetwork: true}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{network}}, daemonset.Options{}, fits},
		{"cordoned", "default tolerations tolerates a cordon", daemonset.Template{}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{cordon}}, daemonset.Options{}, fits},
		{"not ready", "only NoExecute is tolerated by default", daemonset.Template{}, daemonset.Node{Name: "n", Taints: notReady}, daemonset.Options{}, keeps(notReady[1])},
		{"finite", "seconds do not matter", daemonset.Template{Tolerations: []daemonset.Toleration{{Key: "dedicated", Operator: daemonset.TolerationExists, Seconds: ptr.To(int64(30))}}}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{dedicatedExec}}, daemonset.Options{}, fits},
		{"finite means no", "the pod would soon be evicted", daemonset.Template{Tolerations: []daemonset.Toleration{{Key: "dedicated", Operator: daemonset.TolerationExists, Seconds: ptr.To(int64(30))}}}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{taint("z", daemonset.PreferNoSchedule), dedicatedExec}}, daemonset.Options{FiniteTolerationMeansNo: true}, daemonset.Placement{ShouldContinueRunning: true, Reason: reason.TaintNoExecute, Taint: dedicatedExec}},
		{"infinite beside finite", "one that lasts is enough", daemonset.Template{Tolerations: []daemonset.Toleration{{Operator: daemonset.TolerationExists, Seconds: ptr.To(int64(30))}, {Operator: daemonset.TolerationExists}}}, daemonset.Node{Name: "n", Taints: []daemonset.Taint{dedicatedExec}}, daemonset.Options{FiniteTolerationMeansNo: true}, fits},
		{"user seconds are lost", "the default replaces them", daemonset.Template{Tolerations: []daemonset.Toleration{{Key: daemonset.TaintNotReady, Operator: daemonset.TolerationExists, Effect: daemonset.NoExecute, Seconds: ptr.To(int64(30))}}}, daemonset.Node{Name: "n", Taints: notReady[:1]}, daemonset.Options{FiniteTolerationMeansNo: true}, fits},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			placer := daemonset.NewPlacer(&c.template, c.opts)
			produced.Note(c.want.Reason)
			if diff := cmp.Diff(c.want, placer.Place(&c.node)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
		})
	}
}

func TestTolerates(t *testing.T) {
	x := daemonset.Taint{Key: "k", Value: "v", Effect: daemonset.NoSchedule}
	for _, c := range []struct {
		why  string
		t    daemonset.Toleration
		want bool
	}{
		{"the empty operator is Equal", daemonset.Toleration{Key: "k", Value: "v"}, true},
		{"Equal compares values", daemonset.Toleration{Key: "k", Operator: daemonset.TolerationEqual, Value: "w"}, false},
		{"an empty key with Equal compares values over all keys", daemonset.Toleration{Operator: daemonset.TolerationEqual, Value: "v"}, true},
		{"Exists does not", daemonset.Toleration{Key: "k", Operator: daemonset.TolerationExists, Value: "w"}, true},
		{"another key", daemonset.Toleration{Key: "l", Operator: daemonset.TolerationExists}, false},
		{"another effect", daemonset.Toleration{Key: "k", Operator: daemonset.TolerationExists, Effect: daemonset.NoExecute}, false},
		{"Gt is behind a gate that is off", daemonset.Toleration{Key: "k", Operator: "Gt", Value: "1"}, false},
	} {
		require.Equal(t, c.want, c.t.Tolerates(x), c.why)
	}
}

// A default replaces what equals it but for the seconds, and nothing else.
func TestDefaultTolerations(t *testing.T) {
	thirty := int64(30)
	user := []daemonset.Toleration{
		{Key: daemonset.TaintUnreachable, Operator: daemonset.TolerationExists, Effect: daemonset.NoExecute, Seconds: &thirty},
		{Key: daemonset.TaintNotReady, Effect: daemonset.NoExecute, Seconds: &thirty},
	}
	got := daemonset.DefaultTolerations(user, true)
	require.Len(t, got, 8)
	require.Nil(t, got[0].Seconds, "the seconds are lost")
	require.Equal(t, int64(30), *got[1].Seconds, "an empty operator is another one")
	require.NotSame(t, user[1].Seconds, got[1].Seconds)
	require.Equal(t, &thirty, user[0].Seconds, "the argument is left alone")
	require.Len(t, daemonset.DefaultTolerations(nil, false), 6)

	template := daemonset.Template{Tolerations: user[:1]}
	opts := daemonset.Options{KeepUserTolerations: true}
	placer := daemonset.NewPlacer(&template, opts)
	node := daemonset.Node{Name: "n", Taints: []daemonset.Taint{taint(daemonset.TaintUnreachable, daemonset.NoExecute)}}
	require.True(t, placer.Place(&node).ShouldRun, "a finite toleration tolerates")
	require.Equal(t, int64(30), *daemonset.Tolerations(&template, opts)[0].Seconds, "and is kept")
	require.Nil(t, daemonset.Tolerations(&template, daemonset.Options{})[0].Seconds)
	opts.FiniteTolerationMeansNo = true
	placer = daemonset.NewPlacer(&template, opts)
	require.False(t, placer.Place(&node).ShouldRun, "both policies together")
}
