// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// calm is the time to wait after a change for further changes.
const calm = 200 * time.Millisecond

// Watch calls show with the current objects: once, after every change, and when tick fires, until
// the context ends or show returns an error.
func (q Query) Watch(ctx context.Context, tick <-chan time.Time, show func(Snapshot) error) error {
	targets, err := q.targets()
	if err != nil {
		return err
	}
	mappings, err := q.mappings(targets)
	if err != nil {
		return err
	}
	mapper, err := q.Getter.ToRESTMapper()
	if err != nil {
		return err
	}
	for _, t := range targets {
		gvk := t.GroupVersionKind()
		m, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(mappings, func(o *meta.RESTMapping) bool { return o.Resource == m.Resource }) {
			mappings = append(mappings, m)
		}
	}
	client, err := q.client()
	if err != nil {
		return err
	}
	w := &watcher{query: q, client: client, targets: targets, changed: make(chan struct{}, 1)}
	if w.labels, err = labels.Parse(q.Selector); err != nil {
		return err
	}
	if err := w.start(ctx, mappings); err != nil {
		return err
	}
	return w.loop(ctx, tick, show)
}

// A watcher keeps the objects of a cluster in memory.
type watcher struct {
	query   Query
	client  dynamic.Interface
	labels  labels.Selector
	targets []*unstructured.Unstructured // as they were at the start
	stores  []cache.Store
	changed chan struct{}
}

// start watches the resources in the namespace of the targets. It returns when all caches are
// synced.
func (w *watcher) start(ctx context.Context, mappings []*meta.RESTMapping) error {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(w.client, 0, w.namespace(), nil)
	cluster := dynamicinformer.NewDynamicSharedInformerFactory(w.client, 0)
	signal := func(any) {
		select {
		case w.changed <- struct{}{}:
		default: // a change is already signalled
		}
	}
	handler := cache.ResourceEventHandlerFuncs{AddFunc: signal, DeleteFunc: signal, UpdateFunc: func(_, o any) { signal(o) }}
	for _, m := range mappings {
		f := factory
		if m.Scope.Name() == meta.RESTScopeNameRoot {
			f = cluster
		}
		informer := f.ForResource(m.Resource).Informer()
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
		w.stores = append(w.stores, informer.GetStore())
	}
	for _, f := range []dynamicinformer.DynamicSharedInformerFactory{factory, cluster} {
		f.Start(ctx.Done())
		for resource, synced := range f.WaitForCacheSync(ctx.Done()) {
			if !synced && ctx.Err() == nil {
				return fmt.Errorf("%s cannot be watched", resource.Resource)
			}
		}
	}
	return nil
}

// namespace returns the namespace to watch, "" for all.
func (w *watcher) namespace() string { return w.query.reach(w.targets[0].GetNamespace()) }

// loop shows the current objects after every change.
func (w *watcher) loop(ctx context.Context, tick <-chan time.Time, show func(Snapshot) error) error {
	for {
		s, err := w.snapshot()
		if err == nil {
			err = show(s)
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
			continue
		case <-w.changed:
		}
		select { // wait for further changes
		case <-ctx.Done():
			return nil
		case <-time.After(calm):
		}
		select {
		case <-w.changed:
		default:
		}
	}
}

// snapshot returns the current objects. It returns an error if a target is gone.
func (w *watcher) snapshot() (Snapshot, error) {
	s := Snapshot{}
	for _, store := range w.stores {
		for _, o := range store.List() {
			if u, ok := o.(*unstructured.Unstructured); ok {
				s.add(u, false)
			}
		}
	}
	w.query.around(w.client, &s, w.namespace()) // read again, not watched
	slices.SortFunc(s.Objects, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(strings.Compare(a.GetKind(), b.GetKind()), strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
	})
	if !w.query.named() {
		return s, w.ofTypes(&s)
	}
	for _, t := range w.targets {
		i := slices.IndexFunc(s.Objects, func(o *unstructured.Unstructured) bool { // it may be a new object
			return o.GroupVersionKind() == t.GroupVersionKind() && o.GetName() == t.GetName() && o.GetNamespace() == t.GetNamespace()
		})
		if i < 0 {
			return s, fmt.Errorf("%s %q is gone", t.GetKind(), t.GetName())
		}
		s.Targets = append(s.Targets, s.Objects[i].GetUID())
	}
	return s, nil
}

// ofTypes makes all objects of the types and labels of the query targets, including new ones.
func (w *watcher) ofTypes(s *Snapshot) error {
	for _, o := range s.Objects {
		wanted := slices.ContainsFunc(w.targets, func(t *unstructured.Unstructured) bool { return t.GroupVersionKind() == o.GroupVersionKind() })
		if wanted && w.labels.Matches(labels.Set(o.GetLabels())) && metav1.GetControllerOfNoCopy(o) == nil {
			s.Targets = append(s.Targets, o.GetUID())
		}
	}
	if len(s.Targets) == 0 {
		return fmt.Errorf("all %s are gone", strings.Join(w.query.Args, " "))
	}
	return nil
}
