// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/command"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
)

const data = "../../testdata/"

// file reads a manifest.
func file(t *testing.T, name string) string {
	text, err := os.ReadFile(data + name)
	require.NoError(t, err)
	return string(text)
}

// steps are those that the playground shows, as a table.
func steps(t *testing.T, in Input) string {
	line, _, _, err := simulate(in)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, timeline.CSV(&b, []*timeline.Timeline{line}))
	return b.String()
}

// kplan returns the same of the command.
func kplan(t *testing.T, in Input, flags ...string) string {
	dir, args := t.TempDir(), []string{"kplan", "simulate", "-o", "csv"}
	for name, text := range map[string]string{"--from": in.Now, "-f": in.Next} {
		if text == "" {
			continue
		}
		path := filepath.Join(dir, strings.Trim(name, "-")+".yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		args = append(args, name, path)
	}
	var stdout, stderr bytes.Buffer
	command.Execute(append(args, flags...), strings.NewReader(""), &stdout, &stderr)
	require.NotEmpty(t, stdout.String(), stderr.String())
	return stdout.String()
}

// TestAsTheCommand: the playground and the command tell of the same steps.
func TestAsTheCommand(t *testing.T) {
	v1, v2 := file(t, "echoserver-v1.yaml"), file(t, "echoserver-v2.yaml")
	change := func(text string, pairs ...string) string {
		changed := strings.NewReplacer(pairs...).Replace(text)
		require.NotEqual(t, text, changed)
		return changed
	}
	strategy := func(text string) string {
		return change(v2, "  replicas: 6\n", "  replicas: 6\n  strategy: "+text+"\n")
	}
	for name, c := range map[string]struct {
		now, next string
		e         Environment
		flags     []string
	}{
		"plain":        {now: v1, next: v2, e: Environment{Start: 10}},
		"slow":         {now: v1, next: v2, e: Environment{Start: 45, Terminate: 30}, flags: []string{"--ready-after", "45s", "--terminate-after", "30s"}},
		"random":       {now: v1, next: v2, e: Environment{Start: 10, Terminate: 5, Jitter: 7}, flags: []string{"--terminate-after", "5s", "--jitter", "7s"}},
		"latency":      {now: v1, next: v2, e: Environment{Start: 10, Notice: 2}, flags: []string{"--notice-after", "2s"}},
		"broken":       {now: v1, next: v2, e: Environment{Start: 10, Broken: true}, flags: []string{"--never-ready"}},
		"zones":        {now: v1, next: v2, e: Environment{Start: 10, Zones: 3}, flags: []string{"--nodes", "6", "--zones", "3"}},
		"two zones":    {now: v1, next: v2, e: Environment{Start: 10, Zones: 2}, flags: []string{"--nodes", "4", "--zones", "2"}},
		"from nothing": {next: v2, e: Environment{Start: 10}},
		"nothing new":  {now: v2, next: v2, e: Environment{Start: 10}},
		"scaled":       {now: v1, next: change(v1, "replicas: 6", "replicas: 9"), e: Environment{Start: 10}},
		"both":         {now: v1, next: change(v2, "replicas: 6", "replicas: 30"), e: Environment{Start: 10}},
		"default size": {now: v1, next: change(v2, "  replicas: 6\n", ""), e: Environment{Start: 10}},
		"Recreate":     {now: v1, next: strategy("{type: Recreate}"), e: Environment{Start: 10, Terminate: 5}, flags: []string{"--terminate-after", "5s"}},
		"limits":       {now: v1, next: strategy("{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"), e: Environment{Start: 10}},
		"percentages":  {now: v1, next: strategy(`{rollingUpdate: {maxSurge: "0%", maxUnavailable: 50%}}`), e: Environment{Start: 10}},
		"slow to count": {now: v1, next: change(v2, "  replicas: 6\n", "  replicas: 6\n  minReadySeconds: 20\n  progressDeadlineSeconds: 25\n"),
			e: Environment{Start: 10}},
		"paused": {now: v1, next: change(v2, "  replicas: 6\n", "  replicas: 6\n  paused: true\n"), e: Environment{Start: 10}},
		"a hook of metadata": {now: v1, next: change(v1, "      labels:\n        app: echoserver\n    spec", "      labels:\n        app: echoserver\n        new: label\n    spec"),
			e: Environment{Start: 10}},
		"another file": {now: file(t, "web-v1.yaml"), next: file(t, "web-v2.yaml"), e: Environment{Start: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Now: c.now, Next: c.next, Environment: c.e}
			require.Empty(t, cmp.Diff(kplan(t, in, c.flags...), steps(t, in)))
		})
	}
}

