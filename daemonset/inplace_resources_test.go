package daemonset_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/stretchr/testify/require"
)

var scaling = daemonset.Options{Dialect: daemonset.OpenKruise, VerticalScaling: true}

// scaled is the data of a template with containers app and log, of which app has the
// resources and the image, and with an init container.
func scaled(image, resources, rest string) []byte {
	return storedAs(`{}`, `{"containers":[{"image":"`+image+`","name":"app","resources":`+resources+rest+`},{"image":"log","name":"log"}],
		"initContainers":[{"image":"i","name":"i","resources":{"limits":{"cpu":"1"}}}]}`)
}

// Which changes of resources qualify.
func TestInPlaceResources(t *testing.T) {
	const base = `{"claims":[{"name":"c"}],"limits":{"cpu":"1","memory":"1Gi","x/gpu":"1"},"requests":{"cpu":"500m","memory":"1Gi"}}`
	only := func(r daemonset.Resources) map[string]daemonset.Resources {
		return map[string]daemonset.Resources{"app": r}
	}
	limits := func(name, value string) map[string]daemonset.Resources {
		return only(daemonset.Resources{Limits: map[string]string{name: value}})
	}
	requests := func(name, value string) map[string]daemonset.Resources {
		return only(daemonset.Resources{Requests: map[string]string{name: value}})
	}
	for _, c := range []struct {
		why, old, new string // replacements in base
		want          map[string]daemonset.Resources
	}{
		{"nothing", `1`, `1`, nil},
		{"a limit of cpu", `"limits":{"cpu":"1"`, `"limits":{"cpu":"2"`, limits("cpu", "2")},
		{"a limit of memory", `"memory":"1Gi","x`, `"memory":"2Gi","x`, limits("memory", "2Gi")},
		{"a request of cpu", `500m`, `0.7`, requests("cpu", "0.7")},
		{"a request of memory", `"memory":"1Gi"}`, `"memory":"1e9"}`, requests("memory", "1e9")},
		{"the same amount in other words", `500m`, `0.5`, requests("cpu", "0.5")},
	} {
		spec, ok := daemonset.InPlace(scaled("a", base, ""), scaled("a", strings.Replace(base, c.old, c.new, 1), ""), "h", scaling)
		require.True(t, ok, c.why)
		require.Equal(t, daemonset.InPlaceSpec{Revision: "h", Resources: c.want}, spec, c.why)
		text, err := json.Marshal(spec)
		require.NoError(t, err)
		var back daemonset.InPlaceSpec
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, spec, back)
		_, ok = daemonset.InPlace(scaled("a", base, ""), scaled("a", strings.Replace(base, c.old, c.new, 1), ""), "h", kruise)
		require.Equal(t, c.want == nil, ok, "without the option: %s", c.why)
	}
	for _, c := range []struct{ why, old, new string }{
		{"a limit is added", `"x/gpu"`, `"cpux":"1","x/gpu"`},
		{"a limit is removed", `,"x/gpu":"1"`, ``},
		{"a request of cpu is removed", `"cpu":"500m",`, ``},
		{"one goes, another comes", `"x/gpu"`, `"x/tpu"`},
		{"no requests any more", `,"requests":{"cpu":"500m","memory":"1Gi"}`, ``},
		{"limits are no map", `{"cpu":"1","memory":"1Gi","x/gpu":"1"}`, `1`},
		{"another resource", `"x/gpu":"1"`, `"x/gpu":"2"`},
		{"a claim", `"c"`, `"d"`},
		{"another field", `"claims"`, `"x":1,"claims"`},
		{"no resources", base, `null`},
		{"not readable", `500m`, `500q`},
		{"no text", `"500m"`, `1`},
	} {
		from, to := scaled("a", base, ""), scaled("a", strings.Replace(base, c.old, c.new, 1), "")
		_, ok := daemonset.InPlace(from, to, "h", scaling)
		require.False(t, ok, c.why)
		_, ok = daemonset.InPlace(to, from, "h", scaling)
		require.False(t, ok, "the other way round: %s", c.why)
	}
	init := []byte(strings.Replace(string(scaled("a", base, "")), `{"limits":{"cpu":"1"}}`, `{"limits":{"cpu":"2"}}`, 1))
	_, ok := daemonset.InPlace(scaled("a", base, ""), init, "h", scaling)
	require.False(t, ok, "an init container")

	unreadable := func(image string) []byte {
		return []byte(strings.Replace(string(scaled(image, base, "")), `{"limits":{"cpu":"1"}}`, `{"limits":{"cpu":"x"}}`, 1))
	}
	_, ok = daemonset.InPlace(unreadable("a"), unreadable("b"), "h", scaling)
	require.True(t, ok, "the quality of service matters only if resources change")

	// With an image, and a policy.
	to := scaled("b", strings.Replace(base, "500m", "600m", 1), "")
	spec, ok := daemonset.InPlace(scaled("a", base, ""), to, "h", scaling)
	require.True(t, ok)
	require.Equal(t, daemonset.InPlaceSpec{Revision: "h", Images: map[string]string{"app": "b"}, Resources: requests("cpu", "600m")}, spec)
	for resource, want := range map[string]bool{"cpu": true, "memory": false} {
		policy := `,"resizePolicy":[{"resourceName":"` + resource + `","restartPolicy":"RestartContainer"}]`
		spec, ok = daemonset.InPlace(scaled("a", base, policy), scaled("a", strings.Replace(base, "500m", "600m", 1), policy), "h", scaling)
		require.True(t, ok)
		require.Equal(t, want, spec.Restart, resource)
	}
}

