// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

const data = "../../testdata/"

// good is the smallest Deployment that the API server accepts.
const good = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web:1}]}
`

// with returns the good Deployment with a line in its spec.
func with(line string) string { return strings.Replace(good, "spec:\n", "spec:\n  "+line+"\n", 1) }

// limits returns the good Deployment with limits of a rolling update.
func limits(text string) string { return with("strategy: {rollingUpdate: {" + text + "}}") }

// TestBadInput: one line says which file, which object, which field, and what is
// wrong, and the exit code is 1.
func TestBadInput(t *testing.T) {
	other := strings.ReplaceAll(good, "web}}\n  template", "shop}}\n  template")
	tests := map[string]struct {
		text string
		want string
	}{
		"negative replicas":   {with("replicas: -1"), `deploy.yaml: Deployment "web": spec.replicas: -1: must not be negative`},
		"absurd replicas":     {with("replicas: 10000000000"), `deploy.yaml: Deployment "web": spec.replicas: 10000000000: must be a whole number of 32 bits`},
		"half a replica":      {with("replicas: 2.5"), `deploy.yaml: Deployment "web": spec.replicas: 2.5: must be a whole number of 32 bits`},
		"replicas in words":   {with("replicas: three"), `deploy.yaml: Deployment "web": spec.replicas: "three": must be a whole number of 32 bits`},
		"replicas as a list":  {with("replicas: [3]"), `deploy.yaml: Deployment "web": spec.replicas: array: must be a whole number of 32 bits`},
		"no percentage":       {limits("maxSurge: a lot"), `deploy.yaml: Deployment "web": spec.strategy.rollingUpdate.maxSurge: "a lot": must be a whole number or a percentage such as 25%`},
		"number in quotes":    {limits(`maxSurge: "5"`), `deploy.yaml: Deployment "web": spec.strategy.rollingUpdate.maxSurge: "5": must be a whole number or a percentage such as 25%`},
		"half a percent":      {limits("maxUnavailable: 12.5%"), `deploy.yaml: Deployment "web": spec.strategy.rollingUpdate.maxUnavailable: "12.5%": must be a whole number or a percentage such as 25%`},
		"fraction":            {limits("maxSurge: 1.5"), `deploy.yaml: Deployment "web": spec.strategy.rollingUpdate.maxSurge: 1.5: must be a whole number of 32 bits or a percentage such as 25%`},
		"absurd limit":        {limits("maxSurge: 10000000000"), `deploy.yaml: Deployment "web": spec.strategy.rollingUpdate.maxSurge: 10000000000: must be a whole number of 32 bits or a percentage such as 25%`},
		"negative limit":      {limits("maxSurge: -2"), `deploy.yaml: Deployment "web": spec.strategy.rollingUpdate.maxSurge: -2: must not be negative`},
		"both limits 0":       {limits("maxSurge: 0, maxUnavailable: 0%"), `deploy.yaml: Deployment "web": spec.strategy.rollingUpdate.maxUnavailable: 0%: must not be 0 if maxSurge is 0`},
		"negative wait":       {with("minReadySeconds: -5"), `deploy.yaml: Deployment "web": spec.minReadySeconds: -5: must not be negative`},
		"unknown strategy":    {with("strategy: {type: BlueGreen}"), `deploy.yaml: Deployment "web": spec.strategy.type: "BlueGreen": must be RollingUpdate or Recreate`},
		"no selector":         {strings.Replace(good, "  selector: {matchLabels: {app: web}}\n", "", 1), `deploy.yaml: Deployment "web": spec.selector: "": must be set and not empty`},
		"foreign selector":    {other, `deploy.yaml: Deployment "web": spec.template.metadata.labels: "app=web": must match the selector app=shop`},
		"no such field":       {with("replcas: 3"), `deploy.yaml: Deployment "web": unknown field "spec.replcas": did you mean replicas?`},
		"no such fields":      {strings.Replace(with("replcas: 3"), "image:", "imge: x, image:", 1), `deploy.yaml: Deployment "web": unknown field "spec.replcas": did you mean replicas? (and 1 more)`},
		"nothing near":        {with("elephants: 3"), `deploy.yaml: Deployment "web": unknown field "spec.elephants"`},
		"two errors":          {strings.Replace(with("replicas: -1"), "  selector: {matchLabels: {app: web}}\n", "", 1), `deploy.yaml: Deployment "web": spec.replicas: -1: must not be negative (and 1 more)`},
		"no Deployment":       {"apiVersion: v1\nkind: Service\nmetadata: {name: web}\n", `no Deployment, DaemonSet, Rollout, ReplicaSet or ReplicationController in the input; skipped 1 Service`},
		"older version":       {strings.Replace(good, "apps/v1", "extensions/v1beta1", 1) + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n", `no Deployment, DaemonSet, Rollout, ReplicaSet or ReplicationController in the input; deploy.yaml: skipped Deployment "web" of extensions/v1beta1: its apiVersion is apps/v1 (and 1 more)`},
		"no object":           {"[]\n", `deploy.yaml: must hold objects with an apiVersion and a kind`},
		"a word":              {"web\n", `deploy.yaml: must hold objects with an apiVersion and a kind`},
		"nothing":             {"", "no Deployment, DaemonSet, Rollout, ReplicaSet or ReplicationController in the input"},
		"twice the same name": {good + "---\n" + good, `deploy.yaml: Deployment "web": there is one of this name already, in deploy.yaml`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("deploy.yaml", []byte(tt.text), 0o644))
			for _, command := range []string{"plan", "simulate"} {
				code, stdout, stderr := run(nil, command, "-f", "deploy.yaml")
				require.Equal(t, exitFailure, code)
				require.Empty(t, stdout)
				require.Equal(t, "error: "+tt.want, lastLine(stderr))
				require.Equal(t, 1, strings.Count(stderr, "error:"), stderr)
			}
		})
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// TestBadFiles: messages of the YAML parser and of the file system are passed on,
// in one line.
func TestBadFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("broken.yaml", []byte("apiVersion: apps/v1\nkind: Deployment\n  metadata: {\n"), 0o644))
	require.NoError(t, os.WriteFile("other.yaml", []byte("hello: world\n"), 0o644))
	require.NoError(t, os.WriteFile("deploy.yaml", []byte(good), 0o644))
	require.NoError(t, os.WriteFile("many.yaml", []byte(with("replicas: 2147483647")), 0o644))
	require.NoError(t, os.WriteFile("other-selector.yaml", []byte(strings.ReplaceAll(good, "app: web", "app: shop")), 0o644))
	const set = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-1, uid: r}\nspec: {replicas: 0, selector: {matchLabels: {app: web}}}\n"
	require.NoError(t, os.WriteFile("sets.yaml", []byte(set), 0o644))
	require.NoError(t, os.WriteFile("bad-set.yaml", []byte("apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-2}\n"), 0o644))
	require.NoError(t, os.WriteFile("pod.yaml", []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: stray, uid: p}\n"), 0o644))
	require.NoError(t, os.Mkdir("empty", 0o755))
	tests := []struct {
		args []string
		want []string
	}{
		{[]string{"plan", "-f", "missing.yaml"}, []string{"missing.yaml", "does not exist"}},
		{[]string{"plan", "-f", "missing.yaml", "-f", "gone.yaml"}, []string{"missing.yaml", "does not exist"}},
		{[]string{"plan", "-f", "broken.yaml"}, []string{"error: broken.yaml: yaml: ", "line 3"}},
		{[]string{"plan", "-f", "other.yaml"}, []string{"other.yaml", "must hold objects with an apiVersion and a kind"}},
		{[]string{"plan", "-f", "empty"}, []string{"empty"}},
		{[]string{"plan", "-f", "https://example.com/deploy.yaml"}, []string{"https://example.com/deploy.yaml", "only files"}},
		{[]string{"simulate", "--from", "missing.yaml", "-f", "deploy.yaml"}, []string{"missing.yaml", "does not exist"}},
		{[]string{"explain", "-f", "missing.yaml"}, []string{"missing.yaml", "does not exist"}},
		{[]string{"history", "-f", "broken.yaml"}, []string{"error: broken.yaml: yaml: ", "line 3"}},
		{[]string{"undo", "-f", "other.yaml"}, []string{"other.yaml", "must hold objects with an apiVersion and a kind"}},
		{[]string{"order", "-f", "missing.yaml"}, []string{"missing.yaml", "does not exist"}},
		{[]string{"order", "-f", "deploy.yaml"}, []string{"no ReplicaSet or ReplicationController in the input"}},
		{[]string{"order", "-f", "sets.yaml"}, []string{"no Pod in the input"}},
		{[]string{"order", "-f", "sets.yaml", "-f", "pod.yaml"}, []string{"no ReplicaSet or ReplicationController in the input wants or has pods"}},
		{[]string{"order", "-f", "sets.yaml", "-f", "pod.yaml", "--replicaset", "shop"}, []string{`no ReplicaSet or ReplicationController "shop" with pods in the input`}},
		{[]string{"order", "-f", "sets.yaml", "-f", "sets.yaml", "-f", "pod.yaml"}, []string{`sets.yaml: ReplicaSet "web-1": there is one of this name already, in sets.yaml`}},
		{[]string{"order", "-f", "bad-set.yaml", "-f", "pod.yaml"}, []string{`bad-set.yaml: ReplicaSet "web-2": metadata.uid: "": must be set`}},
		{[]string{"undo", "-f", "many.yaml"}, []string{`no rollout history found for deployment "web"`}},
		{[]string{"simulate", "-f", "many.yaml"}, []string{`many.yaml: Deployment "web": spec.replicas: 2147483647: must be at most 100000 to be simulated`}},
		{[]string{"simulate", "--from", "deploy.yaml", "-f", "other-selector.yaml"}, []string{`other-selector.yaml: Deployment "web": spec.selector: must not change`, "deploy.yaml"}},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			code, stdout, stderr := run([]byte(good), tt.args...)
			require.Equal(t, exitFailure, code, stderr)
			require.Empty(t, stdout)
			require.True(t, strings.HasPrefix(stderr, "error: "), stderr)
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			for _, part := range tt.want {
				require.Contains(t, stderr, part)
			}
		})
	}
}

// TestUsage: what is wrong with the command line itself gives exit code 2.
func TestUsage(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"plan"}, "must have -f FILE, or TYPE/NAME in a cluster"},
		{[]string{"simulate", "--from", "old.yaml"}, "must have -f FILE, or TYPE/NAME in a cluster"},
		{[]string{"plan", "-f", "deploy.yaml", "extra"}, "extra: must be a type such as deployment, daemonset, replicaset, replicationcontroller or rollout"},
		{[]string{"apply"}, `unknown command "apply" for "kplan"`},
		{[]string{"explian"}, `unknown command "explian" for "kplan"; did you mean explain?`},
		{[]string{"plan", "--fast"}, "unknown flag: --fast"},
		{[]string{"plan", "-f", "x", "-o", "xml"}, `invalid argument "xml" for "-o, --output" flag: must be text, wide, json, yaml or name`},
		{[]string{"plan", "-f", "x", "--now", "noon"}, `invalid argument "noon" for "--now" flag: must be a time such as 2026-01-02T15:04:05Z, from 1970 to 2199`},
		{[]string{"plan", "-f", "x", "--now", "9999-01-01T00:00:00Z"}, `invalid argument "9999-01-01T00:00:00Z" for "--now" flag: must be a time such as 2026-01-02T15:04:05Z, from 1970 to 2199`},
		{[]string{"simulate", "-f", "x", "--jitter", "99999999h"}, `invalid argument "99999999h" for "--jitter" flag: must be a duration such as 10s or 1m30s, of at most ten years`},
		{[]string{"simulate", "-f", "x", "--jitter", "87601h"}, `invalid argument "87601h" for "--jitter" flag: must be a duration such as 10s or 1m30s, of at most ten years`},
		{[]string{"simulate", "-f", "x", "--ready-after", "-1s"}, `invalid argument "-1s" for "--ready-after" flag: must be a duration such as 10s or 1m30s, of at most ten years`},
		{[]string{"explain", "-f", "x", "--paused", "stop"}, `invalid argument "stop" for "--paused" flag: must be fill, scale or freeze`},
		{[]string{"plan", "-f", "x", "--terminating", ""}, `invalid argument "" for "--terminating" flag: must be started, complete or known`},
		{[]string{"order", "-f", "x", "--count", "-1"}, `invalid argument "-1" for "--count" flag: must be a number of pods`},
		{[]string{"order", "-f", "x", "--corrected"}, "unknown flag: --corrected"},
		{[]string{"plan", "-f", "x", "--repair", "SucceededPods"}, `invalid argument "SucceededPods" for "--repair" flag: no such quirk, the nearest is SucceededPodsStay; "kplan quirks" lists all`},
		{[]string{"order", "-f", "x", "--repair", "SucceededPodsStay"}, "unknown flag: --repair"},
		{[]string{"quirks", "-o", "xml"}, `invalid argument "xml" for "-o, --output" flag: must be text, wide, json, yaml or name`},
		{[]string{"plan", "-f", "x", "--watch"}, "--watch needs TYPE/NAME in a cluster"},
		{[]string{"simulate", "-f", "x", "--nodes", "1000000000"}, "--nodes 1000000000: must be at most 100000"},
		{[]string{"plan", "-f", "x", "--nodes", "100001"}, "--nodes 100001: must be at most 100000"},
		{[]string{"simulate", "-f", "x", "--scrape-every", "0s"}, "--scrape-every must not be zero"},
		{[]string{"simulate", "-f", "x", "--nodes", "few"}, `invalid argument "few" for "--nodes" flag: must be a whole number that is not negative`},
		{[]string{"simulate", "--from", "-", "-f", "-"}, "standard input can be read only once: --from - and -f -"},
		{[]string{"simulate", "--from", "old.yaml", "--live", "-f", "new.yaml"}, "--from and --live exclude each other"},
		{[]string{"simulate", "--heal", "--never-ready", "-f", "new.yaml"}, "--heal and --never-ready exclude each other"},
		{[]string{"simulate", "-f", "x", "--zones", "3"}, "--zones needs --nodes: it is nodes that are made which it puts into zones"},
		{[]string{"simulate", "-f", "x", "--runs", "3"}, "--runs needs --start"},
		{[]string{"simulate", "-f", "x", "--start", "p50=10s", "--runs", "0"}, "--runs 0: must be from 1 to 10000"},
		{[]string{"simulate", "-f", "x", "--svg", "-", "--html", "-"}, "only one of --svg, --html, --trace, --metrics and --mermaid can be written to standard output"},
		{[]string{"explain", "live/web.yaml"}, "live/web.yaml is a file: -f live/web.yaml"},
		{[]string{"plan", "-"}, "- is a file: -f -"},
		{[]string{"undo"}, "must have -f FILE, or TYPE/NAME in a cluster"},
		{[]string{"history", "-f", "x", "2"}, "2: must be a type such as deployment, daemonset, replicaset, replicationcontroller or rollout"},
		{[]string{"simulate", "-f", "x", "--jitter", "10"}, `invalid argument "10" for "--jitter" flag: must be a duration such as 10s or 1m30s, of at most ten years`},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			code, stdout, stderr := run(nil, tt.args...)
			require.Equal(t, exitUsage, code)
			require.Empty(t, stdout)
			of := "kplan " + tt.args[0]
			if strings.HasPrefix(tt.want, "unknown command") {
				of = "kplan"
			}
			require.Equal(t, "error: "+tt.want+"\nSee '"+of+" --help'.\n", stderr)
		})
	}
}

// TestWidth: whatever is written fits a terminal as wide as most are. Commands to copy are
// whole.
func TestWidth(t *testing.T) {
	files := 0
	require.NoError(t, filepath.WalkDir(data+"golden", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txt" || strings.HasSuffix(path, ".metrics.txt") { // lines of OpenMetrics are whole
			return err
		}
		files++
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "  k") {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), usualWidth, "%s: %s", path, line)
			}
		}
		return err
	}))
	require.Greater(t, files, 100)
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"plan", "--help"}, {"simulate", "--help"}, {"explain", "--help"}, {"history", "--help"}, {"undo", "--help"}, {"order", "--help"}, {"quirks", "--help"}, {"version", "--help"}, {"diff", "--help"}} {
		text := succeed(t, nil, args...)
		name := strings.Trim(strings.Join(append([]string{"help"}, args...), "-"), "-")
		golden(t, data+"golden/"+strings.ReplaceAll(strings.ReplaceAll(name, "---", "-"), "--", "-")+".txt", []byte(text))
		require.Contains(t, text, "Examples:")
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "  k") {
				continue // a command to copy
			}
			require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), usualWidth, line)
		}
	}
}

// TestFlagGroups: help shows each flag once, and a group has no flag that nobody has.
func TestFlagGroups(t *testing.T) {
	unused := map[string]bool{}
	for _, g := range flagGroups {
		for _, name := range g.names {
			require.False(t, unused[name], "%s is in two groups", name)
			unused[name] = true
		}
	}
	for _, c := range newRoot("kplan").Commands() {
		c.InitDefaultHelpFlag()
		text := strings.Join(groupedFlags(c), "\n")
		for _, flags := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
			flags.VisitAll(func(f *pflag.Flag) {
				delete(unused, f.Name)
				shown := strings.Count(text, "--"+f.Name+" ")
				require.Equal(t, f.Hidden, shown == 0, "%s --%s", c.Name(), f.Name)
				require.LessOrEqual(t, strings.Count(text, "    --"+f.Name+" ")+strings.Count(text, ", --"+f.Name+" "), 1)
			})
		}
	}
	require.Empty(t, unused)
}

func TestVersion(t *testing.T) {
	require.Regexp(t, `^kplan version \S+\n$`, succeed(t, nil, "--version"))
}

func TestCompletion(t *testing.T) {
	require.Contains(t, succeed(t, nil, "completion", "bash"), "kplan")
	require.Equal(t, "text\nwide\njson\nyaml\nname\n:4\n", succeed(t, nil, "__complete", "plan", "-o", ""))
	require.Equal(t, "text\nwide\njson\nyaml\nname\ncsv\n:4\n", succeed(t, nil, "__complete", "simulate", "-o", ""))
	require.Equal(t, "text\nwide\njson\nyaml\nname\nmarkdown\n:4\n", succeed(t, nil, "__complete", "diff", "-o", ""))
	require.Equal(t, "all\nsame-template\nnone\n:4\n", succeed(t, nil, "__complete", "explain", "--adoption", ""))
}

// TestPlugin: kubectl runs kubectl-kplan, and help and messages then speak of
// kubectl kplan.
func TestPlugin(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := Execute([]string{"/usr/local/bin/kubectl-kplan", "simulate", "--help"}, nil, &stdout, &stderr)
	require.Zero(t, code)
	require.Contains(t, stdout.String(), "\n  kubectl kplan simulate --from old.yaml -f new.yaml\n")
	require.Contains(t, stdout.String(), "kubectl get deployment,replicaset,pod -o yaml | kubectl kplan simulate -f -")
	require.Contains(t, stdout.String(), "Usage:\n  kubectl kplan simulate ")
	code = Execute([]string{"kubectl-kplan", "apply"}, nil, &stdout, &stderr)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr.String(), "See 'kubectl kplan --help'.")
}

// TestSources: the same Deployment from a file, a folder, standard input, as JSON
// and in a list gives the same plan.
func TestSources(t *testing.T) {
	file, err := filepath.Abs(data + "echoserver-v1.yaml")
	require.NoError(t, err)
	manifest, err := os.ReadFile(file)
	require.NoError(t, err)
	args := []string{"plan", "-o", "json", "--now", "2026-01-02T15:04:05Z", "-f"}
	want := succeed(t, nil, append(args, file)...)
	require.Equal(t, want, succeed(t, manifest, append(args, "-")...))

	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll("folder/inner", 0o755))
	require.NoError(t, os.WriteFile("folder/echo.yaml", manifest, 0o644))
	require.NoError(t, os.WriteFile("folder/notes.txt", []byte("not a manifest"), 0o644))
	require.NoError(t, os.WriteFile("folder/inner/web.yaml", []byte(good), 0o644))
	require.Equal(t, want, succeed(t, nil, append(args, "folder")...))
	require.Equal(t, want, succeed(t, nil, append(args, "folder/*.yaml")...))

	both := succeed(t, nil, append(args, "folder", "-R")...)
	require.Contains(t, both, `"items": [`)
	require.Contains(t, both, `"name": "echoserver"`)
	require.Contains(t, both, `"name": "web"`)

	const asJSON = `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
		"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
		"spec":{"containers":[{"name":"web","image":"web:1"}]}}}}]}`
	require.Equal(t, succeed(t, []byte(good), append(args, "-")...), succeed(t, []byte(asJSON), append(args, "-")...))
}

// TestSeveral: each Deployment has its own plan and its own rollout.
func TestSeveral(t *testing.T) {
	both := []byte(good + "---\n" + strings.ReplaceAll(good, "name: web", "name: shop"))
	text := succeed(t, both, "simulate", "-f", "-")
	require.Contains(t, text, "Deployment web: 1 replica,")
	require.Contains(t, text, "\n\nDeployment shop: 1 replica, at most 2 wanted, at least 1 available\nComplete after 10s.\n")
	text = succeed(t, both, "simulate", "-f", "-", "-o", "json")
	var list struct{ Items []rolloutJSON }
	require.NoError(t, json.Unmarshal([]byte(text), &list))
	require.Len(t, list.Items, 2)
	require.Equal(t, "shop", list.Items[1].Name)
	require.True(t, list.Items[1].Done)
	require.Contains(t, succeed(t, both, "plan", "-f", "-"), "\n\nDeployment shop: 1 replica,")
}

// TestNotes: what is passed over is told on standard error.
func TestNotes(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("deploy.yaml", []byte(strings.Replace(with("replcas: 3"), "name: web", "uid: u, name: web", 1)+`---
apiVersion: v1
kind: Service
metadata: {name: web}
---
apiVersion: example.com/v1
kind: Gadget
metadata: {name: shiny}
---
apiVersion: extensions/v1beta1
kind: Deployment
metadata: {name: old}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: stray, uid: r}
spec: {replicas: 2, selector: {matchLabels: {app: stray}}, template: {metadata: {labels: {app: stray}}, spec: {containers: [{name: c, image: i}]}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: orphan, uid: o, labels: {app: web}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-former
  uid: f
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: former, controller: true}]
`), 0o644))
	code, stdout, stderr := run(nil, "plan", "-f", "deploy.yaml")
	require.Zero(t, code)
	require.Contains(t, stdout, "Deployment web: 1 replica,")
	require.Contains(t, stdout, "adopt replica set orphan")
	require.NotContains(t, stdout, "ReplicaSet orphan", "it is adopted")
	require.Contains(t, stdout, "ReplicaSet stray: wants 2 pods, has none\n", "nobody owns it")
	require.Equal(t, []string{
		`note: deploy.yaml: Deployment "web": unknown field "spec.replcas"`,
		`note: deploy.yaml: skipped Deployment "old" of extensions/v1beta1: its apiVersion is apps/v1`,
		`note: skipped 1 Gadget, 1 Service`,
		`note: deploy.yaml: skipped ReplicaSet "web-former": its Deployment is not in the input`,
	}, strings.Split(strings.TrimSpace(stderr), "\n"))
}
