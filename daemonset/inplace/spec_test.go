// SPDX-License-Identifier: Apache-2.0

package inplace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/stretchr/testify/require"
)

// scaled is the data of a template with containers app and log, of which app has the
// resources and the image, and with an init container.
func scaled(image, resources, rest string) []byte {
	return storedAs(`{}`, `{"containers":[{"image":"`+image+`","name":"app","resources":`+resources+rest+`},{"image":"log","name":"log"}],
		"initContainers":[{"image":"i","name":"i","resources":{"limits":{"cpu":"1"}}}]}`)
}

// Which changes of resources qualify.
func TestResources(t *testing.T) {
	const base = `{"claims":[{"name":"c"}],"limits":{"cpu":"1","memory":"1Gi","x/gpu":"1"},"requests":{"cpu":"500m","memory":"1Gi"}}`
	only := func(r inplace.Resources) map[string]inplace.Resources {
		return map[string]inplace.Resources{"app": r}
	}
	limits := func(name, value string) map[string]inplace.Resources {
		return only(inplace.Resources{Limits: map[string]string{name: value}})
	}
	requests := func(name, value string) map[string]inplace.Resources {
		return only(inplace.Resources{Requests: map[string]string{name: value}})
	}
	for _, c := range []struct {
		why, old, new string // replacements in base
		want          map[string]inplace.Resources
	}{
		{"nothing", `1`, `1`, nil},
		{"a limit of cpu", `"limits":{"cpu":"1"`, `"limits":{"cpu":"2"`, limits("cpu", "2")},
		{"a limit of memory", `"memory":"1Gi","x`, `"memory":"2Gi","x`, limits("memory", "2Gi")},
		{"a request of cpu", `500m`, `0.7`, requests("cpu", "0.7")},
		{"a request of memory", `"memory":"1Gi"}`, `"memory":"1e9"}`, requests("memory", "1e9")},
		{"the same amount in other words", `500m`, `0.5`, requests("cpu", "0.5")},
	} {
		spec, ok := inplace.CalculateSpec(scaled("a", base, ""), scaled("a", strings.Replace(base, c.old, c.new, 1), ""), "h", inplace.Options{VerticalScaling: true})
		require.True(t, ok, c.why)
		require.Equal(t, inplace.Spec{Revision: "h", Resources: c.want}, spec, c.why)
		text, err := json.Marshal(spec)
		require.NoError(t, err)
		var back inplace.Spec
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, spec, back)
		_, ok = inplace.CalculateSpec(scaled("a", base, ""), scaled("a", strings.Replace(base, c.old, c.new, 1), ""), "h", inplace.Options{})
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
		_, ok := inplace.CalculateSpec(from, to, "h", inplace.Options{VerticalScaling: true})
		require.False(t, ok, c.why)
		_, ok = inplace.CalculateSpec(to, from, "h", inplace.Options{VerticalScaling: true})
		require.False(t, ok, "the other way round: %s", c.why)
	}
	init := []byte(strings.Replace(string(scaled("a", base, "")), `{"limits":{"cpu":"1"}}`, `{"limits":{"cpu":"2"}}`, 1))
	_, ok := inplace.CalculateSpec(scaled("a", base, ""), init, "h", inplace.Options{VerticalScaling: true})
	require.False(t, ok, "an init container")

	unreadable := func(image string) []byte {
		return []byte(strings.Replace(string(scaled(image, base, "")), `{"limits":{"cpu":"1"}}`, `{"limits":{"cpu":"x"}}`, 1))
	}
	_, ok = inplace.CalculateSpec(unreadable("a"), unreadable("b"), "h", inplace.Options{VerticalScaling: true})
	require.True(t, ok, "the quality of service matters only if resources change")

	// With an image, and a policy.
	to := scaled("b", strings.Replace(base, "500m", "600m", 1), "")
	spec, ok := inplace.CalculateSpec(scaled("a", base, ""), to, "h", inplace.Options{VerticalScaling: true})
	require.True(t, ok)
	require.Equal(t, inplace.Spec{Revision: "h", Images: map[string]string{"app": "b"}, Resources: requests("cpu", "600m")}, spec)
	for resource, want := range map[string]bool{"cpu": true, "memory": false} {
		policy := `,"resizePolicy":[{"resourceName":"` + resource + `","restartPolicy":"RestartContainer"}]`
		spec, ok = inplace.CalculateSpec(scaled("a", base, policy), scaled("a", strings.Replace(base, "500m", "600m", 1), policy), "h", inplace.Options{VerticalScaling: true})
		require.True(t, ok)
		require.Equal(t, want, spec.Restart, resource)
	}
}

