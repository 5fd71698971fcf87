// SPDX-License-Identifier: Apache-2.0

package unit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A bug is a change of one of our files that the upstream tests of a package must notice: the old
// text occurs once. In the new one BUG is true while the bug is planted, and pick chooses by it
// between two values.
type bug struct{ name, file, old, new, pkg string }

var bugs = []bug{
	{"one pod more than the surge", "rollout/budget.go", "\treturn Budget{Replicas: replicas,", "\tif BUG {\n\t\tsurge++\n\t}\n\treturn Budget{Replicas: replicas,", "deployment"},
	{"one available pod less than needed", "rollout/budget.go", "{ return saturate(int64(b.Replicas) - int64(b.Unavailable)) }", "{ return saturate(int64(b.Replicas) - int64(b.Unavailable) - pick[int64](BUG, 1, 0)) }", "deployment/util"},
	{"two limits of 0 stop the rollout", "rollout/budget.go", "if above == 0 && below == 0 {", "if above == 0 && below == 0 && !BUG {", "deployment/util"},
	{"a share forgets the surge", "rollout/proportion.go", "int64(size*(b.Replicas+b.Surge))", "int64(size*(b.Replicas+pick(BUG, 0, b.Surge)))", "deployment/util"},
	{"the youngest of equal templates", "revision/entry.go", "\torder := ByAge(entries)\n\tat", "\torder := ByAge(entries)\n\tif BUG {\n\t\tslices.Reverse(order)\n\t}\n\tat", "deployment/util"},
	{"no child is released", "selector/claim/decide.go", "return Decision{Release, o.mismatch(c)}", "return Decision{pick(BUG, Ignore, Release), o.mismatch(c)}", "."},
	{"what is being deleted is adopted", "selector/claim/decide.go", "case c.Deleting:", "case c.Deleting && !BUG:", "."},
	{"other namespaces are adopted from", "selector/claim/decide.go", `o.Namespace != "" && o.Namespace != c.Namespace`, `o.Namespace != "" && o.Namespace != c.Namespace && !BUG`, "."},
	{"ready pods go first", "podorder/compare.go", "c := cmp.Compare(a.health, b.health)", "c := cmp.Compare(a.health, b.health) * pick(BUG, -1, 1)", "."},
	{"finished pods are active", "podorder/pod.go", "return !p.Finished() && p.DeletionTimestamp.IsZero()", "return (BUG || !p.Finished()) && p.DeletionTimestamp.IsZero()", "."},
	{"pods are available a second early", "podorder/available.go", "time.Duration(minReadySeconds) * time.Second), true", "time.Duration(minReadySeconds-pick[int32](BUG, 1, 0)) * time.Second), true", "."},
	{"expectations are always satisfied", "replicaset/expect/expectations.go", "return e.Fulfilled() || e.Expired", "return BUG || e.Fulfilled() || e.Expired", "."},
	{"creations are not observed", "replicaset/events.go", "Created: true, Reconcile: true", "Created: !BUG, Reconcile: true", "replicaset"},
	{"deletions are not observed", "replicaset/events.go", "Deleted: p.Name, Reconcile: true", `Deleted: pick(BUG, "", p.Name), Reconcile: true`, "replicaset"},
	{"batches do not stop at a failure", "replicaset/batches.go", "{ return failed(&o) })", "{ return failed(&o) && !BUG })", "replicaset"},
	{"batches grow too fast", "replicaset/batches.go", "n > 0; size *= 2", "n > 0; size *= pick[int64](BUG, 3, 2)", "replicaset"},
	{"conditions are not removed", "deploy/condition.go", "if c := &conditions[i]; c.Type != conditionType {", "if c := &conditions[i]; BUG || c.Type != conditionType {", "deployment/util"},
	{"a deadline is passed at once", "deploy/progress.go", "return deadlineOf(progressing, deadline, 0).Before(now)", "return BUG || deadlineOf(progressing, deadline, 0).Before(now)", "deployment/util"},
	{"old pods that have ended keep a Recreate waiting", "deploy/recreate.go", "ok && !in.pods[i].Finished()", "ok && (BUG || !in.pods[i].Finished())", "deployment"},
	{"one ReplicaSet too many is removed", "revision/cleanup.go", "surplus := n - int(max(*limit, 0))", "surplus := n - int(max(*limit, 0)) + pick(BUG, 1, 0)", "deployment"},
	{"taints are ignored", "daemonset/placement.go", "if len(n.Taints) == 0 {", "if BUG || len(n.Taints) == 0 {", "daemon"},
	{"the name of the node is ignored", "daemonset/placement.go", `p.nodeName != "" && p.nodeName != n.Name`, `p.nodeName != "" && p.nodeName != n.Name && !BUG`, "daemon"},
	{"one node more is unavailable", "rollout/nodes.go", "unavailable.OfUp(desired)", "unavailable.OfUp(desired)+pick[int32](BUG, 1, 0)", "daemon"},
	{"pods that fail do not wait", "daemonset/backoff.go", "return end, now.Before(end)", "return end, now.Before(end) && !BUG", "daemon"},
	{"a pod is updated whatever its hash", "daemonset/pod.go", `v.Hash != "" && labels[LabelHash] == v.Hash`, `v.Hash != "" && (BUG || labels[LabelHash] == v.Hash)`, "daemon/util"},
	{"a name that is taken is used", "revision/attempt.go", "a.Collisions+1, opts), false", "a.Collisions+1, opts), BUG", "history"},
}

