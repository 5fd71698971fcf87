// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"slices"
	"strconv"
)

// A table holds the objects of one kind, and how they have changed: what it held before
// is what it holds now, less its last changes. Or it remembers nothing, and whoever wants to know
// of a change is told at once: then values may be changed where they are.
type table[T any] struct {
	kind    Kind
	key     func(*T) key
	rows    []*T             // in the order of creation, with what has gone since they were read
	numbers []int32          // of the rows; no two objects ever have the same
	places  []int32          // in the rows, by number, or gone
	names   map[string]int32 // numbers
	listed  int              // how many numbers have been entered in names: all, when somebody asks for one
	gone    int              // rows of what has gone
	past    []change[T]      // oldest first; the first is the start of memory

	watch func(old, new *T) // told of each write, whether values are in place or not, or nil

	atOnce  bool // whether it remembers nothing
	inPlace bool // whether values are changed where they are, which needs atOnce
	values  []T  // what the rows point to, if they are: side by side in the order of the rows
	before  T    // what the value was that is being changed
	// settle, if set, lets an object be changed where it is although the table remembers, and returns
	// where it is to be: apart from what it was if it is found otherwise. See changeInPlace.
	settle  func(changed *T) *T
	written []int64             // versions of the last writes, by number
	tell    []func(old, new *T) // valid during the call only
	journal *journal[T]         // of values that are not changed where they are, or nil
}

// A change is one write.
type change[T any] struct {
	version  int64 // of the store, behind the write
	number   int32
	old, new *T // nil if the object was created, or removed
}

// memory is how many changes of a kind are remembered at least.
const memory = 48

// gone is the place of an object that is gone.
const gone = -1

func (t *table[T]) init(v *versions, kind Kind, key func(*T) key) {
	t.kind, t.key = kind, key
	v.counts[kind], v.numbers[kind] = t.behind, t.number
	t.past = append(t.past, change[T]{})
}

// all returns the objects. Who removes some while going through them needs a copy.
func (t *table[T]) all() []*T {
	if t.gone > 0 {
		t.sweep()
	}
	return t.rows
}

// size is how many objects there are, for who asks at each step.
func (t *table[T]) size() int { return len(t.rows) - t.gone }

// sweep closes the gaps. The others stay in their order: planners compare the names and
// UIDs of objects with those of their neighbours, as long as they ascend.
func (t *table[T]) sweep() {
	kept := 0
	for i, number := range t.numbers {
		if t.places[number] == gone {
			continue
		}
		if kept < i {
			if t.inPlace {
				t.values[kept] = t.values[i] // to which the row points already
			} else {
				t.rows[kept] = t.rows[i]
			}
			t.numbers[kept], t.places[number] = number, int32(kept)
		}
		kept++
	}
	clear(t.rows[kept:])
	t.rows, t.numbers, t.gone = t.rows[:kept], t.numbers[:kept], 0
	if t.inPlace {
		clear(t.values[kept:])
		t.values = t.values[:kept]
	}
}

// insert adds an object and returns where it is.
func (t *table[T]) insert(v *versions, o *T) *T {
	number := int32(len(t.places))
	if t.inPlace {
		if len(t.values) == cap(t.values) {
			t.grow(1)
		}
		t.values = append(t.values, *o)
		o = &t.values[len(t.values)-1]
	}
	t.places = append(t.places, int32(len(t.rows)))
	t.rows, t.numbers = append(t.rows, o), append(t.numbers, number)
	t.put(v, number, nil, o)
	return o
}

// replace puts an object in the place of another one.
func (t *table[T]) replace(v *versions, number int32, old, new *T) {
	t.rows[t.places[number]] = new
	t.put(v, number, old, new)
}

// remove takes an object away. Its place stays empty until the rows are read.
func (t *table[T]) remove(v *versions, number int32) {
	old := t.rows[t.places[number]]
	if int(number) < t.listed {
		delete(t.names, *t.key(old).name)
	}
	t.put(v, number, old, nil)
	place := t.places[number]
	t.places[number] = gone
	if t.gone++; t.journal != nil {
		t.rows[place] = nil // nobody else keeps it
	}
}

// put notes a write.
func (t *table[T]) put(v *versions, number int32, old, new *T) {
	v.version++
	v.touched[t.kind] = v.version
	if new != nil && !v.unversioned {
		if k := t.key(new); k.version != nil {
			*k.version = strconv.FormatInt(v.version, 10)
		}
	}
	if t.settle != nil {
		t.written = noteVersion(t.written, number, v.version)
	}
	if t.watch != nil {
		t.watch(old, new)
	}
	if t.atOnce {
		t.journal.note(old, new, t.size())
		for _, tell := range t.tell {
			tell(old, new)
		}
		return
	}
	if len(t.past) >= 2*memory {
		t.forget(v)
	}
	t.past = append(t.past, change[T]{v.version, number, old, new})
}

