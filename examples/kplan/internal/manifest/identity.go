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

// key tells objects of a kind apart. Without a namespace they are in that which kubectl
// takes then.
func key(o metav1.Object) string {
	return cmp.Or(o.GetNamespace(), metav1.NamespaceDefault) + "/" + o.GetName()
}

func kindOf(u *unstructured.Unstructured) string { return u.GetAPIVersion() + " " + u.GetKind() }

// An ID tells objects of all kinds apart, whatever the version of their API.
type ID struct{ Kind, Group, Namespace, Name string }

// Placed returns the ID with the namespace that kubectl takes without one.
func (id ID) Placed() ID {
	id.Namespace = cmp.Or(id.Namespace, metav1.NamespaceDefault)
	return id
}

func idOf(u *unstructured.Unstructured) ID {
	gvk := u.GroupVersionKind()
	return ID{gvk.Kind, gvk.Group, u.GetNamespace(), u.GetName()}
}

// setID returns that of a ReplicaSet or ReplicationController.
func setID(kind, namespace, name string) ID {
	id := ID{Kind: kind, Namespace: namespace, Name: name}
	if kind == replicaset.Kind {
		id.Group = "apps"
	}
	return id
}

// The API groups of OpenKruise.
const kruiseApps, kruiseRollouts = "apps.kruise.io", "rollouts.kruise.io"

// sameNamespace reports whether two names of a namespace mean the same: none is the default
// one.
func sameNamespace(a, b string) bool {
	return cmp.Or(a, metav1.NamespaceDefault) == cmp.Or(b, metav1.NamespaceDefault)
}

// manifestUID is what the UIDs of manifests begin with.
const manifestUID = "manifest/"

func madeUID(kind, namespace, name string) types.UID {
	return types.UID(manifestUID + namespace + "/" + kind + name)
}

// identify gives an object the UID and the generation that it lacks as long as it is a
// manifest.
func identify(o *metav1.ObjectMeta, kind string) {
	if o.UID == "" {
		o.UID = madeUID(kind, o.Namespace, o.Name)
	}
	o.Generation = max(o.Generation, 1)
}

// IsManifest reports whether the UID is that of a manifest which nobody has applied.
func IsManifest[U ~string](uid U) bool { return !isLive(types.UID(uid)) }

// isLive reports whether the UID is that of an object of a cluster.
func isLive(uid types.UID) bool { return uid != "" && !strings.HasPrefix(string(uid), manifestUID) }
