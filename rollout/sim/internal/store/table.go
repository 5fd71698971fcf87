// SPDX-License-Identifier: Apache-2.0

package store

import (
	"slices"
	"strconv"
)

// A Meta is where an object has its name, its UID, its resource version, and the UID of the owner
// by which it is looked for. All but the first are nil for kinds that have none.
type Meta struct{ Name, UID, Version, Owner *string }

// A Table holds the objects of one kind in the order of their creation.
type Table[T any] struct {
	kind    Kind
	store   *Store
	meta    func(*T) Meta
	entries []*Entry[T] // with those that have gone since the last sweep
	gone    int         // of the entries
	serial  int         // of the last entry
	names   map[string]*Entry[T]
	groups  map[string]*group[T] // by owner
	now     []*T                 // all objects, nil if it is to be made again
	log     []Change[T]          // the oldest first
	watch   []func(old, new *T)
}

// An Entry is the place of one object, where its versions follow each other.
type Entry[T any] struct {
	Now    *T // nil once the object is gone
	serial int
	group  *group[T]
}

// A group holds the objects of one owner.
type group[T any] struct {
	owner   string
	entries []*Entry[T] // with those that have left
	now     []*T        // nil if it is to be made again
	sorted  bool
}

// A Change is one write.
type Change[T any] struct {
	Version  int64
	Old, New *T // nil if the object was created, or removed
	entry    *Entry[T]
}

func (t *Table[T]) init(s *Store, k Kind, meta func(*T) Meta) {
	t.store, t.kind, t.meta, t.names, t.groups = s, k, meta, map[string]*Entry[T]{}, map[string]*group[T]{}
	s.behind[k] = t.changesAfter
}

// Kind is the kind of the objects.
func (t *Table[T]) Kind() Kind { return t.kind }

// Meta returns where an object has its name and the like.
func (t *Table[T]) Meta(o *T) Meta { return t.meta(o) }

// Len is how many objects there are, and Created how many there have ever been.
func (t *Table[T]) Len() int     { return len(t.entries) - t.gone }
func (t *Table[T]) Created() int { return t.serial }

// Entry returns the place of the object with a name, or nil.
func (t *Table[T]) Entry(name string) *Entry[T] { return t.names[name] }

// Get returns the object with a name, or nil.
func (t *Table[T]) Get(name string) *T {
	if e := t.names[name]; e != nil {
		return e.Now
	}
	return nil
}

// All returns the objects in the order of their creation. The list must not be changed.
func (t *Table[T]) All() []*T {
	if t.now == nil {
		if t.gone > 0 {
			t.entries, t.gone = slices.DeleteFunc(t.entries, func(e *Entry[T]) bool { return e.Now == nil }), 0
		}
		t.now = current(t.entries)
	}
	return t.now
}

// Of returns the objects of an owner in the order of their creation; for "" the objects without one. The
// list must not be changed.
func (t *Table[T]) Of(owner string) []*T {
	g := t.groups[owner]
	if g == nil {
		return nil
	}
	if g.now == nil {
		g.sweep()
	}
	return g.now
}

// Owned is how many objects an owner has.
func (t *Table[T]) Owned(owner string) int {
	if g := t.groups[owner]; g != nil && g.now == nil {
		return len(g.entries) // about so many, which is enough to ask whether there are many
	}
	return len(t.Of(owner))
}

func (g *group[T]) sweep() {
	g.entries = slices.DeleteFunc(g.entries, func(e *Entry[T]) bool { return e.Now == nil || e.group != g })
	if !g.sorted {
		slices.SortFunc(g.entries, func(a, b *Entry[T]) int { return a.serial - b.serial })
		g.entries = slices.Compact(g.entries)
		g.sorted = true
	}
	g.now = current(g.entries)
}

// current returns the objects of entries; not nil, which means that it is not known.
func current[T any](entries []*Entry[T]) []*T {
	now := make([]*T, len(entries))
	for i, e := range entries {
		now[i] = e.Now
	}
	return now
}

// Watch registers a function to call for each write, in the order of writes. It must not write to
// the same table.
func (t *Table[T]) Watch(f func(old, new *T)) { t.watch = append(t.watch, f) }

// Insert stores a new object with a new name. The object belongs to the table from now on.
func (t *Table[T]) Insert(c Cause, o *T) *Entry[T] {
	c.Verb = Create
	t.serial++
	e := &Entry[T]{serial: t.serial}
	t.entries = append(t.entries, e)
	t.names[*t.meta(o).Name] = e
	t.write(c, e, o)
	return e
}

// Replace stores an object in the place of the current one.
func (t *Table[T]) Replace(c Cause, e *Entry[T], o *T) { t.write(c, e, o) }

// Remove takes an object out of the store.
func (t *Table[T]) Remove(c Cause, e *Entry[T]) {
	c.Verb = Remove
	delete(t.names, *t.meta(e.Now).Name)
	t.gone++
	t.write(c, e, nil)
	if t.gone > 64 && 2*t.gone > len(t.entries) {
		t.now = nil
		t.All()
	}
}

// write notes a write, and calls the watchers.
func (t *Table[T]) write(c Cause, e *Entry[T], o *T) {
	s, old := t.store, e.Now
	s.version++
	s.touched[t.kind] = s.version
	if o != nil {
		if v := t.meta(o).Version; v != nil {
			*v = strconv.FormatInt(s.version, 10)
		}
	}
	e.Now, t.now = o, nil
	t.regroup(e, old, o)
	t.log = append(t.log, Change[T]{s.version, old, o, e})
	if len(t.log) >= 2*memory {
		t.trim()
	}
	for _, f := range t.watch {
		f(old, o)
	}
	last := either(o, old)
	s.wrote(c, t.kind, t.meta(last), last)
}

// regroup notes the owner of an object.
func (t *Table[T]) regroup(e *Entry[T], old, o *T) {
	if t.meta(either(o, old)).Owner == nil {
		return
	}
	if old != nil {
		e.group.now = nil
	}
	if o == nil {
		if e.group.entries = dropLast(e.group.entries, e); len(e.group.entries) == 0 {
			delete(t.groups, e.group.owner)
		}
		return
	}
	owner := *t.meta(o).Owner
	if old != nil && e.group.owner == owner {
		return
	}
	g := t.groups[owner]
	if g == nil {
		g = &group[T]{owner: owner, sorted: true}
		t.groups[owner] = g
	}
	if n := len(g.entries); n > 0 && g.entries[n-1].serial >= e.serial {
		g.sorted = false
	}
	e.group, g.entries, g.now = g, append(g.entries, e), nil
}

// dropLast takes an entry off the end of a list, where it may be alone.
func dropLast[T any](entries []*Entry[T], e *Entry[T]) []*Entry[T] {
	if n := len(entries); n > 0 && entries[n-1] == e {
		return entries[:n-1]
	}
	return entries
}

func either[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}
