// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"

	"github.com/kplan-go/kplan/internal/verify/e2e/cluster"
	"github.com/kplan-go/kplan/kube"
)

// manifestsDir has the manifests. A test there makes sure that they use each row of the table.
const manifestsDir = "../../../kube/internal/defaults/testdata/"

// daemonNodes is how many nodes the DaemonSets of the manifests select.
const daemonNodes = 2

func node(i int) *corev1.Node {
	return &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("defaults-", i), Labels: map[string]string{cluster.PoolLabel: "defaults"}},
	}
}

// TestDefaults: the controllers of Kubernetes do what kplan says of manifests and of dumps: the
// names of ReplicaSets and revisions, whether anything changes at all, and the sizes.
func TestDefaults(t *testing.T) {
	t.Parallel()
	name, all := nameOf(t), score{}
	t.Cleanup(func() { t.Log(all.String()) })
	client, err := kubernetes.NewForConfig(shared.Config(cluster.Admin))
	require.NoError(t, err)
	for i := range daemonNodes {
		_, err := client.CoreV1().Nodes().Create(t.Context(), node(i), metav1.CreateOptions{})
		require.True(t, err == nil || apierrors.IsAlreadyExists(err), "%v", err)
	}
	// Reading the schemas again for each object would take most of the time.
	modes := map[string][]string{"client": {"--openapi-patch=false"}, "server": {"--server-side", "--force-conflicts"}}
	for mode, args := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t, shared, name+"-"+mode, upstream, script{})
			defer e.close(script{})
			p := &previews{env: e, how: args, all: &all, dir: t.TempDir()}
			p.run()
		})
	}
}

// A previews is the manifests in a namespace, with a way to apply them.
type previews struct {
	*env
	how []string
	all *score // of all ways
	dir string
}

func (p *previews) run() {
	written := append(p.read("deployments"), p.read("daemonsets")...)
	require.GreaterOrEqual(p, len(written), 60)
	written = append(written, empty(written)...)
	others := p.read("others")
	completed, changed := each(written, p.completed), each(written, change)

	p.stage("created", nil, written, func() { p.put(append(others, written...)) })
	p.stored(append(others, written...))
	p.refused()
	p.fromManifests(written)
	p.stage("applied again", p.live(), written, func() { p.put(written) })
	p.stage("defaults written", p.live(), completed, func() { p.put(completed) })
	p.stage("changed", p.live(), p.asked(changed), func() { p.put(changed) })
	p.stage("by hand", p.live(), p.patched(written, true), func() { p.patched(written, false) })
	p.stage("changed again", p.live(), p.merged(changed), func() { p.put(changed) })
	p.stage("as before", p.live(), p.merged(written), func() { p.put(written) })
}

// fromManifests: the forecast from applied manifests equals the forecast from the objects in the
// cluster. Half of the changes are to another tag, which leaves the pull policy unchanged.
func (p *previews) fromManifests(written []*unstructured.Unstructured) {
	p.Helper()
	changed := each(each(written, change), func(i int, u *unstructured.Unstructured) {
		if i%2 == 0 {
			containers, _, err := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
			require.NoError(p, err)
			containers[0].(map[string]any)["image"] = []any{"other", "other:1"}[i/2%2]
			require.NoError(p, unstructured.SetNestedSlice(u.Object, containers, "spec", "template", "spec", "containers"))
		}
	})
	want := p.preview(p.live(), p.merged(changed))
	got := p.preview(each(written, func(_ int, u *unstructured.Unstructured) { u.SetNamespace(p.namespace) }), changed)
	require.Len(p, want, len(written))
	require.Empty(p, cmp.Diff(want, got, cmp.AllowUnexported(outcome{})), "(-from the cluster +from manifests)")
}

// empty returns Deployments without pods, one for each way to change a manifest: they go back to a
// revision without scaling.
func empty(written []*unstructured.Unstructured) (list []*unstructured.Unstructured) {
	i := slices.IndexFunc(written, func(u *unstructured.Unstructured) bool { return u.GetName() == "replicas-none" })
	for n := range changes {
		u := written[i].DeepCopy()
		text, _ := u.MarshalJSON() // it was read from a text
		_ = u.UnmarshalJSON([]byte(strings.ReplaceAll(string(text), `"replicas-none"`, fmt.Sprintf(`"none-%d"`, n))))
		list = append(list, u)
	}
	return list
}

// read returns the manifests of a file.
func (p *previews) read(name string) (list []*unstructured.Unstructured) {
	p.Helper()
	f, err := os.Open(manifestsDir + name + ".yaml")
	require.NoError(p, err)
	defer f.Close()
	for documents := yaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		u := &unstructured.Unstructured{}
		if err := documents.Decode(u); errors.Is(err, io.EOF) {
			return list
		} else {
			require.NoError(p, err)
		}
		list = append(list, u)
	}
}

