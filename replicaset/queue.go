// SPDX-License-Identifier: Apache-2.0

package replicaset

// The queue of a Tracker is a heap: each pod is at or behind the instant of the one at half
// its place.

// push adds a pod to the queue.
func (t *Tracker) push(d due) {
	t.queue.Append(d)
	t.rise(t.queue.Len()-1, d)
}

// cut takes a pod out of the queue. The last one takes its place.
func (t *Tracker) cut(k int) {
	last := t.queue.Len() - 1
	d := t.queue.At(last)
	t.put(int(t.queue.At(k).pod), 0)
	t.queue.Drop()
	if k == last {
		return
	}
	if k > 0 && d.at < t.queue.At((k-1)/2).at {
		t.rise(k, d)
		return
	}
	t.sink(k, d)
}

// rise puts d at k or before.
func (t *Tracker) rise(k int, d due) {
	for k > 0 {
		before := t.queue.At((k - 1) / 2)
		if before.at <= d.at {
			break
		}
		t.settle(k, before)
		k = (k - 1) / 2
	}
	t.settle(k, d)
}

// sink puts d at k or behind.
func (t *Tracker) sink(k int, d due) {
	for {
		next := 2*k + 1
		if next >= t.queue.Len() {
			break
		}
		if next+1 < t.queue.Len() && t.queue.At(next+1).at < t.queue.At(next).at {
			next++
		}
		behind := t.queue.At(next)
		if d.at <= behind.at {
			break
		}
		t.settle(k, behind)
		k = next
	}
	t.settle(k, d)
}

// settle writes d at k.
func (t *Tracker) settle(k int, d due) {
	t.queue.Set(k, d)
	t.put(int(d.pod), int32(k+1))
}

// put notes the place of a pod in the queue.
func (t *Tracker) put(pod int, place int32) {
	r := t.records.At(pod)
	r.place = place
	t.records.Set(pod, r)
}