// The quality of service must stay; amounts count for it and not texts.
func TestQuality(t *testing.T) {
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
		spec, ok := inplace.CalculateSpec(pod(c.from, c.init), pod(c.to, c.init), "h", inplace.Options{VerticalScaling: true})
		require.Equal(t, c.want, ok, c.why)
		if c.why == "guaranteed by its limits" {
			cpu := map[string]string{"cpu": "2"}
			require.Equal(t, map[string]inplace.Resources{"a": {Limits: cpu, Requests: cpu}}, spec.Resources, "a request follows")
		}
	}
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
			require.True(t, inplace.SameAmount(same[0], text), "%s %s", same[0], text)
		}
		require.False(t, inplace.SameAmount(same[0], "1.0000000000000000000000001"))
	}
	for _, text := range []string{
		"", "+", "-", ".", "1.1.1", "--1", "1 ", " 1", "1K", "1i", "1ki", "1mi", "1x", "1e", "1e-", "1e1.5", "1e99999999999", "k", "Ki", "1KiB", "1kk", "1\xff",
	} {
		require.False(t, inplace.SameAmount(text, text), text)
	}
}

func TestPossible(t *testing.T) {
	data := func(spec string) []byte { return []byte(`{"spec":{"template":` + spec + `}}`) }
	base := `{"metadata":{},"spec":{"a":[1,{"b":null}],"containers":[{"name":"c","image":"1"}]}}`
	for _, c := range []struct {
		why      string
		from, to string
		want     bool
	}{
		{"no difference", base, base, true},
		{"image", base, strings.Replace(base, `"image":"1"`, `"image":"2"`, 1), true},
		{"another part of the template", base, strings.Replace(base, `"metadata"`, `"x":1,"metadata"`, 1), false},
		{"a field is gone", strings.Replace(base, `"a"`, `"z":1,"a"`, 1), base, false},
		{"a list is longer", base, strings.Replace(base, `[1,`, `[1,2,`, 1), false},
		{"a number differs", base, strings.Replace(base, `[1,`, `[2,`, 1), false},
		{"a list is no list", base, strings.Replace(base, `[1,{"b":null}]`, `1`, 1), false},
		{"a map is no map", base, strings.Replace(base, `{"b":null}`, `1`, 1), false},
		{"the other way round", strings.Replace(base, `{"b":null}`, `1`, 1), base, false},
		{"a container more", base, strings.Replace(base, `[{"name"`, `[{"name":"d"},{"name"`, 1), false},
		{"a container is no map", base, strings.Replace(base, `[{"name":"c","image":"1"}]`, `[1]`, 1), false},
		{"renamed", base, strings.Replace(base, `"c"`, `"d"`, 1), false},
		{"an image is added", strings.Replace(base, `,"image":"1"`, ``, 1), base, false},
		{"not readable", `1`, base, false},
		{"not readable", base, `[`, false},
		{"no spec", `{"metadata":{}}`, `{"metadata":{}}`, false},
	} {
		_, ok := inplace.CalculateSpec(data(c.from), data(c.to), "h", inplace.Options{})
		require.Equal(t, c.want, ok, "%s: %s", c.why, c.to)
	}
	require.Nil(t, inplace.Containers([]byte("x")))
}

