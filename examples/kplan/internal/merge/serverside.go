// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/csaupgrade"
)

// Manager is the field manager of kubectl apply --server-side.
const Manager = "kubectl"

// ServerSide returns a live object after kubectl apply --server-side of a manifest, without the
// defaults of the API server. It removes fields that only kubectl owned and the manifest lacks,
// and keeps fields of other managers. A field of the manifest that another manager owns is a
// [Refusal], unless force takes it over. ServerSide merges custom resources without their schema
// and replaces their lists, as the schemas of OpenKruise and Argo do. It changes neither
// argument.
//
// The merge itself is the one of the API server, in package managedfields. Like kubectl,
// ServerSide takes over fields of an apply without --server-side and applies the manifest again.
func ServerSide(live, manifest *unstructured.Unstructured, force bool) (*unstructured.Unstructured, error) {
	if len(live.GetManagedFields()) == 0 {
		return nil, errors.New("has no managedFields, which --server-side goes by; read it with kubectl get -o yaml --show-managed-fields")
	}
	wanted := manifest.DeepCopy()
	wanted.SetNamespace(live.GetNamespace())
	wanted.SetManagedFields(nil)
	manager, err := managerOf(live.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	merged, err := apply(manager, live, wanted, force)
	if err != nil {
		return nil, err
	}
	return TakeOver(merged, manifest, force)
}

// TakeOver returns an object, after a first apply with --server-side, in the state after the
// second one: kubectl has taken over the fields of its apply without --server-side and has
// applied the manifest again. It returns an object without such fields unchanged. It changes
// neither argument.
func TakeOver(merged, manifest *unstructured.Unstructured, force bool) (*unstructured.Unstructured, error) {
	former := clientSide(merged)
	if len(former) == 0 {
		return merged, nil
	}
	merged = merged.DeepCopy()
	if err := csaupgrade.UpgradeManagedFields(merged, former, Manager); err != nil {
		return nil, fmt.Errorf("cannot be applied to the live object: %w", err)
	}
	wanted := manifest.DeepCopy()
	wanted.SetNamespace(merged.GetNamespace())
	wanted.SetManagedFields(nil)
	manager, err := managerOf(merged.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return apply(manager, merged, wanted, force)
}

// apply applies a manifest once.
func apply(manager *managedfields.FieldManager, live, wanted *unstructured.Unstructured, force bool) (*unstructured.Unstructured, error) {
	merged, err := manager.Apply(live, wanted, Manager, force)
	if apierrors.IsConflict(err) {
		return nil, Refused(err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be applied to the live object: %w", err)
	}
	u, ok := merged.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("cannot be applied to the live object: it becomes a %T", merged)
	}
	return u, nil
}

// A Refusal is the conflict that the API server returns for fields of other managers.
type Refusal struct{ err error }

// Refused returns the refusal for a conflict.
func Refused(err error) *Refusal { return &Refusal{err} }

func (r *Refusal) Error() string {
	return fmt.Sprintf("the API server would refuse, in its words: %q; leave these fields out of the manifest, or let kubectl take them with --force-conflicts",
		strings.Join(strings.Fields(r.err.Error()), " "))
}

// Unwrap returns the conflict.
func (r *Refusal) Unwrap() error { return r.err }

// clientSide returns the managers that have applied without --server-side: the owners of the
// last-applied annotation.
func clientSide(u *unstructured.Unstructured) sets.Set[string] {
	names := sets.New[string]()
	for _, entry := range u.GetManagedFields() {
		owns := entry.FieldsV1 != nil && strings.Contains(entry.FieldsV1.GetRawString(), `"f:`+corev1.LastAppliedConfigAnnotation+`"`)
		if entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == "" && owns {
			names.Insert(entry.Manager)
		}
	}
	return names
}

// managerOf returns the field manager for objects of a kind.
func managerOf(kind schema.GroupVersionKind) (*managedfields.FieldManager, error) {
	types := managedfields.NewDeducedTypeConverter()
	if scheme.Scheme.Recognizes(kind) {
		types = applyconfigurations.NewTypeConverter(scheme.Scheme)
	}
	return managedfields.NewDefaultFieldManager(types, oneVersion{}, oneVersion{}, oneVersion{}, kind, kind.GroupVersion(), "", nil)
}

// A oneVersion keeps the version of objects and sets no defaults: manifests are compared after
// defaulting.
type oneVersion struct{}

func (oneVersion) Convert(_, _, _ any) error { return errors.New("only one version is known") }

func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (oneVersion) Default(runtime.Object) {}

func (oneVersion) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u, nil
}
