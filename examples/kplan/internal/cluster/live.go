// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"

	"github.com/kplan-go/kplan/examples/kplan/internal/merge"
)

// A Live is the cluster to which manifests would be applied.
type Live struct {
	query  Query
	client dynamic.Interface
	mapper meta.RESTMapper

	Around     Around
	Namespace  string       // default namespace of manifests
	ServerSide bool         // as kubectl apply --server-side does
	Force      bool         // and with --force-conflicts
	Tell       func(string) // called with remarks for the user
	refused    bool
}

// NewLive returns the cluster of a configuration.
func NewLive(getter genericclioptions.RESTClientGetter) (*Live, error) {
	l := &Live{query: Query{Getter: getter}, Tell: func(string) {}}
	var err error
	if l.client, err = l.query.client(); err != nil {
		return nil, err
	}
	if l.mapper, err = getter.ToRESTMapper(); err != nil {
		return nil, err
	}
	l.Namespace, _, err = getter.ToRawKubeConfigLoader().Namespace()
	return l, err
}

// Read returns the live objects of manifests, and the objects that belong to them. It leaves out
// objects that do not exist. It sets the namespace of manifests without one.
func (l *Live) Read(manifests []*unstructured.Unstructured) (targets []*unstructured.Unstructured, related Snapshot, err error) {
	byNamespace := map[string][]*unstructured.Unstructured{}
	for _, m := range manifests {
		r, err := l.resource(m)
		if err != nil {
			return nil, related, err
		}
		live, err := r.Get(context.Background(), m.GetName(), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			return nil, related, err
		}
		targets = append(targets, live)
		related.Targets = append(related.Targets, live.GetUID())
		byNamespace[live.GetNamespace()] = append(byNamespace[live.GetNamespace()], live)
	}
	for _, namespace := range slices.Sorted(maps.Keys(byNamespace)) {
		s, err := l.query.related(byNamespace[namespace])
		if err != nil {
			return nil, related, err
		}
		for _, o := range s.Objects {
			related.add(o, false)
		}
	}
	around := l.query
	around.Around, around.Tell = l.Around, l.Tell
	around.around(l.client, &related, slices.Sorted(maps.Keys(byNamespace))...)
	related.Objects = slices.DeleteFunc(related.Objects, func(u *unstructured.Unstructured) bool {
		return slices.Contains(related.Targets, u.GetUID())
	})
	return targets, related, nil
}

func (l *Live) resource(u *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	gvk := u.GroupVersionKind()
	m, err := l.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	if u.GetNamespace() == "" {
		u.SetNamespace(l.Namespace)
	}
	return l.client.Resource(m.Resource).Namespace(u.GetNamespace()), nil
}

// Apply returns a live object after a manifest was applied. It uses a dry run of the API server; if
// the server does not allow that, it merges the two as kubectl does.
func (l *Live) Apply(live, manifest *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	merged, err := l.try(live, manifest)
	switch {
	case err == nil && l.ServerSide:
		return merge.TakeOver(merged, manifest, l.Force)
	case err == nil:
		return merged, nil
	case !apierrors.IsForbidden(err) && !apierrors.IsMethodNotSupported(err) && !apierrors.IsUnsupportedMediaType(err):
		return nil, err // such as an invalid manifest
	}
	if !l.refused {
		l.refused = true
		l.Tell("the server was not asked to try it, as that is not allowed; kplan has merged it as kubectl does: " + err.Error())
	}
	if l.ServerSide {
		return merge.ServerSide(live, manifest, l.Force)
	}
	return merge.Apply(live, manifest)
}

// try applies the manifest in a dry run.
func (l *Live) try(live, manifest *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	r, err := l.resource(live)
	if err != nil {
		return nil, err
	}
	patch, err := merge.PatchFor(live, manifest)
	options := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
	if l.ServerSide {
		m := manifest.DeepCopy()
		m.SetNamespace(live.GetNamespace())
		patch.Type, options.FieldManager, options.Force = types.ApplyPatchType, merge.Manager, &l.Force
		patch.Data, err = runtime.Encode(unstructured.UnstructuredJSONScheme, m)
	}
	if err != nil {
		return nil, err
	}
	merged, err := r.Patch(context.Background(), live.GetName(), patch.Type, patch.Data, options)
	if l.ServerSide && apierrors.IsConflict(err) {
		return nil, merge.Refused(err)
	}
	return merged, err
}