// Spelled out is what the API server fills in, as far as the playground knows of it.
const spelledOut = `
          imagePullPolicy: IfNotPresent
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
          resources: {}
          ports: [{name: http, containerPort: 8080, protocol: TCP}]
          env: [{name: NODE, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: spec.nodeName}}}]
          volumeMounts: []
          readinessProbe: {httpGet: {path: /, port: http, scheme: HTTP}, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3}
          livenessProbe: {tcpSocket: {port: http}, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3}
      initContainers: [{name: init, image: "init:latest", imagePullPolicy: Always, resources: {}}, {name: bare, image: "quay.io:443/bare", imagePullPolicy: Always}, {name: pinned, image: "pinned@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", imagePullPolicy: IfNotPresent}, {name: both, image: "both:latest@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", imagePullPolicy: Always}]
      restartPolicy: Always
      dnsPolicy: ClusterFirst
      schedulerName: default-scheduler
      terminationGracePeriodSeconds: 30
      securityContext: {}
      volumes: [{name: a, configMap: {name: a, defaultMode: 420}}, {name: b, secret: {secretName: b, defaultMode: 0o644}}]
`

const leftOut = `
          ports: [{name: http, containerPort: 8080}]
          env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
          readinessProbe: {httpGet: {port: http}}
          livenessProbe: {tcpSocket: {port: http}}
      initContainers: [{name: init, image: "init:latest"}, {name: bare, image: "quay.io:443/bare"}, {name: pinned, image: "pinned@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}, {name: both, image: "both:latest@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}]
      volumes: [{name: a, configMap: {name: a}}, {name: b, secret: {secretName: b}}]
`

// TestDefaults: what the API server fills in makes no new template, to the command and to the
// playground, and what it would not fill in does.
func TestDefaults(t *testing.T) {
	v1 := file(t, "echoserver-v1.yaml")
	head := v1[:strings.Index(v1, "\n          ports:")]
	in := Input{Now: head + leftOut, Next: head + spelledOut, Environment: Environment{Start: 10}}
	require.Equal(t, kplan(t, in), steps(t, in))
	require.Equal(t, 2, strings.Count(steps(t, in), "\n"), "the end alone")
	for _, pair := range [][2]string{
		{"imagePullPolicy: IfNotPresent", "imagePullPolicy: Always"}, {"latest\", imagePullPolicy: Always", "latest\", imagePullPolicy: IfNotPresent"},
		{"periodSeconds: 10", "periodSeconds: 11"}, {"protocol: TCP", "protocol: UDP"}, {"securityContext: {}", "securityContext: {runAsUser: 1}"},
		{"defaultMode: 420", "defaultMode: 421"}, {"path: /,", "path: /x,"}, {"terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 31"},
		{"dnsPolicy: ClusterFirst", "enableServiceLinks: true"}, // which is filled in in pods, not in templates
	} {
		other := in
		other.Next = strings.Replace(in.Next, pair[0], pair[1], 1)
		require.NotEqual(t, in.Next, other.Next)
		require.Equal(t, kplan(t, other), steps(t, other), pair[1])
		require.Contains(t, steps(t, other), "the template is new", pair[1])
	}
}

