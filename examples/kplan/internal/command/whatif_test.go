// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// applied is a finished rollout of 4 pods as the last apply and changes by hand made it.
func applied(last string) liveCase {
	return liveCase{
		file: "applied", replicas: 4, surge: 1, unavailable: 0, version: 1, revision: "1", progressing: "NewReplicaSetAvailable",
		sets: []liveSet{{version: 1, revision: "1", size: 4, desired: 4, max: 5, age: 48 * hour, available: 4}},
		change: func(d *appsv1.Deployment) {
			if last != "" {
				text, _ := yaml.YAMLToJSON([]byte(last))
				d.Annotations[corev1.LastAppliedConfigAnnotation] = string(text)
			}
		},
	}
}

// newWeb is a manifest of what applied rolled out, but for what it lacks and an image.
func newWeb(more, tag string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
` + more + `  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "registry.example.com/web:1.` + tag + `", ports: [{name: http, containerPort: 8080}], readinessProbe: {httpGet: {path: /readyz, port: http}}}]
`
}

func inFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// A manifest is applied to the dump of a live object: what it lacks and nobody owned
// stays, so that an unchanged one is no rollout.
func TestAppliedToDump(t *testing.T) {
	dump := inFile(t, "live.yaml", string(applied(newWeb("", "1")).yaml(t)))
	b := simulated(t, nil, "--from", dump, "-f", inFile(t, "same.yaml", newWeb("", "1")))
	require.Len(t, b.Steps, 1, "nothing changes")
	require.EqualValues(t, 4, b.Steps[0].Total)
	b = simulated(t, nil, "--from", dump, "-f", inFile(t, "new.yaml", newWeb("", "2")))
	require.True(t, b.Done)
	require.EqualValues(t, 5, b.Bounds.MaxTotal, "replicas and limits are those of the live object")
	require.EqualValues(t, 4, b.Bounds.MinAvailable)
	owned := inFile(t, "owned.yaml", string(applied(newWeb("  replicas: 4\n", "1")).yaml(t)))
	b = simulated(t, nil, "--from", owned, "-f", inFile(t, "new.yaml", newWeb("", "2")))
	last := b.Steps[len(b.Steps)-1]
	require.EqualValues(t, 1, last.Total, "the last apply held them, and this one lacks them")
}

// A manifest of --from stands for what an apply of it has made: the next one leaves what it
// does not say, such as the policy that an earlier tag was given. What the first has said and the second lacks goes back to its default.
func TestAppliedToManifest(t *testing.T) {
	with := func(more, container string) string {
		return inFile(t, "web.yaml", strings.Replace(newWeb(more, "2"), `web:1.2", `, container, 1))
	}
	name := func(from, to string) string {
		b := simulated(t, nil, "--from", from, "-f", to)
		for _, rs := range b.Steps[len(b.Steps)-1].Parts {
			if rs.Replicas > 0 {
				return rs.Name
			}
		}
		return ""
	}
	latest, tagged := with("", `web:latest", `), with("", `web:1.2", `)
	always, once := with("", `web:1.2", imagePullPolicy: Always, `), with("", `web:1.2", imagePullPolicy: IfNotPresent, `)
	require.Equal(t, name(latest, always), name(latest, tagged), "it stays")
	require.Equal(t, name(tagged, once), name(tagged, tagged), "the default of a tag")
	require.Equal(t, name(latest, once), name(always, tagged), "it was said, and is no more")

	b := simulated(t, nil, "--from", with("  replicas: 4\n", `web:1.2", `), "-f", tagged)
	require.EqualValues(t, 1, b.Steps[len(b.Steps)-1].Total)
	scoped := inFile(t, "scoped.yaml", strings.Replace(newWeb("  replicas: 4\n", "2"), "name: web, ", "name: web, namespace: default, ", 1))
	b = simulated(t, nil, "--from", with("  replicas: 4\n", `web:1.2", `), "-f", scoped)
	require.Len(t, b.Steps, 1, "the namespace is the same")
	wrong := inFile(t, "wrong.yaml", newWeb("  replicas: 4\n  unheard: {of: it}\n", "3"))
	_, _, stderr := run(nil, "simulate", "--from", tagged, "-f", wrong)
	require.Contains(t, stderr, `unknown field "spec.unheard"`, "as for kubectl apply")
}

