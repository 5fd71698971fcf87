// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// A readUpTo returns the resource version up to which the cache of each kind has read. Ask it
// before you read the objects: they are then at least as new.
//
// controller-runtime does not offer this version, but the stores of its caches do, since
// client-go 0.36. A cache of several namespaces has a store for each and no common version,
// and older versions of client-go have none; the version is empty then, and nothing waits for
// it.
type readUpTo map[reflect.Type]func() string

// newReadUpTo finds the stores of kinds.
func newReadUpTo(ctx context.Context, informers cache.Informers, kinds ...client.Object) (readUpTo, error) {
	r := readUpTo{}
	for _, kind := range kinds {
		informer, err := informers.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("cache of %T: %w", kind, err)
		}
		if stored, ok := informer.(interface{ GetStore() toolscache.Store }); ok {
			r[reflect.TypeOf(kind)] = stored.GetStore().LastStoreSyncResourceVersion
		}
	}
	return r, nil
}

// version returns the version of a kind, or "" if its cache has none.
func (r readUpTo) version(kind client.Object) string {
	if read := r[reflect.TypeOf(kind)]; read != nil {
		return read()
	}
	return ""
}

// stale reports whether a plan does nothing because the caches are older than the writes of
// an earlier plan. The next event starts the next pass.
func stale(holds []kplan.Hold) bool {
	return slices.ContainsFunc(holds, func(h kplan.Hold) bool {
		return h.Reason == reason.StalePods || h.Reason == reason.StaleOwner
	})
}