func each(list []*unstructured.Unstructured, f func(int, *unstructured.Unstructured)) []*unstructured.Unstructured {
	other := make([]*unstructured.Unstructured, len(list))
	for i, u := range list {
		other[i] = u.DeepCopy()
		f(i, other[i])
	}
	return other
}

// file writes objects to a file.
func (p *previews) file(list []*unstructured.Unstructured) string {
	all := unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List"}}
	for _, u := range list {
		all.Items = append(all.Items, *u)
	}
	data, err := json.Marshal(&all)
	require.NoError(p, err)
	f, err := os.CreateTemp(p.dir, "*.json")
	require.NoError(p, err)
	defer f.Close()
	_, err = f.Write(data)
	require.NoError(p, err)
	return f.Name()
}

// put applies manifests.
func (p *previews) put(list []*unstructured.Unstructured, more ...string) string {
	p.Helper()
	return p.kubectl(append(append([]string{"apply", "-f", p.file(list)}, p.how...), more...)...)
}

// merged returns the objects that the server says manifests would become if they were applied.
func (p *previews) merged(list []*unstructured.Unstructured) []*unstructured.Unstructured {
	p.Helper()
	return p.list(p.put(list, "--dry-run=server", "-o", "json"))
}

// asked is manifests for kplan to apply to a dump as kubectl apply would. Which fields an
// apply on the server's side owns no dump tells, so the server is asked about that one.
func (p *previews) asked(list []*unstructured.Unstructured) []*unstructured.Unstructured {
	p.Helper()
	if slices.Contains(p.how, "--server-side") {
		return p.merged(list)
	}
	return list
}

// live returns the objects in the cluster, as kubectl prints them.
func (p *previews) live() []*unstructured.Unstructured {
	p.Helper()
	return p.list(p.kubectl("get", "deployments,replicasets,daemonsets,controllerrevisions,pods", "-o", "json"))
}

func (p *previews) list(text string) (list []*unstructured.Unstructured) {
	p.Helper()
	var all unstructured.UnstructuredList
	// A warning may come first.
	require.NoError(p, json.Unmarshal([]byte(text[strings.Index(text, "{\n"):]), &all))
	for i := range all.Items {
		if strings.HasPrefix(all.Items[i].GetName(), "set-") || all.Items[i].GetName() == "controller" {
			continue // of the kinds that have no preview
		}
		list = append(list, &all.Items[i])
	}
	return list
}

// completed writes out the defaults.
func (p *previews) completed(_ int, u *unstructured.Unstructured) {
	u.Object["spec"] = p.typed(u, true)["spec"]
}

// typed returns a manifest as its type is encoded, with its defaults if it shall.
func (p *previews) typed(u *unstructured.Unstructured, complete bool) map[string]any {
	p.Helper()
	switch u.GetKind() {
	case "Deployment":
		return through(p, u, complete, kube.Default[appsv1.Deployment])
	case "DaemonSet":
		return through(p, u, complete, kube.Default[appsv1.DaemonSet])
	case "StatefulSet":
		return through(p, u, complete, kube.Default[appsv1.StatefulSet])
	case "ReplicaSet":
		return through(p, u, complete, kube.Default[appsv1.ReplicaSet])
	case "ReplicationController":
		return through(p, u, complete, kube.Default[corev1.ReplicationController])
	}
	if u.GetAPIVersion() == "autoscaling/v1" {
		return through(p, u, complete, kube.Default[autoscalingv1.HorizontalPodAutoscaler])
	}
	return through(p, u, complete, kube.Default[autoscalingv2.HorizontalPodAutoscaler])
}

func through[T any](p *previews, u *unstructured.Unstructured, complete bool, f func(*T) *T) map[string]any {
	p.Helper()
	o := new(T)
	data, err := u.MarshalJSON()
	require.NoError(p, err)
	require.NoError(p, json.Unmarshal(data, o))
	if complete {
		o = f(o)
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	require.NoError(p, err)
	return m
}

// stored compares the server's defaults of manifests with kube's.
func (p *previews) stored(list []*unstructured.Unstructured) {
	p.Helper()
	var got unstructured.UnstructuredList
	require.NoError(p, json.Unmarshal([]byte(p.kubectl("get", "-f", p.file(list), "-o", "json")), &got))
	require.Len(p, got.Items, len(list))
	for i, u := range list {
		want := p.typed(u, true)
		if diff := cmp.Diff(p.typed(&got.Items[i], false)["spec"], want["spec"]); diff != "" {
			p.Errorf("%s %s: (-server +kube)\n%s", u.GetKind(), u.GetName(), diff)
		}
	}
}

// refused: rows that no manifest uses are about manifests that the server refuses.
func (p *previews) refused() {
	p.Helper()
	out, err := p.world.kubectl("-n", p.namespace, "apply", "-f", manifestsDir+"refused.yaml")
	require.Error(p, err)
	require.Contains(p, out, "ephemeral containers not allowed in pod template")
}
