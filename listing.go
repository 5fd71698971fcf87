// SPDX-License-Identifier: Apache-2.0

package kplan

import (
	"slices"
	"strings"
)

// A Listing finds the differences between the complete lists that passes read from a cache, so that
// a pass converts only objects that have changed and tells a Tracker of them. The zero Listing is an
// empty list. Use it in one goroutine at a time, and do not copy it.
type Listing[T any] struct {
	_       noCopy
	objects map[string]*listed // of the last list, by name
	lists   int                // the number of lists so far
}

// listed is an object and the last list that had it.
type listed struct {
	Identity
	list int
}

// An Identity is one version of one object.
type Identity struct {
	Name    string `json:"name"`             // unique in a list; includes the namespace if the list has several
	UID     string `json:"uid,omitzero"`     // of the API server
	Version string `json:"version,omitzero"` // the resource version; an object without one may have changed
}

// Update replaces the last list by the next one. It returns the removed objects by name, and the
// added objects in the order of the list. A changed object is both, in its old and its new version,
// even if the new one is older: a new connection of a cache may go back in time. So apply the
// removals first. Of several objects with the same name only the first is read.
//
// Update calls identify once for each object. It takes O(N) time for N objects, and keeps only their
// identities.
func (l *Listing[T]) Update(list []T, identify func(T) Identity) (removed []Identity, added []T) {
	if l.objects == nil {
		l.objects = make(map[string]*listed, len(list))
	}
	l.lists++
	for _, o := range list {
		now := identify(o)
		known := l.objects[now.Name]
		switch {
		case known == nil:
			l.objects[now.Name] = &listed{now, l.lists}
			added = append(added, o)
			continue
		case known.list < l.lists && (now.Version == "" || now != known.Identity):
			removed, added = append(removed, known.Identity), append(added, o)
			known.Identity = now
		}
		known.list = l.lists
	}
	for name, o := range l.objects {
		if o.list < l.lists {
			delete(l.objects, name)
			removed = append(removed, o.Identity)
		}
	}
	slices.SortFunc(removed, func(a, b Identity) int { return strings.Compare(a.Name, b.Name) })
	return removed, added
}

// noCopy has the methods of a lock, so that go vet reports copies by value.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