// The quality of service must stay; amounts count for it and not texts.
func TestInPlaceQuality(t *testing.T) {
	pod := func(resources, init string) []byte {
		return storedAs(`{}`, `{"containers":[{"name":"a","resources":`+resources+`}],"initContainers":[{"name":"i","resources":`+init+`}]}`)
	}
	both := func(cpu, memory string) string { return `{"cpu":"` + cpu + `","memory":"` + memory + `"}` }
	full := func(limits, requests string) string {
		return `{"limits":` + limits + `,"requests":` + requests + `}`
	}
	one, two := both("1", "1Gi"), both("2", "1Gi")
	for _, c := range []struct {
		why, from, to, init string
		want                bool
	}{
		{"guaranteed", full(one, one), full(two, two), full(one, one), true},
		{"guaranteed, other words", full(one, one), full(both("2", "1024Mi"), both("2000m", "1073741824")), full(one, one), true},
		{"no longer guaranteed", full(one, one), full(two, one), full(one, one), false},
		{"guaranteed at last", full(two, one), full(one, one), full(one, one), false},
		{"an init container is not", full(one, one), full(two, one), `{}`, true},
		{"guaranteed by its limits", `{"limits":` + one + `}`, `{"limits":` + two + `}`, full(one, one), true},
		{"burstable", full(two, one), full(two, both("1500m", "1Gi")), full(one, one), true},
		{"best effort", `{"requests":{"cpu":"0"}}`, `{"requests":{"cpu":"0.0"}}`, `{}`, true},
		{"no longer best effort", `{"requests":{"cpu":"0"}}`, `{"requests":{"cpu":"1n"}}`, `{}`, false},
		{"a limit counts", `{"limits":{"cpu":"0"}}`, `{"limits":{"cpu":"1"}}`, `{}`, false},
		{"less than nothing is nothing", `{"requests":{"cpu":"0"}}`, `{"requests":{"cpu":"-1"}}`, `{}`, true},
		{"one that cannot be read elsewhere", full(one, one), full(two, two), `{"limits":{"cpu":"x"}}`, false},
	} {
		spec, ok := daemonset.InPlace(pod(c.from, c.init), pod(c.to, c.init), "h", scaling)
		require.Equal(t, c.want, ok, c.why)
		if c.why == "guaranteed by its limits" {
			cpu := map[string]string{"cpu": "2"}
			require.Equal(t, map[string]daemonset.Resources{"a": {Limits: cpu, Requests: cpu}}, spec.Resources, "a request follows")
		}
	}
}

