// SPDX-License-Identifier: Apache-2.0

package daemonset

// A cause is the reason why pods or nodes wait, with the two numbers that it compares. Without
// a reason nothing waits.
type cause struct {
	reason      Reason
	have, limit int64
}

// changes are the pods that one step of a pass creates and deletes, cut to the burst.
type changes struct {
	marks           []Deletion // the hook holds these pods
	create          []int32    // nodes that get a pod
	remove          []Deletion
	tooManyToCreate cause
	tooManyToRemove cause
}

func (c *changes) any() bool { return len(c.create)+len(c.remove) > 0 }

// limited returns the changes to write now. Before are the pods that an earlier step of the
// pass has found held by the hook.
func (st *state) limited(create []int32, remove, before []Deletion) (c changes) {
	remove, c.marks = st.free(remove, before)
	b := st.burst()
	c.tooManyToCreate, c.tooManyToRemove = beyond(len(create), b), beyond(len(remove), b)
	c.create, c.remove = create[:min(b, len(create))], remove[:min(b, len(remove))]
	return c
}

func beyond(n, burst int) (c cause) {
	if n > burst {
		c = cause{ReasonBurst, int64(n), int64(burst)}
	}
	return c
}

// free returns the wanted deletions that may happen, and the pods that the hook holds and that
// are not in before. Marks are not limited by the burst.
func (st *state) free(remove, before []Deletion) (free, marks []Deletion) {
	hook := st.ds.PreDelete
	if hook == nil {
		return remove, nil
	}
	known := make(map[string]bool, len(before))
	for _, d := range before {
		known[d.Pod.Name] = true
	}
	for _, d := range remove {
		if !hook.Holds(d.Pod) {
			free = append(free, d)
		} else if !known[d.Pod.Name] {
			known[d.Pod.Name] = true
			marks = append(marks, d)
		}
	}
	return free, marks
}
