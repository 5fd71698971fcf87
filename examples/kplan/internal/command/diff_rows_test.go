// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// workloadText returns a manifest of a kind of apps/v1 that selects its name, with more of a
// spec.
func workloadText(kind, name, image, more string) string {
	return `apiVersion: apps/v1
kind: ` + kind + `
metadata: {name: ` + name + `}
spec:
  selector: {matchLabels: {app: ` + name + `}}
  template:
    metadata: {labels: {app: ` + name + `}}
    spec: {containers: [{name: c, image: "` + image + `"}]}
` + more + "---\n"
}

const cronJobText = `apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "@daily"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "x:1"}]}}}}
---
`

// diffRows compares two texts, and returns the exit code, the table of Markdown without
// workloads that come before it, and what stands behind it.
func diffRows(t *testing.T, before, after string, args ...string) (code int, head string, rows []string, rest, stderr string) {
	t.Helper()
	folders(t, map[string]string{"all.yaml": before}, map[string]string{"all.yaml": after})
	code, stdout, stderr := run(nil, append([]string{"diff", "--from", "old/deploy", "-f", "new/deploy", "-o", "markdown"}, args...)...)
	for line := range strings.Lines(stdout) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "**kplan:** "):
			head = strings.TrimPrefix(line, "**kplan:** ")
		case line == "", strings.HasPrefix(line, "| Workload |"), strings.HasPrefix(line, "|---"):
		case strings.HasPrefix(line, "| "):
			rows = append(rows, line)
		default:
			rest = line
		}
	}
	return code, head, rows, rest, stderr
}

// TestDiffWithoutNodes: of a DaemonSet it is told that it rolls, and how, although how much of
// it only nodes tell.
func TestDiffWithoutNodes(t *testing.T) {
	stays := workloadText("Deployment", "api", "y:1", "")
	surge := "  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 0}}\n"
	onDelete := "  updateStrategy: {type: OnDelete}\n"
	text := func(image, more string) string { return workloadText("DaemonSet", "web", image, more) }
	for _, c := range []struct {
		why, before, after, want string
		code                     int
	}{
		{"by default one node at a time", text("x:1", ""), text("x:2", ""), "image of c: <code>x:1</code> -> <code>x:2</code> | will roll | - | each node that it matches, at most 1 without a pod |", 0},
		{"a surge", text("x:1", surge), text("x:2", surge), "will roll | - | each node that it matches, at most 25% with a second pod |", 0},
		{"what nobody deletes stays", text("x:1", onDelete), text("x:2", onDelete), "does not finish: the update rests: old pods go when somebody deletes them | - |  |", exitFailure},
		{"the limits alone", text("x:1", ""), text("x:1", surge), "updateStrategy.rollingUpdate.maxSurge: <code>0</code> -> <code>25%</code><br>updateStrategy.rollingUpdate.maxUnavailable: <code>1</code> -> <code>0</code> | will not roll | - |  |", 0},
		{"a new one", "", text("x:1", ""), "new | will start | - | each node that it matches |", 0},
	} {
		for beside, unchanged := range map[string]string{"": "", stays: "1 workload stays as it is."} { // alone and not
			code, head, rows, rest, stderr := diffRows(t, c.before+beside, c.after+beside)
			require.Equal(t, c.code, code, "%s: %s", c.why, stderr)
			require.Len(t, rows, 1, c.why)
			require.Contains(t, head, "1 DaemonSet: 1 ", c.why)
			require.Contains(t, rows[0], "| DaemonSet <code>web</code> | ", c.why)
			require.Contains(t, rows[0], c.want, c.why)
			require.NotContains(t, rest, "No longer in the manifests", c.why)
			require.Contains(t, rest, unchanged, c.why)
			require.Equal(t, strings.Contains(c.want, "each node"), strings.Contains(rest, "--nodes makes some."), c.why)
			require.NotContains(t, stderr, "skipped", c.why)

			withNodes, head2, rows2, _, _ := diffRows(t, c.before+beside, c.after+beside, "--nodes", "3")
			require.Equal(t, code, withNodes, "%s: nodes do not change the verdict", c.why)
			require.Equal(t, head, head2, c.why)
			require.Len(t, rows2, 1, c.why)
		}
	}
	code, _, rows, _, stderr := diffRows(t, text("x:1", "")+stays, text("x:1", "")+stays)
	require.Zero(t, code, stderr)
	require.Empty(t, rows)
}