// The last annotation of a template goes, and takes those of others along.
func TestAllAnnotations(t *testing.T) {
	from := []byte(`{"spec":{"template":{"metadata":{"annotations":{"a":"1"},"labels":{"l":"1"}},"spec":{"containers":[]}}}}`)
	to := []byte(`{"spec":{"template":{"metadata":{},"spec":{"containers":[]}}}}`)
	spec, ok := inplace.CalculateSpec(from, to, "h", inplace.Options{})
	require.True(t, ok)
	require.Equal(t, inplace.MetadataPatch{AllLabels: true, AllAnnotations: true}, spec.Metadata)
	batch := inplace.FirstBatch(nil, &spec, t0)
	require.True(t, batch.AllAnnotations && batch.AllLabels)
	spec, ok = inplace.CalculateSpec(from, to, "h", inplace.Options{KeepMetadata: true})
	require.True(t, ok)
	want := inplace.MetadataPatch{Labels: map[string]*string{"l": nil}, Annotations: map[string]*string{"a": nil}}
	require.Empty(t, cmp.Diff(want, spec.Metadata))
	batch = inplace.FirstBatch(nil, &spec, t0)
	require.Equal(t, []string{"a"}, batch.RemoveAnnotations)
	require.Equal(t, "metadata", batch.String())
}

// Containers that refer to the same metadata go together.
func TestOverlap(t *testing.T) {
	containers := []inplace.Container{{Name: "a"}, {Name: "b", Priority: ptr.To(int32(1))}, {Name: "c", Priority: ptr.To(int32(5))}, {Name: "d", Priority: ptr.To(int32(1))}}
	ref := func(keys ...string) inplace.RefMetadata {
		m := inplace.RefMetadata{Labels: map[string]string{}}
		for _, k := range keys {
			m.Labels[k] = "1"
		}
		return m
	}
	spec := inplace.Spec{Refs: map[string]inplace.RefMetadata{"a": ref("x"), "b": ref("x", "y"), "c": ref("z"), "d": ref("w")}}
	batch := inplace.FirstBatch(containers, &spec, t0)
	require.Equal(t, []string{"a", "b", "c"}, batch.State.PreCheck.Ready)
	require.Equal(t, map[string]string{"x": "1", "y": "1", "z": "1"}, batch.Labels)
	require.Equal(t, map[string]inplace.RefMetadata{"d": ref("w")}, batch.State.NextRefs)
	last := inplace.NextBatch(containers, &batch.State, t0)
	require.Nil(t, last.State.PreCheck)
	require.Len(t, last.State.Batches, 2)
	require.Len(t, batch.State.Batches, 1, "the argument is left alone")
}

func storedAs(metadata, spec string) []byte {
	return []byte(`{"spec":{"template":{"metadata":` + metadata + `,"spec":` + spec + `}}}`)
}