// With --live a manifest is applied to what the cluster holds, and nothing is written to
// it: the server that refuses to try it is told of in one line.
func TestWhatIf(t *testing.T) {
	dump := inFile(t, "live.yaml", string(applied(newWeb("", "1")).yaml(t)))
	server, flags := newAPIServer(t, dump)
	same, changed := inFile(t, "same.yaml", newWeb("", "1")), inFile(t, "new.yaml", newWeb("", "2"))
	code, stdout, stderr := run(nil, append([]string{"simulate", "--live", "-f", same, "-o", "json"}, flags...)...)
	require.Zero(t, code, stderr)
	require.Len(t, readRollout(t, stdout).Steps, 1)
	require.Equal(t, 1, strings.Count(stderr, "the server was not asked to try it"))
	require.Equal(t, 1, server.writes, "one that is a dry run")

	code, stdout, stderr = run(nil, append([]string{"simulate", "--live", "-f", changed, "-o", "json"}, flags...)...)
	require.Zero(t, code, stderr)
	r := readRollout(t, stdout)
	checkBounds(t, r, 5, 4)
	require.True(t, r.Done)
	require.EqualValues(t, 4, r.Steps[0].Available, "it begins with the pods of the cluster")

	code, stdout, stderr = run(nil, append([]string{"plan", "--live", "-f", changed}, flags...)...)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "create replica set web-")
	code, stdout, stderr = run(nil, append([]string{"explain", "--live", "-f", same}, flags...)...)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "Deployment default/web is complete.")

	code, _, stderr = run(nil, append([]string{"plan", "--live", "--server-side", "-f", changed}, flags...)...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "has no managedFields", "it is merged without the server")
	code, stdout, stderr = run([]byte(strings.ReplaceAll(newWeb("", "2"), "name: web, labels", "name: other, labels")),
		append([]string{"simulate", "--live", "-f", "-", "-o", "json"}, flags...)...)
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "1 of 1 workloads are not in the cluster and start from nothing")
	require.Equal(t, "other", readRollout(t, stdout).Name)
	code, _, stderr = run(nil, "plan", "--live", "deployment/web")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "--live needs -f FILE")
}

// managed returns the dump of a Deployment of 4 replicas whose fields have managers: kubectl
// has applied all but the replicas, which another one has written.
func managed(t *testing.T, replicas metav1.ManagedFieldsEntry) string {
	c := applied("")
	fields := `{"f:spec":{"f:minReadySeconds":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{}}}}}}}`
	change := c.change
	c.change = func(d *appsv1.Deployment) {
		change(d)
		replicas.APIVersion, replicas.FieldsType = "apps/v1", "FieldsV1"
		replicas.FieldsV1 = metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)
		d.ManagedFields = append(d.ManagedFields, replicas, metav1.ManagedFieldsEntry{
			Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "apps/v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
		})
		if replicas.Manager == "kubectl" {
			d.ManagedFields = d.ManagedFields[1:]
			d.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(strings.Replace(fields, `"f:minReadySeconds"`, `"f:replicas"`, 1))
		}
	}
	return inFile(t, "live.yaml", string(c.yaml(t)))
}

// Without a server --server-side goes by the managers of the fields of a dump.
func TestServerSideOfDump(t *testing.T) {
	byOther := managed(t, metav1.ManagedFieldsEntry{Manager: "scaler", Operation: metav1.ManagedFieldsOperationUpdate})
	byKubectl := managed(t, metav1.ManagedFieldsEntry{Manager: "kubectl"})
	next := inFile(t, "new.yaml", newWeb("", "2"))
	last := func(from string) int32 {
		b := simulated(t, nil, "--server-side", "--from", from, "-f", next)
		require.True(t, b.Done)
		return b.Steps[len(b.Steps)-1].Total
	}
	require.EqualValues(t, 4, last(byOther), "whose they are, they stay")
	require.EqualValues(t, 1, last(byKubectl), "kubectl gives them up")
	same := simulated(t, nil, "--server-side", "--from", byOther, "-f", inFile(t, "same.yaml", newWeb("", "1")))
	require.Len(t, same.Steps, 1, "nothing changes")

	code, _, stderr := run(nil, "simulate", "--server-side", "--from", byOther, "-f", inFile(t, "many.yaml", newWeb("  replicas: 9\n", "2")))
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, `the API server would refuse, in its words: "Apply failed with 1 conflict: conflict with \"scaler\" using apps/v1: .spec.replicas"; leave`)
	code, _, stderr = run(nil, "simulate", "--server-side", "--from", inFile(t, "bare.yaml", string(applied("").yaml(t))), "-f", next)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "has no managedFields, which --server-side goes by; read it with kubectl get -o yaml --show-managed-fields")
	code, _, stderr = run(nil, "simulate", "--server-side", "--from", inFile(t, "old.yaml", newWeb("", "1")), "-f", next)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "--server-side needs --live, or live objects in the files of --from")
	code, _, stderr = run(nil, "plan", "--server-side", "-f", next)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "--server-side needs --live")
}

// Manifests without a namespace are in that of -n, as for kubectl apply, with all that bounds
// them. So they are the same as the objects of a dump.
func TestNamespaceOfFlag(t *testing.T) {
	dump := strings.ReplaceAll(string(applied(newWeb("", "1")).yaml(t)), "namespace: default", "namespace: shop")
	files := []string{"--from", inFile(t, "live.yaml", dump), "-f", inFile(t, "same.yaml", newWeb("", "1")), "-f", inFile(t, "hpa.yaml", autoscaler), "-n", "shop"}
	b := simulated(t, nil, files...)
	require.Len(t, b.Steps, 1, "nothing changes")
	require.Contains(t, b.Assumed, "HorizontalPodAutoscaler web keeps 3 to 7 replicas; they stay at 4")
	b = simulated(t, nil, files[:len(files)-2]...)
	require.Greater(t, len(b.Steps), 1, "another one in the namespace default")

	_, flags := newAPIServer(t, inFile(t, "items.yaml", dump))
	_, stdout, stderr := run(nil, append(append([]string{"simulate", "--live", "-o", "json"}, files[2:]...), flags...)...)
	require.Len(t, readRollout(t, stdout).Steps, 1, stderr)
	require.Contains(t, stdout, "they stay at 4")
}
