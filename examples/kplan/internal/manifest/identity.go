// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/replicaset"
)

// key identifies an object of a kind. An object without a namespace is in the default namespace, as
// for kubectl.
func key(o metav1.Object) string {
	return cmp.Or(o.GetNamespace(), metav1.NamespaceDefault) + "/" + o.GetName()
}

func kindOf(u *unstructured.Unstructured) string { return u.GetAPIVersion() + " " + u.GetKind() }

// An ID identifies an object of any kind, whatever the version of its API.
type ID struct{ Kind, Group, Namespace, Name string }

// Placed returns the ID with the default namespace if it has no namespace.
func (id ID) Placed() ID {
	id.Namespace = cmp.Or(id.Namespace, metav1.NamespaceDefault)
	return id
}

func idOf(u *unstructured.Unstructured) ID {
	gvk := u.GroupVersionKind()
	return ID{gvk.Kind, gvk.Group, u.GetNamespace(), u.GetName()}
}

// setID returns the ID of a ReplicaSet or ReplicationController.
func setID(kind, namespace, name string) ID {
	id := ID{Kind: kind, Namespace: namespace, Name: name}
	if kind == replicaset.Kind {
		id.Group = "apps"
	}
	return id
}

// kruiseApps and kruiseRollouts are the API groups of OpenKruise.
const kruiseApps, kruiseRollouts = "apps.kruise.io", "rollouts.kruise.io"

// sameNamespace reports whether two namespaces are the same. The empty namespace is the default
// one.
func sameNamespace(a, b string) bool {
	return cmp.Or(a, metav1.NamespaceDefault) == cmp.Or(b, metav1.NamespaceDefault)
}

// manifestUID is the prefix of the UIDs of manifests.
const manifestUID = "manifest/"

func madeUID(kind, namespace, name string) types.UID {
	return types.UID(manifestUID + namespace + "/" + kind + name)
}

// identify gives a manifest a UID and a generation if it lacks them.
func identify(o *metav1.ObjectMeta, kind string) {
	if o.UID == "" {
		o.UID = madeUID(kind, o.Namespace, o.Name)
	}
	o.Generation = max(o.Generation, 1)
}

// IsManifest reports whether a UID belongs to a manifest, not to an object of a cluster.
func IsManifest[U ~string](uid U) bool { return !isLive(types.UID(uid)) }

// isLive reports whether a UID belongs to an object of a cluster.
func isLive(uid types.UID) bool { return uid != "" && !strings.HasPrefix(string(uid), manifestUID) }