// Which changes of a template qualify, and what becomes of them.
func TestRules(t *testing.T) {
	const one = `{"containers":[{"image":"a:1","name":"a"},{"image":"b:1","name":"b"}],"initContainers":[{"image":"i:1","name":"i"}]}`
	for _, c := range []struct {
		why            string
		metadata, spec string // the new template
		want           bool
	}{
		{"nothing", `{}`, one, true}, {"labels and annotations", `{"annotations":{"x":"1"},"labels":{"y":"2"}}`, one, true},
		{"an image", `{}`, strings.Replace(one, "b:1", "b:2", 1), true}, {"both images", `{}`, strings.NewReplacer("a:1", "a:2", "b:1", "b:2").Replace(one), true},
		{"the image of an init container", `{}`, strings.Replace(one, "i:1", "i:2", 1), false},
		{"a container less", `{}`, strings.Replace(one, `,{"image":"b:1","name":"b"}`, "", 1), false},
		{"another order", `{}`, `{"containers":[{"image":"b:1","name":"b"},{"image":"a:1","name":"a"}],"initContainers":[{"image":"i:1","name":"i"}]}`, false},
		{"environment", `{}`, strings.Replace(one, `"name":"a"`, `"env":[{"name":"A"}],"name":"a"`, 1), false},
		{"resources: behind a gate that is off", `{}`, strings.Replace(one, `"name":"a"`, `"name":"a","resources":{"limits":{"cpu":"1"}}`, 1), false},
	} {
		_, ok := inplace.CalculateSpec(storedAs(`{}`, one), storedAs(c.metadata, c.spec), "h", inplace.Options{})
		require.Equal(t, c.want, ok, c.why)
	}

	from := func(key, name string) string {
		return `{"name":"` + name + `","valueFrom":{"fieldRef":{"fieldPath":"metadata.` + key + `"}}}`
	}
	spec := `{"containers":[{"env":[` + strings.Join([]string{from("labels['x']", "X"), from("annotations['y']", "SIDECARSET_VERSION"), from("labels['gone']", "G"), from("name", "N")}, ",") + `],"image":"a:IMAGE","name":"a"}]}`
	got, ok := inplace.CalculateSpec(storedAs(`{"labels":{"gone":"1","kept":"1","x":"1"},"annotations":{"y":"1"}}`, strings.Replace(spec, "IMAGE", "1", 1)),
		storedAs(`{"labels":{"kept":"1","x":"2","z":"3"},"annotations":{"y":"2"}}`, strings.Replace(spec, "IMAGE", "2", 1)), "h", inplace.Options{})
	require.True(t, ok)
	want := inplace.Spec{
		Revision: "h", Images: map[string]string{"a": "a:2"}, FromEnv: true, Refs: map[string]inplace.RefMetadata{"a": {Labels: map[string]string{"x": "2"}}},
		Metadata: inplace.MetadataPatch{Labels: map[string]*string{"z": ptr.To("3"), "gone": nil}, Annotations: map[string]*string{"y": ptr.To("2")}},
	}
	require.Empty(t, cmp.Diff(want, got), "a key that is removed, and that of a SidecarSet, do not go with the container")
}

// When an update in place is over.
func TestCompletedRules(t *testing.T) {
	state := inplace.State{Last: map[string]inplace.LastContainer{"app": {ImageID: "old"}}}
	fromEnv := state
	fromEnv.FromEnv = true
	pending := state
	pending.NextImages = map[string]string{"late": "x"}
	running := func(image, ran, id string) []inplace.Container {
		return []inplace.Container{{Name: "app", Image: image, Status: &inplace.ContainerStatus{Image: ran, ImageID: id}}}
	}
	for _, c := range []struct {
		why        string
		state      inplace.State
		containers []inplace.Container
		plain, env bool
		want       bool
	}{
		{"another image", state, running("app:2", "app:1", "new"), false, false, true},
		{"the same image still", state, running("app:2", "app:1", "old"), false, false, false},
		{"the same ID by the wanted name", state, running("app:2", "app:2", "old"), false, false, true},
		{"a name without a tag is the latest", state, running("app", "app:latest", "old"), false, false, true},
		{"no status", state, []inplace.Container{{Name: "app", Image: "app:2"}}, false, false, false},
		{"no container", state, nil, false, false, false},
		{"the node agent says so", state, running("app:2", "app:1", "old"), true, false, true},
		{"the environment is not there yet", fromEnv, running("app:2", "app:1", "new"), false, false, false},
		{"nor do plain hashes tell about it", fromEnv, running("app:2", "app:1", "new"), true, false, false},
		{"the environment is there", fromEnv, running("app:2", "app:1", "new"), false, true, true},
		{"a batch is to come", pending, running("app:2", "app:1", "new"), true, true, false},
		{"nothing was recorded", inplace.State{}, nil, false, false, true},
	} {
		text, err := json.Marshal(c.state)
		require.NoError(t, err)
		p := inplace.Pod{Annotations: map[string]string{inplace.AnnotationState: string(text)}, Containers: c.containers, RuntimePlain: c.plain, RuntimeEnv: c.env}
		require.Equal(t, c.want, inplace.Completed(p), c.why)
	}
}
