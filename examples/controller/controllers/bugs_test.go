// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A bug is a change of one file that breaks what carries the plans out, and the test that
// must notice. The old text occurs once. Each was once planted and not noticed, or is one of
// its neighbours.
type bug struct{ name, file, old, new, test string }

func bugs() []bug {
	return []bug{
		{"the cache answers for the API server", "controllers.go",
			"&apiClient{mgr.GetClient(), mgr.GetAPIReader(), t, l}", "&apiClient{mgr.GetClient(), mgr.GetClient(), t, l}", "TestAdoptionAsksTheServer"},
		{"deletions have no preconditions", "client.go",
			"&client.DeleteOptions{Preconditions: r.Options.Preconditions}", "&client.DeleteOptions{}", "TestDeletionsHavePreconditions"},
		{"only creations are waited for", "client.go",
			"err == nil && r.Verb != kube.VerbDelete", "err == nil && r.Verb == kube.VerbCreate", "TestCalls"},
		{"events behind an empty ReplicaSet are one action late", "../../../deploy/finish.go",
			"e.Action >= 0 && e.Action < failed", "e.Action >= 0 && e.Action <= failed", "TestEventsBehindAnEmptyReplicaSet"},
		{"the status of a new ReplicaSet is postponed", "deployment.go",
			"case deploy.AnnotateReplicaSet:", "case deploy.AnnotateReplicaSet, deploy.CreateReplicaSet:", "TestStatusTellsOfANewReplicaSet"},
		{"a stopped pass writes the status of a DaemonSet", "daemonset.go",
			"if result.WriteStatus {", "if result.WriteStatus || true {", "TestNoStatusOfAStoppedPass"},
		{"failures of daemon pods are forgotten", "daemonset.go",
			"r.tracker.change(ds.UID, func(m *memory) { m.backoff = result.Backoff })\n", "", "TestFailedDaemonPodsWait"},
		{"pods that are gone wake nobody up", "deployment.go",
			"		if after != nil {\n", "		if after != nil || before != nil {\n", "TestRecreateWaitsForPods"},
		{"a child that was let go of wakes no other owner up", "watch.go",
			"found = append(found, o)\n			}\n			return found", "found = append(found, o)\n			}\n			return nil", "TestLetGo"},
		{"the former owner is not asked", "watch.go",
			"; err == nil {\n				found", "; err != nil {\n				found", "TestLetGo"},
		{"a missed deletion is a change", "watch.go", "before.GetUID() != after.GetUID()", "before == after", "TestMissedDeletion"},
		{"a creation is not seen", "watch.go", "if e.Created || e.Deleted", "if e.Deleted", "TestMissedDeletion"},
		{"a Deployment never looks again by itself", "deployment.go",
			"return again(result.Err, result.RecheckAt)", "return again(result.Err, time.Time{})", "TestDeploymentLooksAgain"},
		{"the version that was written counts as behind", "../../../replicaset/expect/writes.go",
			"compare && c < 0", "compare && c <= 0", "TestTrackerBehind"},
		{"a lease that was given back counts until it ends", "lease.go",
			"		l.drop()\n", "", "TestLeaseGivenBack"},
		{"the status of a ReplicaSet does not wait for its pods", "replicaset.go",
			"if result.WriteStatus && wait.IsZero() {", "if result.WriteStatus {", "TestStatusWaits"},
		{"the neighbours of pods that go are not read", "replicaset.go",
			"int(*rs.Spec.Replicas) < len(pods)", "len(pods) < 0", "TestNeighbours"},
		{"pods of a ReplicaSet from an old cache count", "replicaset.go",
			"Children: r.read.version(&corev1.Pod{}), ", "", "TestReplicaSetFromOldCaches"},
		{"a ReplicaSet from an old cache counts", "replicaset.go",
			", Owner: r.read.version(rs)", "", "TestReplicaSetFromOldCaches"},
		{"pods of a DaemonSet from an old cache count", "daemonset.go",
			"Children: r.read.version(&corev1.Pod{}), ", "", "TestDaemonSetFromOldCaches"},
		{"the status of a DaemonSet leaves no version", "daemonset.go",
			"			written = written.WroteOwner(string(ds.UID), request.Object.GetResourceVersion())\n", "", "TestDaemonSetFromOldCaches"},
		{"what was written is forgotten", "replicaset.go",
			"	r.tracker.change(rs.UID, func(m *memory) { m.versions = written })\n", "", "TestReplicaSetFromOldCaches"},
		{"a pod that has gone stays", "../../../listing.go", "			removed = append(removed, o.Identity)\n", "", "TestReplicaSetIsFollowed"},
		{"a pod is as it was", "../../../listing.go", "now != known.Identity", "now.UID != known.UID", "TestReplicaSetIsFollowed"},
		{"an older version of a pod is none", "../../../listing.go", "|| now != known.Identity", "|| len(now.Version) > len(known.Version)", "TestCacheGoesBack"},
		{"a pod that was made anew is one from before", "../../../listing.go", "removed, added = append(removed, known.Identity), append(added, o)", "added = append(added, o)", "TestReplicaSetIsFollowed"},
		{"a follower is of whoever has the name", "follow.go", " || f.owner != owner.GetUID()", "", "TestFollowers"},
		{"orphans are all of the namespace", "watch.go", "!selector.Matches(labels.Set(p.Labels))", "!selector.Matches(labels.Set(p.Labels)) && selector == nil", "TestPodsFor"},
		{"a node that has gone stays", "follow.go",
			"node(&daemonset.Node{Name: o.Name}, nil)", `node(&daemonset.Node{Name: "-" + o.Name}, nil)`, "TestDaemonSetIsFollowed"},
		{"a node is as it was", "follow.go", "update(&f.nodes, nodes,", "update(&f.nodes, nodes[:min(1, len(nodes))],", "TestDaemonSetIsFollowed"},
	}
}

// apply returns the file with the bug, and where it is.
func (b bug) apply(t *testing.T) (text, path string) {
	path, err := filepath.Abs(b.file)
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(data), b.old), "%s: %q", b.file, b.old)
	return strings.Replace(string(data), b.old, b.new, 1), path
}

// TestBugsApply: each bug is a change of the sources as they are, for a test that is there.
func TestBugsApply(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var tests strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		tests.Write(data)
	}
	for _, b := range bugs() {
		b.apply(t)
		require.True(t, strings.Contains(tests.String(), "\nfunc "+b.test+"(t *testing.T)"), "%s: there is no %s", b.name, b.test)
	}
}

// TestBugs plants each bug and wants its test to fail. It compiles the package again and
// again, and so runs only on demand, as the mutants of internal/verify/bugbank do.
func TestBugs(t *testing.T) {
	if os.Getenv("KPLAN_MUTANTS") == "" {
		t.Skip("takes minutes: set KPLAN_MUTANTS to run it")
	}
	for _, b := range bugs() {
		t.Run(b.name, func(t *testing.T) {
			text, path := b.apply(t)
			dir := t.TempDir()
			mutated, overlay := filepath.Join(dir, "bug.go"), filepath.Join(dir, "overlay.json")
			list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutated}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(mutated, []byte(text), 0o600))
			require.NoError(t, os.WriteFile(overlay, list, 0o600))
			out, err := exec.Command("go", "test", "-vet=off", "-count=1", "-overlay", overlay, "-run", "^"+b.test+"$", ".").CombinedOutput()
			require.Error(t, err, "nobody notices\n%s", out)
			require.Contains(t, string(out), "--- FAIL: "+b.test, "it does not run\n%s", out)
		})
	}
}
