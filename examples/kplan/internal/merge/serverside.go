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

// Manager is the owner of what kubectl apply --server-side writes.
const Manager = "kubectl"

// ServerSide returns what a live object is after kubectl apply --server-side of a manifest,
// but for what the API server fills in: what kubectl owned and the manifest lacks goes, unless
// somebody else owns it as well, and what others own stays. Fields of a custom resource are
// merged without its schema: its lists are replaced whole, as those of OpenKruise and Argo
// are. What others own is taken from them by force, or else a [Refusal]. Neither is changed.
//
// The merge is the one of the API server, in package managedfields. As kubectl does, what its
// apply without --server-side owned is taken over, and applied again.
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

// TakeOver returns what an object is that --server-side has applied once, after kubectl has
// taken over what its apply without --server-side owned and has applied the manifest again.
// An object without any such field is returned as it is, and none is changed.
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

// apply applies once.
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

// A Refusal is what the API server answers to an apply of fields that others own.
type Refusal struct{ err error }

// Refused returns the refusal that a conflict is.
func Refused(err error) *Refusal { return &Refusal{err} }

func (r *Refusal) Error() string {
	return fmt.Sprintf("the API server would refuse, in its words: %q; leave these fields out of the manifest, or let kubectl take them with --force-conflicts",
		strings.Join(strings.Fields(r.err.Error()), " "))
}

// Unwrap returns the answer.
func (r *Refusal) Unwrap() error { return r.err }

// clientSide returns the managers that have applied without --server-side: those that own
// the annotation of that.
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

// managerOf returns what merges objects of a kind.
func managerOf(kind schema.GroupVersionKind) (*managedfields.FieldManager, error) {
	types := managedfields.NewDeducedTypeConverter()
	if scheme.Scheme.Recognizes(kind) {
		types = applyconfigurations.NewTypeConverter(scheme.Scheme)
	}
	return managedfields.NewDefaultFieldManager(types, oneVersion{}, oneVersion{}, oneVersion{}, kind, kind.GroupVersion(), "", nil)
}

// oneVersion leaves objects in their version, and without defaults: manifests are compared
// with defaults filled in.
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