// A pod stays ready if only its resources change; containers of a lower
// priority follow.
func TestInPlaceScaling(t *testing.T) {
	const base = `{"limits":{"cpu":"1"}}`
	const policy = `,"resizePolicy":[{"resourceName":"cpu","restartPolicy":"RestartContainer"}]`
	for _, c := range []struct {
		why, image, policy, want string
		closes                   bool
	}{
		{"resources only", "a", "", "resources of app", false},
		{"restarts", "a", policy, "resources of app", true},
		{"image too", "b", "", "app=b, resources of app", true},
	} {
		s := inPlaceCluster(1)
		s.DaemonSet.Template.Data = scaled(c.image, `{"limits":{"cpu":"2"}}`, c.policy)
		s.Revisions[0].Data, s.Revisions[1].Data = scaled("a", base, c.policy), s.DaemonSet.Template.Data
		s.Pods[0].Containers = daemonset.Containers(s.Revisions[0].Data)
		require.Len(t, deleted(mustPlan(t, s, kruise)), 1, c.why)
		p := mustPlan(t, s, scaling)
		require.Equal(t, "Updated pod p1 on node n1 in place: "+c.want+" (Rollout)", p.String(), c.why)
		a := p.Actions[0].(daemonset.UpdatePod)
		require.Equal(t, c.closes, a.CloseGate, c.why)
		require.True(t, a.Patch.State.Scales)
		roundTrip(t, p)
	}
	// A pod of which everything changes is not ready meanwhile.
	s := inPlaceCluster(1)
	data := func(image, cpu, note string) []byte {
		env := `,"env":[{"name":"NOTE","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['note']"}}}]`
		return []byte(strings.Replace(string(scaled(image, `{"limits":{"cpu":"`+cpu+`"}}`, env)), `"metadata":{}`, `"metadata":{"annotations":{"note":"`+note+`"}}`, 1))
	}
	s.Revisions[0].Data, s.Revisions[1].Data = data("a", "1", "x"), data("b", "2", "y")
	s.DaemonSet.Template.Data, s.Pods[0].Containers = s.Revisions[1].Data, daemonset.Containers(s.Revisions[0].Data)
	a := mustPlan(t, s, scaling).Actions[0].(daemonset.UpdatePod)
	require.True(t, a.CloseGate)
	require.Equal(t, []any{map[string]string{"app": "b"}, 1, 1}, []any{a.Patch.Images, len(a.Patch.Resources), len(a.Patch.Annotations)})
	for _, spec := range []daemonset.InPlaceSpec{{}, {Images: map[string]string{"a": "b"}}, {Resources: map[string]daemonset.Resources{"a": {}}}} {
		state := daemonset.FirstBatch(nil, &spec, t0).State
		require.Equal(t, []bool{spec.Images != nil, spec.Resources != nil}, []bool{state.Images, state.Scales})
	}
	two := func(cpu string) daemonset.Resources {
		return daemonset.Resources{Limits: map[string]string{"cpu": cpu}}
	}
	containers := []daemonset.Container{{Name: "a", Priority: new(int32(1))}, {Name: "b", Priority: new(int32(2))}}
	spec := daemonset.InPlaceSpec{Resources: map[string]daemonset.Resources{"a": two("1"), "b": two("2")}}
	first := daemonset.FirstBatch(containers, &spec, t0)
	require.Equal(t, map[string]daemonset.Resources{"b": two("2")}, first.Resources)
	require.Equal(t, []string{"b"}, first.State.PreCheck.Ready)
	last := daemonset.NextBatch(containers, &first.State, t0)
	require.Equal(t, map[string]daemonset.Resources{"a": two("1")}, last.Resources)
	require.Nil(t, last.State.PreCheck)
}

func TestQuantity(t *testing.T) {
	for _, same := range [][]string{
		{"0", "-0", "+0.00", ".0Ki", "0e9", "0n"},
		{"1", "+1", "1.", "01.0", "1000m", "1000000u", "1000000000n", "0.001k", "10e-1", ".1E1", "1e+0"},
		{"-1.5", "-1500m"}, {"1k", "1e3", "1E3"}, {"1M", "1000k"}, {"1G", "1000M"}, {"1T", "1000G"}, {"1P", "1000T"}, {"1E", "1000P", "1e18"},
		{"1Ki", "1024"}, {"1Mi", "1024Ki", "1048576"}, {"1Gi", "1024Mi"}, {"1Ti", "1024Gi"}, {"1Pi", "1024Ti"},
		{"1Ei", "1024Pi", "1152921504606846976"}, {"0.5Gi", "512Mi"}, {"9999999999999999999999Ki", "10239999999999999999998976"},
	} {
		for _, text := range same {
			require.True(t, daemonset.SameAmount(same[0], text), "%s %s", same[0], text)
		}
		require.False(t, daemonset.SameAmount(same[0], "1.0000000000000000000000001"))
	}
	for _, text := range []string{
		"", "+", "-", ".", "1.1.1", "--1", "1 ", " 1", "1K", "1i", "1ki", "1mi", "1x", "1e", "1e-", "1e1.5", "1e99999999999", "k", "Ki", "1KiB", "1kk", "1\xff",
	} {
		require.False(t, daemonset.SameAmount(text, text), text)
	}
}