// TestDiffFields: what changes beside the template is named, rolled or not.
func TestDiffFields(t *testing.T) {
	text := func(image, more string) string { return workloadText("Deployment", "web", image, more) }
	limits := "  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 25%}}\n"
	const image = "image of c: <code>x:1</code> -> <code>x:2</code><br>"
	for _, c := range []struct {
		before, after, what, result string
		code                        int
	}{
		{text("x:1", ""), text("x:1", limits), "strategy.rollingUpdate.maxSurge: <code>25%</code> -> <code>1</code>", "will not roll | - |  |", 0},
		{text("x:1", ""), text("x:1", "  minReadySeconds: 5\n"), "minReadySeconds: <code>5</code>", "will not roll | - |  |", 0},
		{text("x:1", ""), text("x:1", "  paused: true\n"), "paused: <code>true</code>", "will not roll | - |  |", 0},
		{text("x:1", "  paused: true\n"), text("x:1", ""), "paused: <code>true</code> -> <code>-</code>", "will start | 10s |", 0},
		{text("x:1", ""), text("x:2", "  paused: true\n"), image + "paused: <code>true</code>", "does not finish: the rollout is paused | - |", exitFailure},
		{text("x:1", ""), text("x:2", "  strategy: {type: Recreate}\n"), image + "strategy.rollingUpdate: <code>&#123;&#34;maxSurge&#34;:&#34;25%&#34;,&#34;maxUnavailable&#34;:&#34;25%&#34;&#125;</code> -> <code>-</code><br>strategy.type: <code>RollingUpdate</code> -> <code>Recreate</code>", "will roll | 10s |", 0},
		{text("x:1", ""), strings.Replace(text("x:1", ""), "{name: web}", "{name: web, labels: {team: a}, annotations: {b/c: d}}", 1), "label team: <code>a</code><br>annotation b/c: <code>d</code>", "will not roll | - |  |", 0},
		{workloadText("ReplicaSet", "web", "x:1", ""), workloadText("ReplicaSet", "web", "x:1", "  replicas: 2\n"), "replicas: <code>1</code> -> <code>2</code>", "will scale |", 0},
		{workloadText("ReplicaSet", "web", "x:1", ""), workloadText("ReplicaSet", "web", "x:2", ""), "image of c: <code>x:1</code> -> <code>x:2</code>", "will not roll |", 0},
	} {
		code, head, rows, rest, stderr := diffRows(t, c.before, c.after)
		require.Equal(t, c.code, code, stderr)
		require.Len(t, rows, 1, c.what)
		require.Contains(t, rows[0], "<code>web</code> | "+c.what+" | "+c.result)
		require.NotContains(t, head, "Nothing will roll")
		require.Contains(t, rest, "0 workloads stay as they are.")
	}
}

// TestDiffUnplanned: what kplan does not plan is told of as well, with what changes.
func TestDiffUnplanned(t *testing.T) {
	set := func(image string) string { return workloadText("StatefulSet", "db", image, "  serviceName: db\n") }
	code, head, rows, rest, stderr := diffRows(t, set("x:1"), set("x:2"))
	require.Zero(t, code, stderr)
	require.Equal(t, "1 StatefulSet: 1 is not planned.", head)
	require.Equal(t, []string{"| StatefulSet <code>db</code> | image of c: <code>x:1</code> -> <code>x:2</code> | is not planned | - |  |"}, rows)
	require.Contains(t, rest, "Of what is not planned nothing is told but its changes.")
	require.NotContains(t, stderr, "not planned", "the answer says it")
	require.Contains(t, rest, "0 workloads stay as they are.")

	later := strings.NewReplacer("@daily", "@hourly", "x:1", "x:3").Replace(cronJobText)
	_, head, rows, rest, _ = diffRows(t, set("x:1")+cronJobText, set("x:1")+later)
	require.Equal(t, "1 CronJob: 1 is not planned.", head)
	require.Equal(t, []string{"| CronJob <code>report</code> | image of c: <code>x:1</code> -> <code>x:3</code><br>schedule: <code>&#64;daily</code> -> <code>&#64;hourly</code> | is not planned | - |  |"}, rows)
	require.Contains(t, rest, "1 workload stays as it is.", "the StatefulSet")

	_, _, rows, rest, _ = diffRows(t, set("x:1"), cronJobText)
	require.Equal(t, []string{"| CronJob <code>report</code> | new | is not planned | - |  |"}, rows)
	require.Contains(t, rest, "leaves alone: StatefulSet <code>db</code>.")

	_, _, rows, _, _ = diffRows(t, set("x:1"), strings.Replace(set("x:1"), "  serviceName: db\n", "  serviceName: db\n  replicas: 1\n  podManagementPolicy: OrderedReady\n", 1))
	require.Empty(t, rows, "what is written out is what the API server fills in")
}