// forget drops changes that are long past, unless somebody has yet to see them.
func (t *table[T]) forget(v *versions) {
	n := len(t.past) - memory
	if v.seen != nil {
		n = min(n, t.index(v.seen(t.kind)))
	}
	t.past = slices.Delete(t.past, 0, n)
}

// numbered returns the object with the number, or nil.
func (t *table[T]) numbered(number int32) *T {
	switch place := t.places[number]; {
	case place == gone:
		return nil
	case t.inPlace:
		return &t.values[place] // where the row points, which need not be read
	default:
		return t.rows[place]
	}
}

// last returns the number of the youngest object.
func (t *table[T]) last() int32 { return int32(len(t.places) - 1) }

// list enters the names of new objects. It is put off because most pods live and end without
// anybody asking for them by name.
func (t *table[T]) list() {
	if t.listed == 0 && len(t.places) > 0 {
		t.names = make(map[string]int32, cap(t.values))
	}
	for ; t.listed < len(t.places); t.listed++ {
		if o := t.numbered(int32(t.listed)); o != nil {
			t.names[*t.key(o).name] = int32(t.listed)
		}
	}
}

// number returns the number of the object with the name, or gone.
func (t *table[T]) number(name string) int32 {
	if n, ok := t.names[name]; ok {
		return n
	}
	if t.listed < len(t.places) {
		t.list()
		return t.number(name)
	}
	return gone
}

// named returns the object with the name, or nil.
func (t *table[T]) named(name string) *T {
	if n := t.number(name); n != gone {
		return t.numbered(n)
	}
	return nil
}

func find[T any](t *table[T], rows []*T, name string) *T {
	for _, o := range rows {
		if *t.key(o).name == name {
			return o
		}
	}
	return nil
}

// index returns the number of the last change up to a version of the store, as far
// as it is remembered. Most ask for one of the latest.
func (t *table[T]) index(version int64) int {
	for i := len(t.past) - 1; i >= max(0, len(t.past)-4); i-- {
		if t.past[i].version <= version {
			return i
		}
	}
	i, _ := slices.BinarySearchFunc(t.past, version+1, func(c change[T], v int64) int { return cmp.Compare(c.version, v) })
	return max(i-1, 0)
}

// namedAt returns the object with the name as of a version of the store, or nil.
func (t *table[T]) namedAt(version int64, name string) *T {
	for _, c := range t.past[t.index(version)+1:] {
		if o := cmp.Or(c.old, c.new); *t.key(o).name == name {
			return c.old
		}
	}
	return t.named(name)
}

// at returns the objects as of a version of the store. They are valid until the next write.
func (t *table[T]) at(version int64) []*T {
	later := t.past[t.index(version)+1:]
	if len(later) == 0 {
		return t.all()
	}
	rows := slices.Clone(t.all())
	numbers := slices.Clone(t.numbers)
	for _, c := range slices.Backward(later) {
		place, _ := slices.BinarySearch(numbers, c.number)
		switch {
		case c.old == nil: // nothing that was there then is younger
			rows, numbers = rows[:place], numbers[:place]
		case c.new == nil:
			rows, numbers = slices.Insert(rows, place, c.old), slices.Insert(numbers, place, c.number)
		default:
			rows[place] = c.old
		}
	}
	return rows
}

// valuesAt returns the values of the objects as of a version of the store, where they are or
// in a buffer, which it fills. They are valid until the next write.
func (t *table[T]) valuesAt(version int64, buffer *[]T) []T {
	if t.inPlace {
		t.all()
		return t.values
	}
	*buffer = fill(*buffer, t.at(version))
	return *buffer
}

// behind returns how many changes there were behind a version of the store.
func (t *table[T]) behind(version int64) int { return len(t.past) - 1 - t.index(version) }

// between calls f for each change from one version of the store to a later one. With
// skip it sees only the difference between the two, as after a new list.
func (t *table[T]) between(from, to int64, skip bool, f func(old, new *T)) {
	t.changesBetween(from, to, skip, func(c change[T]) { f(c.old, c.new) })
}

// changesBetween is between with the numbers of the objects, or gone of those that are not known.
func (t *table[T]) changesBetween(from, to int64, skip bool, f func(change[T])) {
	i, j := t.index(from), t.index(to)
	if !skip || j-i < 2 {
		for i++; i <= j; i++ {
			f(t.past[i])
		}
		return
	}
	before, after := t.at(from), t.at(to)
	for _, o := range before {
		if k := t.key(o); find(t, after, *k.name) == nil {
			f(change[T]{to, gone, o, nil})
		}
	}
	for _, o := range after {
		if b := find(t, before, *t.key(o).name); b != o {
			f(change[T]{to, gone, b, o})
		}
	}
}

// A key is where an object has its name, UID and resource version. The latter two are
// nil for kinds that have none.
type key struct{ name, uid, version *string }

// fill copies what rows point to into a buffer.
func fill[T any](buffer []T, rows []*T) []T {
	buffer = slices.Grow(buffer[:0], len(rows))
	for _, o := range rows {
		buffer = append(buffer, *o)
	}
	return buffer
}
