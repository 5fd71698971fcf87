// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/controller"
)

// files is the folder of the command's manifests, and its output for them.
const files = "../../../examples/kplan/testdata/"

// TestNamesOfCommand: the command prints the names that the controllers give to ReplicaSets and
// revisions of its manifests. It is built with its own API module.
func TestNamesOfCommand(t *testing.T) {
	for answer, manifests := range map[string][]string{
		"echoserver.txt": {"echoserver-v1.yaml", "echoserver-v2.yaml"},
		"daemonset.txt":  {"daemonset/agent-v2.yaml"},
	} {
		text, err := os.ReadFile(files + "golden/" + answer)
		require.NoError(t, err)
		for _, manifest := range manifests {
			found := 0
			for _, o := range decoded(t, files+manifest) {
				stored, err := asStored(o)
				require.NoError(t, err)
				switch o := stored.(type) {
				case *appsv1.Deployment:
					require.Contains(t, string(text), o.Name+"-"+controller.ComputeHash(&o.Spec.Template, nil)+" ")
					found++
				case *appsv1.DaemonSet:
					require.Contains(t, string(text), o.Name+"-"+controller.ComputeHash(&o.Spec.Template, nil)+" ")
					found++
				}
			}
			require.Equal(t, 1, found, manifest)
		}
	}
}

// TestNamesOfLiveFiles: the same holds for the files that show the contents of a cluster.
func TestNamesOfLiveFiles(t *testing.T) {
	names, err := filepath.Glob(files + "live/*.yaml")
	require.NoError(t, err)
	found := 0
	for _, name := range names {
		for _, o := range decoded(t, name) {
			list, ok := o.(*corev1.List)
			if !ok {
				continue
			}
			for _, item := range list.Items {
				o, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(item.Raw, nil, nil)
				require.NoError(t, err)
				rs, ok := o.(*appsv1.ReplicaSet)
				if !ok {
					continue
				}
				found++
				template := rs.Spec.Template.DeepCopy()
				delete(template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
				owner := rs.OwnerReferences[0].Name
				require.Equal(t, owner+"-"+controller.ComputeHash(template, nil), rs.Name, name)
			}
		}
	}
	require.Greater(t, found, 20)
}

// decoded returns the objects of a file that are of kinds of Kubernetes.
func decoded(t *testing.T, name string) (list []kruntime.Object) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		if strings.TrimSpace(string(document)) == "" {
			continue
		}
		o, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if kruntime.IsNotRegisteredError(err) {
			continue
		}
		require.NoError(t, err, name)
		list = append(list, o)
	}
	return list
}
