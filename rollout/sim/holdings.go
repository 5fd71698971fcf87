// SPDX-License-Identifier: Apache-2.0

package sim

import "github.com/kplan-go/kplan/internal/sim"

// taken is what a pod takes on a node.
type taken struct {
	node  string // "" if it takes nothing
	needs []int64
}

// holdings are what pods take, by their UIDs. Those that the world has given have ascending numbers,
// so that what pods take that were created at about the same time stands side by side: a map of
// hundreds of thousands of UIDs would be read from slow memory for each pod.
type holdings struct {
	pages  map[int]*page // by the number without its lowest bits
	others map[string]taken
}

type page struct {
	used int
	of   [256]taken
}

// put notes what a pod takes.
func (h *holdings) put(uid string, t taken) {
	n := sim.Serial(uid)
	if n == 0 {
		if h.others == nil {
			h.others = map[string]taken{}
		}
		h.others[uid] = t
		return
	}
	p := h.pages[n/256]
	if p == nil {
		if h.pages == nil {
			h.pages = map[int]*page{}
		}
		p = &page{}
		h.pages[n/256] = p
	}
	if p.of[n%256].node == "" {
		p.used++
	}
	p.of[n%256] = t
}

// remove forgets what a pod takes, and returns it.
func (h *holdings) remove(uid string) (t taken) {
	n := sim.Serial(uid)
	if n == 0 {
		t = h.others[uid]
		delete(h.others, uid)
		return t
	}
	p := h.pages[n/256]
	if p == nil || p.of[n%256].node == "" {
		return t
	}
	t, p.of[n%256] = p.of[n%256], taken{}
	if p.used--; p.used == 0 {
		delete(h.pages, n/256)
	}
	return t
}

// all yields what pods take, in no order.
func (h *holdings) all(yield func(taken) bool) {
	for _, p := range h.pages {
		for _, t := range p.of {
			if t.node != "" && !yield(t) {
				return
			}
		}
	}
	for _, t := range h.others {
		if !yield(t) {
			return
		}
	}
}