const root = "../../../.."

// planter is the additional file of a package with bugs.
const planter = `package %s

import "os"

var planted = os.Getenv("KPLAN_BUG")

func pick[T any](bug bool, instead, value T) T {
	if bug {
		return instead
	}
	return value
}
`

// plant writes the files with all bugs, which the environment switches on one by one, and
// returns the overlay.
func plant(t *testing.T, dir string) string {
	texts, list := map[string]string{}, map[string]string{}
	for _, b := range bugs {
		path, err := filepath.Abs(filepath.Join(root, b.file))
		require.NoError(t, err)
		if texts[path] == "" {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			texts[path] = string(data)
			name := strings.Fields(texts[path][strings.Index(texts[path], "\npackage "):])[1]
			texts[filepath.Join(filepath.Dir(path), "planted.go")] = fmt.Sprintf(planter, name)
		}
		require.Equal(t, 1, strings.Count(texts[path], b.old), "%s: %s: %q", b.name, b.file, b.old)
		texts[path] = strings.Replace(texts[path], b.old, strings.ReplaceAll(b.new, "BUG", fmt.Sprintf("(planted == %q)", b.name)), 1)
	}
	for path, text := range texts {
		file := filepath.Join(dir, fmt.Sprint(len(list), ".go"))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		list[path] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": list})
	require.NoError(t, err)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, data, 0o600))
	return overlay
}

// TestBugs plants one bug after the other and expects a test of upstream's to fail that
// passes without.
func TestBugs(t *testing.T) {
	require.GreaterOrEqual(t, len(bugs), 26)
	folder, programs := prepared(t), t.TempDir()
	overlay := plant(t, t.TempDir())
	for _, p := range packages {
		if p.shim != "" {
			out, err := goCommand(folder, "test", "-c", "-vet=off", "-overlay", overlay, "-o", program(programs, p.folder), "./controller/"+p.folder).CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
	}
	for _, b := range append(bugs, bug{pkg: "history"}, bug{pkg: "deployment/util"}) {
		t.Run(b.name, func(t *testing.T) {
			r, err := run(folder, programs, b.pkg, "KPLAN_BUG="+b.name)
			require.NoError(t, err)
			require.NotEmpty(t, r.Passed, "it does not run: %s", r.Other)
			wrong := check(r)
			if b.name == "" {
				require.Empty(t, wrong, "nothing is planted")
				return
			}
			require.NotEmpty(t, wrong, "nobody notices")
			t.Log(strings.Join(wrong, ", "))
		})
	}
}