// TestWrong: what is wrong is told, with the text that it is in, in words that say what to do.
func TestWrong(t *testing.T) {
	good, _, _ := strings.Cut(file(t, "echoserver-v1.yaml"), "\n---\n")
	change := func(old, text string) string {
		changed := strings.Replace(good, old, text, 1)
		require.NotEqual(t, good, changed, old)
		return changed
	}
	for _, c := range []struct{ now, next, box, want string }{
		{good, "", "next", "no Deployment in it"},
		{good, "kind: Service\napiVersion: v1", "next", "no Deployment in it"},
		{good, "a: [", "next", "line 1: did not find expected node content"},
		{"a: [", good, "now", "line 1: did not find expected node content"},
		{good, "just text", "next", "line 1: cannot unmarshal"},
		{good, "a: 1", "next", "line 1: an object needs a kind"},
		{good, change("replicas: ", "replicas: many # "), "next", "line 8: cannot unmarshal !!str `many` into int32"},
		{good, change("replicas: ", "replicas: -1 # "), "next", "spec.replicas: -1 is negative"},
		{good, change("replicas: ", "replicas: 100000 # "), "next", "spec.replicas: at most 2000 are simulated here; the command takes more"},
		{change("replicas: ", "replicas: 100000 # "), good, "now", "spec.replicas: at most 2000 are simulated here; the command takes more"},
		{good, change("replicas: ", "strategy: {type: Wrong}\n  replicas: "), "next", `spec.strategy.type: "Wrong" must be RollingUpdate or Recreate`},
		{good, change("replicas: ", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}}\n  replicas: "), "next", "must not both be 0"},
		{good, change("replicas: ", "strategy: {rollingUpdate: {maxSurge: few}}\n  replicas: "), "next", "line 8: maxSurge must be a number of pods, or a percentage such as 25%"},
		{good, change("replicas: ", "strategy: {rollingUpdate: {maxSurge: '3'}}\n  replicas: "), "next", "maxSurge must be a number"},
		{good, change("matchLabels", "matchNothing"), "next", "spec.selector: must not be empty"},
		{good, change("selector:", "chooses:"), "next", "spec.selector: must be set"},
		{good, change("template:", "pattern:"), "next", "spec.template: must be set"},
		{good, change("  name: ", "  title: "), "next", "metadata.name: must be set"},
		{good, change("containers:", "1: 2\n      containers:"), "next", "spec.template: keys must be strings"},
	} {
		out := Answer(Input{Now: c.now, Next: c.next})
		require.Equal(t, c.box, out.Box, c.want)
		require.Contains(t, out.Error, c.want)
		require.Empty(t, out.Section)
	}
}

// TestNotes: what is not looked at is told, and so are lists read.
func TestNotes(t *testing.T) {
	v1 := file(t, "echoserver-v1.yaml")
	out := Answer(Input{Now: file(t, "web-v1.yaml"), Next: v1})
	require.Empty(t, out.Error)
	require.Equal(t, []string{"Not looked at: Service echoserver, Ingress echoserver.", "No Deployment echoserver is running, so it starts from nothing."}, out.Notes)
	require.Equal(t, "Complete after 0s", out.Verdict)
	list := "kind: List\napiVersion: v1\nitems:\n- " + strings.ReplaceAll(strings.Split(v1, "\n---\n")[0], "\n", "\n  ")
	require.Equal(t, steps(t, Input{Next: v1}), steps(t, Input{Next: list}))
	require.Equal(t, steps(t, Input{Next: v1}), steps(t, Input{Now: "---\n# nothing\n---\n", Next: "---\n" + v1}))
}

// FuzzAnswer: whatever is typed is answered.
func FuzzAnswer(f *testing.F) {
	text, err := os.ReadFile(data + "web-v1.yaml")
	require.NoError(f, err)
	f.Add(string(text), string(text), 1.0, 1)
	f.Add("a: &a [*a]", "kind: List\nitems: [null]", -1.0, -1)
	f.Add("", "kind: Deployment\napiVersion: apps/v1\nspec: {template: {spec: {containers: [null, {image: 1}]}}}", 1e300, 1<<40)
	f.Fuzz(func(t *testing.T, now, next string, time float64, zones int) {
		out := Answer(Input{Now: now, Next: next, Environment: Environment{time, time, time, time, zones, zones%2 == 1}})
		require.True(t, (out.Error == "") == (out.Section != ""))
	})
}