// TestDiffFromNothing: a folder that is empty, absent or without workloads is one of a project
// that begins, and all is new; or it ends.
func TestDiffFromNothing(t *testing.T) {
	const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
	for name, before := range map[string]map[string]string{"empty": {}, "settings": {"settings.yaml": settings}, "absent": nil} {
		folders(t, before, map[string]string{"web.yaml": good})
		if before == nil {
			require.NoError(t, os.Remove("old/deploy"))
		}
		text := succeed(t, nil, "diff", "--from", "old/deploy", "-f", "new/deploy", "-o", "markdown")
		require.Contains(t, text, "**kplan:** 1 Deployment: 1 will start.\n", name)
		require.Contains(t, text, "| Deployment <code>web</code> | new | will start | 10s | 1 wanted, at most 2 |\n", name)
		notes := map[string]string{
			"empty": "old/deploy: holds no file that ends in .json, .yaml, .yml.", "absent": "old/deploy: the path does not exist.",
		}
		require.Contains(t, text, notes[name], name)

		text = succeed(t, nil, "diff", "--from", "new/deploy", "-f", "old/deploy", "-o", "markdown")
		require.Contains(t, text, "**kplan:** Nothing will roll.\n", name)
		require.Contains(t, text, "leaves alone: Deployment <code>web</code>.", name)
	}
	code, stdout, stderr := run(nil, "diff", "--from", "nowhere", "-f", "elsewhere")
	require.Equal(t, exitFailure, code)
	require.Empty(t, stdout)
	require.Equal(t, "error: there is nothing to compare: nowhere: the path does not exist; elsewhere: the path does not exist\n", stderr)
	code, stdout, _ = run(nil, "simulate", "--from", "nowhere", "-f", "new/deploy")
	require.Equal(t, exitFailure, code)
	require.Empty(t, stdout, "for other commands a name of nothing is a mistake")
}

// TestDiffRejected: what the API server rejects is told of, and does not hide what others do.
func TestDiffRejected(t *testing.T) {
	others := workloadText("DaemonSet", "agent", "x:1", "") + workloadText("Deployment", "api", "x:1", "") + workloadText("ReplicaSet", "alone", "x:1", "")
	next := strings.Replace(others, "x:1", "x:2", 2)
	const argoText = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: none}}\n"
	for _, c := range []struct{ name, kind, before, after, want string }{
		{"selector", "Deployment", workloadText("Deployment", "web", "x:1", ""), strings.ReplaceAll(workloadText("Deployment", "web", "x:1", ""), "{app: web}", "{app: other}"), "is rejected: spec.selector: must not change, and differs from that in old/deploy/all.yaml"},
		{"selector", "DaemonSet", workloadText("DaemonSet", "web", "x:1", ""), strings.ReplaceAll(workloadText("DaemonSet", "web", "x:1", ""), "{app: web}", "{app: other}"), "is rejected: spec.selector: must not change, and differs from that in old/deploy/all.yaml"},
		{"selector", "ReplicaSet", workloadText("ReplicaSet", "web", "x:1", ""), strings.ReplaceAll(workloadText("ReplicaSet", "web", "x:1", ""), "{app: web}", "{app: other}"), "is rejected: spec.selector: must not change, and differs from that in old/deploy/all.yaml"},
		{"labels", "Deployment", workloadText("Deployment", "web", "x:1", ""), strings.Replace(workloadText("Deployment", "web", "x:1", ""), "{app: web}", "{app: other}", 1), "is rejected: spec.template.metadata.labels: "},
		{"labels", "DaemonSet", "", strings.Replace(workloadText("DaemonSet", "web", "x:1", ""), "{app: web}", "{app: other}", 1), "is rejected: spec.template.metadata.labels: "},
		{"labels", "ReplicaSet", "", strings.Replace(workloadText("ReplicaSet", "web", "x:1", ""), "{app: web}", "{app: other}", 1), "is rejected: spec.template.metadata.labels: "},
		{"type", "Deployment", "", workloadText("Deployment", "web", "x:1", "  replicas: three\n"), "is rejected: spec.replicas: &#34;three&#34;: must be a whole number of 32 bits"},
		{"limit", "StatefulSet", "", workloadText("StatefulSet", "web", "x:1", "  updateStrategy: {rollingUpdate: {partition: one}}\n"), "is rejected: spec.updateStrategy.rollingUpdate.partition: &#34;one&#34;: "},
		{"reference", "Rollout", "", argoText, "is rejected: spec.workloadRef: &#34;Deployment none&#34;: must name a Deployment in the input"},
	} {
		code, head, rows, rest, stderr := diffRows(t, others+c.before, next+c.after)
		require.Equal(t, exitFailure, code, c.name)
		require.Contains(t, head, "1 is rejected &#40;web&#41;, 2 will roll.", "%s: what needs a look is first", c.name)
		require.Len(t, rows, 3, c.name)
		wrong := 0
		for _, row := range rows {
			if strings.Contains(row, "| "+c.kind+" <code>web</code> | ") {
				wrong++
				require.Contains(t, row, " | "+c.want, c.name)
			} else {
				require.Contains(t, row, "image of c: <code>x:1</code> -> <code>x:2</code> | will roll |", c.name)
			}
		}
		require.Equal(t, 1, wrong, c.name)
		require.Contains(t, rest, "1 workload stays as it is.", c.name)
		require.Contains(t, stderr, "error: new/deploy/all.yaml: "+c.kind+` "web": `, c.name)
	}
}

