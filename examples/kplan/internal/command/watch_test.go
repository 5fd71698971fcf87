// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestCluster: what is read from a cluster is planned as what is read from the file with
// the same objects.
func TestCluster(t *testing.T) {
	growth := filepath.Join(live, "growth.yaml")
	blocked, batch := daemons+"blocked.yaml", progressive+"batch.yaml"
	tests := []struct {
		file string
		args []string // of the cluster
		more []string
	}{
		{growth, []string{"plan", "deployment/web"}, nil},
		{growth, []string{"explain", "deploy", "web"}, nil},
		{growth, []string{"simulate", "deployments.apps/web", "-n", "default"}, nil},
		{growth, []string{"history", "deployment/web"}, nil},
		{growth, []string{"undo", "deployment/web"}, nil},
		{growth, []string{"order", "deployment/web"}, []string{"--count", "1"}},
		{blocked, []string{"plan", "ds/agent", "-n", "kube-system"}, nil},
		{blocked, []string{"explain", "daemonset/agent", "-n", "kube-system"}, []string{"-o", "json"}},
		{blocked, []string{"simulate", "daemonset/agent", "-n", "kube-system"}, []string{"--heal"}},
		{blocked, []string{"history", "daemonset/agent", "-n", "kube-system"}, []string{"--full"}},
		{batch, []string{"plan", "rollout/web"}, nil},
		{batch, []string{"explain", "rollout/web"}, []string{"-o", "json"}},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			s, flags := newAPIServer(t, tt.file)
			now := []string{"--now", liveNow.Format(time.RFC3339)}
			fromFile := append(append([]string{tt.args[0], "-f", tt.file}, tt.more...), now...)
			want := succeed(t, nil, fromFile...)
			code, stdout, stderr := run(nil, append(append(append(append([]string{}, tt.args...), tt.more...), now...), flags...)...)
			require.Zero(t, code, stderr)
			require.Equal(t, want, stdout)
			require.Empty(t, stderr)
			require.Zero(t, s.writes, "only reads")
		})
	}
}

// TestClusterSelection: what was not asked for is not shown.
func TestClusterSelection(t *testing.T) {
	s, flags := newAPIServer(t, filepath.Join(live, "growth.yaml"), daemons+"blocked.yaml")
	text := succeed(t, nil, append([]string{"order", "rs/" + setName("web", 1)}, flags...)...)
	require.Contains(t, text, "ReplicaSet default/"+setName("web", 1))
	require.NotContains(t, text, setName("web", 2))

	// All Deployments are read for a Rollout, but only one is its own.
	s.replace(t, progressive+"batch.yaml")
	var shop map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(strings.ReplaceAll(good, "name: web}", "name: shop, namespace: default, uid: s}")), &shop))
	s.objects = append(s.objects, &unstructured.Unstructured{Object: shop})
	text = succeed(t, nil, append([]string{"plan", "rollout/web"}, flags...)...)
	require.Contains(t, text, "Deployment default/web")
	require.NotContains(t, text, "shop")
}

// TestClusterErrors: the words of the server are passed on, in one line.
func TestClusterErrors(t *testing.T) {
	_, flags := newAPIServer(t, filepath.Join(live, "growth.yaml"))
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"plan", "deployment/shop"}, `the server says NotFound`},
		{[]string{"plan", "deployment/web", "-n", "shop"}, `the server says NotFound`},
		{[]string{"plan", "gadget/web"}, `the server doesn't have a resource type "gadget"`},
		{[]string{"plan", "pod/" + setName("web", 1) + "-x"}, `the server says NotFound`},
		{[]string{"history", "rs/" + setName("web", 1)}, `no Deployment or DaemonSet in the input`},
		{[]string{"plan", "deployment/web", "--kubeconfig", "nowhere"}, `nowhere: no such file or directory`},
	}
	for _, tt := range tests {
		code, stdout, stderr := run(nil, append(tt.args[:1:1], append(flags, tt.args[1:]...)...)...)
		require.Equal(t, exitFailure, code, stderr)
		require.Empty(t, stdout)
		require.Contains(t, stderr, tt.want)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// TestWatch: every change is drawn, until the context ends.
func TestWatch(t *testing.T) {
	s, flags := newAPIServer(t, filepath.Join(live, "growth.yaml"))
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop) // before the server closes, which waits for its clients
	out := &screen{}
	root := newRoot("kplan")
	root.SetArgs(append([]string{"explain", "deployment/web", "--watch", "--now", liveNow.Format(time.RFC3339)}, flags...))
	root.SetOut(out)
	root.SetErr(out)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	require.Eventually(t, out.shows("Deployment default/web is progressing. "), waitTimeout, 10*time.Millisecond)
	s.replace(t, filepath.Join(live, "finished.yaml"))
	require.Eventually(t, out.shows("\n--- 2026-03-03T09:30:00Z\n\nDeployment default/web is complete. "), waitTimeout, 10*time.Millisecond)
	stop()
	require.NoError(t, <-done)
	require.Zero(t, s.writes)
}

// TestWatchGone: the end of what is watched ends the watch.
func TestWatchGone(t *testing.T) {
	s, flags := newAPIServer(t, filepath.Join(live, "growth.yaml"))
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	out := &screen{}
	root := newRoot("kplan")
	root.SetArgs(append([]string{"plan", "deployment/web", "-w"}, flags...))
	root.SetOut(out)
	root.SetErr(out)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	require.Eventually(t, out.shows("Deployment default/web: 10 replicas"), waitTimeout, 10*time.Millisecond)
	s.replace(t, daemons+"blocked.yaml")
	select {
	case err := <-done:
		require.EqualError(t, err, `Deployment "web" is gone`)
	case <-time.After(waitTimeout):
		t.Fatal("it goes on")
	}
}

// TestWindow: a terminal shows the headline and what has room, and says how much has none.
func TestWindow(t *testing.T) {
	text := "headline\n\n1\n2\n3\n"
	require.Equal(t, "\x1b[Hheadline\x1b[K\n\x1b[K\n1\x1b[K\n2\x1b[K\n3\x1b[K\n\x1b[J", window(text, 6))
	require.Equal(t, "\x1b[Hheadline\x1b[K\n\x1b[K\n… 3 more lines in a taller window\x1b[K\n\x1b[J", window(text, 4))
	require.Equal(t, "\x1b[H\x1b[J", window("", 4))
	require.Equal(t, 5, strings.Count(window(text, 0), "\n"), "a size that nobody knows limits nothing")
}

// TestColour: texts are coloured where it is wanted.
func TestColour(t *testing.T) {
	args := at("explain", "-f", live+"/deadline-exceeded.yaml")
	require.NotContains(t, succeed(t, nil, args...), "\x1b", "no terminal")
	coloured := succeed(t, nil, append(args, "--color", "always")...)
	require.Contains(t, coloured, " is \x1b[31mstuck\x1b[0m. ")
	require.Equal(t, succeed(t, nil, args...), regexp.MustCompile(`\x1b\[[0-9]*m`).ReplaceAllString(coloured, ""), "colour takes no room")
	code, _, stderr := run(nil, append(args, "--color", "blue")...)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "must be auto, always or never")
}
