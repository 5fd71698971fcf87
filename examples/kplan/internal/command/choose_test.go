// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// object returns an object of a text.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
	return u
}

// TestChoose: all of a type are looked at, in one namespace or in all, or those with labels.
func TestChoose(t *testing.T) {
	s, flags := newAPIServer(t, filepath.Join(live, "growth.yaml"), daemons+"blocked.yaml")
	for _, name := range []string{"a", "b"} {
		s.objects = append(s.objects, object(t, strings.ReplaceAll(good, "name: web}", "name: web, namespace: shop-"+name+", uid: u-"+name+", labels: {tier: "+name+"}}")))
	}
	names := func(args ...string) string {
		return strings.ReplaceAll(succeed(t, nil, append(append([]string{"explain", "-o", "name"}, args...), flags...)...), "\n", " ")
	}
	require.Equal(t, "deployment.apps/web ", names("deployments"))
	require.Equal(t, "deployment.apps/web ", names("deploy", "-n", "shop-a"))
	require.Equal(t, "deployment.apps/web deployment.apps/web deployment.apps/web ", names("deploy", "-A"))
	require.Equal(t, "deployment.apps/web ", names("deploy", "-A", "-l", "tier=b"))
	require.Equal(t, "deployment.apps/web daemonset.apps/agent ", names("deploy,ds", "-A", "-l", "tier!=a,tier!=b"))
	text := succeed(t, nil, append(at("explain", "deploy", "-A"), flags...)...)
	require.Contains(t, text, "3 Deployments: 3 are progressing.\n\nDeployment default/web is")
	require.Contains(t, text, "\nDeployment shop-b/web is")
	require.Contains(t, text, "web-"+hashOf(t, text), "the pods of other namespaces are read as well")

	for want, args := range map[string][]string{
		"error: there are no rs in the namespace default\n":                     {"explain", "rs", "-n", "default"}, // they belong to Deployments
		"error: there are no deploy in any namespace with the labels tier=c\n":  {"plan", "deploy", "-A", "-l", "tier=c"},
		"error: a resource cannot be retrieved by name across all namespaces\n": {"plan", "deploy/web", "-A"},
		"error: name cannot be provided when a selector is specified\n":         {"plan", "deploy", "web", "-l", "tier=c"},
		"error: pods/" + setName("web", 1):                                      {"explain", "pods"},
	} {
		code, _, stderr := run(nil, append(args, flags...)...)
		require.Equal(t, exitFailure, code)
		require.Contains(t, stderr, want)
	}
}

// hashOf returns the hash of the first ReplicaSet in a text.
func hashOf(t *testing.T, text string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "├─ web-")
	require.True(t, found, text)
	hash, _, _ := strings.Cut(rest, " ")
	return hash
}

// TestWatchAll: what comes later is watched as well.
func TestWatchAll(t *testing.T) {
	s, flags := newAPIServer(t, filepath.Join(live, "growth.yaml"))
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	out := &screen{}
	root := newRoot("kplan")
	root.SetArgs(append(at("explain", "deployments", "-A", "--watch"), flags...))
	root.SetOut(out)
	root.SetErr(out)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	require.Eventually(t, out.shows("Deployment default/web is progressing. "), waitTimeout, 10*time.Millisecond)
	both := filepath.Join(t.TempDir(), "both.yaml")
	text, err := os.ReadFile(filepath.Join(live, "growth.yaml"))
	require.NoError(t, err)
	more := strings.ReplaceAll(good, "name: web}", "name: late, namespace: shop, uid: late}")
	require.NoError(t, os.WriteFile(both, []byte(strings.Replace(string(text), "items:\n", "items:\n- "+strings.ReplaceAll(strings.TrimSpace(more), "\n", "\n  ")+"\n", 1)), 0o600))
	s.replace(t, both)
	require.Eventually(t, out.shows("Deployment shop/late is progressing. "), waitTimeout, 10*time.Millisecond)
	stop()
	require.NoError(t, <-done)
}

// TestCompletionOfNames: a shell is offered types, and what the cluster or the files have.
func TestCompletionOfNames(t *testing.T) {
	s, flags := newAPIServer(t, filepath.Join(live, "growth.yaml"))
	s.objects = append(s.objects,
		object(t, strings.ReplaceAll(good, "name: web}", "name: shop, namespace: default, uid: s}")),
		object(t, strings.ReplaceAll(good, "name: web}", `name: "a\e[2J", namespace: default, uid: t}`)),
		object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}"))
	offered := func(args ...string) string {
		last := len(args) - 1
		all := append(append(append([]string{"__complete"}, args[:last]...), flags...), args[last])
		return succeed(t, nil, all...)
	}
	require.Equal(t, "daemonset/\ndeployment/\n:6\n", offered("plan", "d"))
	require.Equal(t, "deployment/web\ndeployment/shop\n:4\n", offered("explain", "deployment/"), "what a terminal would not show is not offered")
	require.Equal(t, "web\nshop\n:4\n", offered("explain", "deploy", ""))
	require.Equal(t, "shop\n:4\n", offered("explain", "deploy", "web", ""))
	require.Equal(t, "deployment/shop\n:4\n", offered("simulate", "deployment/web", "deployment/"))
	require.Equal(t, "kube-system\n:4\n", offered("history", "--namespace="))
	require.Equal(t, "x\n:4\n", offered("undo", "--context="))
	require.Equal(t, ":4\n", offered("plan", "-f", "x.yaml", ""), "files exclude names")
	require.Equal(t, ":4\n", offered("plan", "gadget/"))
	require.Equal(t, setName("web", 1)+"\n"+setName("web", 2)+"\n:4\n", succeed(t, nil, "__complete", "order", "-f", live+"/growth.yaml", "--replicaset", ""))
	require.Equal(t, "1\n2\n:4\n", succeed(t, nil, "__complete", "undo", "-f", live+"/growth.yaml", "--to-revision", ""))
}

// TestKustomize: -k reads what kubectl kustomize prints, and --from such folders as well.
func TestKustomize(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"base/web.yaml": good, "base/kustomization.yaml": "resources: [web.yaml]\n",
		"new/kustomization.yaml": "resources: [../base]\nnamespace: shop\nimages: [{name: web, newTag: \"2\"}]\n",
		"old/kustomization.yaml": "resources: [../base]\nnamespace: shop\n",
		"bad/kustomization.yaml": "resources: [nowhere.yaml]\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	text := succeed(t, nil, "simulate", "--from", "old", "-k", "new")
	require.Contains(t, text, "Deployment shop/web: 1 replica,")
	require.Contains(t, text, "  web:1\n")
	require.Contains(t, text, "  web:2\n")
	for want, args := range map[string][]string{
		"base/kustomization.yaml: is for kustomize; -k FOLDER builds its folder": {"plan", "-f", "base"},
		"error: bad: accumulating resources":                                     {"plan", "-k", "bad"},
		"-f FILE and -k FOLDER exclude each other":                               {"plan", "-k", "new", "-f", "base/web.yaml"},
	} {
		code, _, stderr := run(nil, args...)
		require.NotZero(t, code)
		require.Contains(t, stderr, want)
	}
}