// TestDiffRejectedText: on a terminal the reason stands below the table, and JSON has it, too.
func TestDiffRejectedText(t *testing.T) {
	goldens, err := filepath.Abs(data + "golden/diff-rejected")
	require.NoError(t, err)
	others := workloadText("DaemonSet", "agent", "x:1", "") + workloadText("StatefulSet", "db", "x:1", "")
	web := workloadText("Deployment", "web", "x:1", "")
	folders(t, map[string]string{"all.yaml": others + web}, map[string]string{
		"all.yaml": strings.ReplaceAll(others, "x:1", "x:2") + strings.ReplaceAll(web, "{app: web}", "{app: other}"),
	})
	for _, format := range []string{"text", "markdown", "json"} {
		code, stdout, _ := run(nil, "diff", "--from", "old/deploy", "-f", "new/deploy", "-o", format)
		require.Equal(t, exitFailure, code)
		golden(t, goldens+map[string]string{"text": ".txt", "markdown": ".md", "json": ".json"}[format], []byte(stdout))
	}
	_, stdout, _ := run(nil, "diff", "--from", "old/deploy", "-f", "new/deploy", "-o", "json")
	var got struct {
		Changes []struct {
			Result, Why, How string
			Time             *float64
		}
		Notes []string
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	require.Len(t, got.Changes, 3)
	for _, c := range got.Changes {
		require.Nil(t, c.Time, "of none it is known")
		require.Equal(t, c.Result == "is rejected", c.Why != "")
		require.Equal(t, c.Result == "will roll", c.How != "")
	}
	require.Len(t, got.Notes, 2)
}

// TestDiffRollouts: a Rollout tells what changes of its workload and of itself, without nodes
// and where it has nothing to release, too.
func TestDiffRollouts(t *testing.T) {
	const driver = `apiVersion: rollouts.kruise.io/v1beta1
kind: Rollout
metadata: {name: release}
spec:
  workloadRef: {apiVersion: apps.kruise.io/v1alpha1, kind: DaemonSet, name: agent}
  strategy: {canary: {steps: [{replicas: 50%, pause: {duration: 60}}, {replicas: 100%}]}}
---
`
	agent := strings.Replace(workloadText("DaemonSet", "agent", "x:1", ""), "apps/v1", "apps.kruise.io/v1alpha1", 1)
	agent2, driver2 := strings.Replace(agent, "x:1", "x:2", 1), strings.Replace(driver, "duration: 60", "duration: 90", 1)
	const (
		image = "image of c: <code>x:1</code> -> <code>x:2</code>"
		steps = "strategy.canary.steps.0.pause.duration: <code>60</code> -> <code>90</code>"
		how   = " | - | each node that it matches, in the steps of its Rollout |"
	)
	for _, c := range []struct{ why, before, after, want string }{
		{"both", agent + driver, agent2 + driver2, "| Rollout <code>release</code> | " + image + "<br>" + steps + " | will roll" + how},
		{"the workload alone", agent + driver, agent2 + driver, "| Rollout <code>release</code> | " + image + " | will roll" + how},
		{"the steps alone", agent + driver, agent + driver2, "| Rollout <code>release</code> | " + steps + " | will not roll | - |  |"},
		{"nothing", agent + driver, agent + driver, ""},
		{"the Rollout is new", agent, agent + driver, "| Rollout <code>release</code> | new | will not roll | - |  |"},
	} {
		code, _, rows, _, stderr := diffRows(t, c.before, c.after)
		require.Zero(t, code, "%s: %s", c.why, stderr)
		if c.want == "" {
			require.Empty(t, rows, c.why)
			continue
		}
		require.Equal(t, []string{c.want}, rows, c.why)
	}

	argo := `apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: shop}
spec:
  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: shop}
  strategy: {canary: {maxSurge: 1}}
---
` + workloadText("Deployment", "shop", "x:1", "  replicas: 0\n")
	_, _, rows, _, _ := diffRows(t, argo, strings.NewReplacer("x:1", "x:2", "maxSurge: 1", "maxSurge: 2").Replace(argo))
	require.Len(t, rows, 2)
	require.Contains(t, rows[0], "| Rollout <code>shop</code> | "+image+"<br>strategy.canary.maxSurge: <code>1</code> -> <code>2</code> | will roll |", "its template is that of the Deployment")
	require.Equal(t, "| Deployment <code>shop</code> | "+image+" | will not roll | - |  |", rows[1])
}

// TestDiffLive: manifests of what is not planned are applied to live objects, too, so that what
// the server or others have set is no change.
func TestDiffLive(t *testing.T) {
	set := workloadText("StatefulSet", "db", "x:1", "  serviceName: db\n")
	live := strings.Replace(strings.TrimSuffix(set, "---\n"), "{name: db}", "{name: db, uid: u, namespace: default, generation: 4}", 1) +
		"  replicas: 5\n  podManagementPolicy: OrderedReady\nstatus: {replicas: 5}\n"
	_, _, rows, rest, stderr := diffRows(t, live, set)
	require.Empty(t, rows, stderr)
	require.Contains(t, rest, "1 workload stays as it is.")
	_, _, rows, _, _ = diffRows(t, live, strings.Replace(set, "x:1", "x:2", 1))
	require.Len(t, rows, 1)
	require.Contains(t, rows[0], "| image of c: <code>x:1</code> -> <code>x:2</code> | is not planned |")
}

// Scaling alone is no release, whoever releases the workload; and what was not there before
// starts.
func TestDiffScales(t *testing.T) {
	argo := func(strategy string) func(image string, replicas int) string {
		return func(image string, replicas int) string {
			return fmt.Sprintf("apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec:\n  replicas: %d\n  selector: {matchLabels: {app: web}}\n"+
				"  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: c, image: %q}]}\n  strategy: %s\n", replicas, image, strategy)
		}
	}
	kruise := func(kind, version string) func(image string, replicas int) string {
		return func(image string, replicas int) string {
			text := workloadText(kind, "web", image, fmt.Sprintf("  replicas: %d\n", replicas))
			return strings.Replace(text, "apps/v1", version, 1) + "---\napiVersion: rollouts.kruise.io/v1beta1\nkind: Rollout\nmetadata: {name: web}\nspec:\n" +
				"  workloadRef: {apiVersion: " + version + ", kind: " + kind + ", name: web}\n  strategy: {canary: {steps: [{replicas: 50%, pause: {duration: 60}}, {replicas: 100%}]}}\n"
		}
	}
	for name, of := range map[string]func(image string, replicas int) string{
		"canary with steps": argo("{canary: {steps: [{setWeight: 50}, {pause: {duration: 60}}]}}"), "canary": argo("{canary: {}}"), "blue-green": argo("{blueGreen: {activeService: web}}"),
		"Deployment": kruise("Deployment", "apps/v1"), "CloneSet": kruise("CloneSet", "apps.kruise.io/v1alpha1"),
		"StatefulSet": kruise("StatefulSet", "apps/v1"), "Advanced StatefulSet": kruise("StatefulSet", "apps.kruise.io/v1beta1"),
	} {
		for change, want := range map[[2]string]string{
			{of("x:1", 4), of("x:1", 6)}: "will scale", {of("x:1", 6), of("x:1", 4)}: "will scale", {of("x:1", 4), of("x:2", 6)}: "will roll",
		} {
			code, _, rows, _, stderr := diffRows(t, change[0], change[1])
			require.Zero(t, code, "%s: %s", name, stderr)
			require.Contains(t, strings.Join(rows, "\n"), "| "+want+" |", "%s", name)
		}
	}
	canary := argo("{canary: {}}")
	_, _, rows, _, _ := diffRows(t, canary("x:1", 0), canary("x:1", 3))
	require.Contains(t, rows[0], "| will start |")
	_, _, rows, _, _ = diffRows(t, canary("x:1", 3), strings.Replace(canary("x:1", 3), "  strategy:", "  revisionHistoryLimit: 3\n  strategy:", 1))
	require.Contains(t, rows[0], "| will not roll |")
}
