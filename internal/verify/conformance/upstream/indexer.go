// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// An indexer is a cache that lists its objects in the given order, unlike client-go's, which lists
// them in the random order of a map. The controllers use an unstable sort, so this order is one of
// their inputs.
//
// Indices are built at the first use, once per snapshot.
type indexer struct {
	cache.Indexer // nil: every method that a controller calls is overridden

	objects []any
	byKey   map[string]any
	indices map[string]map[string][]any
	funcs   cache.Indexers
	read    string // the version up to which it has read, "" if unknown
}

func newIndexer() *indexer {
	return &indexer{funcs: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}}
}

// fill replaces all objects.
func fill[T metav1.Object](x *indexer, objects []T) {
	x.objects = x.objects[:0]
	x.byKey = make(map[string]any, len(objects))
	x.indices = nil
	for _, o := range objects {
		x.objects = append(x.objects, o)
		x.byKey[cache.MetaObjectToName(o).String()] = o
	}
}

func (x *indexer) List() []any { return x.objects }

// LastStoreSyncResourceVersion is called by the protection against stale caches.
func (x *indexer) LastStoreSyncResourceVersion() string { return x.read }

func (x *indexer) GetByKey(key string) (item any, exists bool, err error) {
	item, exists = x.byKey[key]
	return item, exists, nil
}

func (x *indexer) Index(name string, o any) ([]any, error) {
	keys, err := x.funcs[name](o)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	return x.ByIndex(name, keys[0])
}

func (x *indexer) ByIndex(name, value string) ([]any, error) {
	index, ok := x.indices[name]
	if !ok {
		index = map[string][]any{}
		for _, o := range x.objects {
			keys, err := x.funcs[name](o)
			if err != nil {
				return nil, err
			}
			for _, k := range keys {
				index[k] = append(index[k], o)
			}
		}
		if x.indices == nil {
			x.indices = map[string]map[string][]any{}
		}
		x.indices[name] = index
	}
	return index[value], nil
}

func (x *indexer) GetIndexers() cache.Indexers { return x.funcs }

func (x *indexer) AddIndexers(more cache.Indexers) error {
	for name, f := range more {
		x.funcs[name] = f
	}
	return nil
}

// An informer is always synced and keeps its event handlers.
type informer struct {
	cache.SharedIndexInformer // nil

	x        *indexer
	handlers []cache.ResourceEventHandler
}

func newInformer() *informer { return &informer{x: newIndexer()} }

func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, h)
	return nil, nil
}

func (i *informer) AddIndexers(more cache.Indexers) error { return i.x.AddIndexers(more) }
func (i *informer) GetIndexer() cache.Indexer             { return i.x }
func (i *informer) GetStore() cache.Store                 { return i.x }
func (i *informer) HasSynced() bool                       { return true }

// deleted reports the deletion of an object to the controller, which then drops its expectations.
func (i *informer) deleted(o any) {
	for _, h := range i.handlers {
		h.OnDelete(o)
	}
}
