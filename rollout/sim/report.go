// SPDX-License-Identifier: Apache-2.0

package sim

import "maps"

// A Report counts the events of a [World] so far.
type Report struct {
	// Fired counts how often each fault has struck, by the name of its field in Faults. Silent are the
	// faults with a rate that have not struck, in the order of the fields.
	Fired  map[string]int
	Silent []string
	// Expired is how often our controllers have stopped waiting for their own writes.
	Expired int
	Plans   int // made by controllers
	Writes  int
	Waiting int // pods that wait for a node now
	// Refused is the message with which the API server refused the last pod of a workload, by the UID
	// of the workload.
	Refused map[string]string
}

// Report returns the counts so far.
func (w *World) Report() Report {
	s := w.ensure().server
	r := Report{Fired: map[string]int{}, Expired: w.env.Expired, Plans: s.Plans, Writes: int(s.Version()), Waiting: w.life.Waiting(), Refused: maps.Clone(s.Refused)}
	struck := s.Trouble.Struck()
	for _, f := range w.cfg.Faults.list() {
		if n := struck[f.of]; n > 0 {
			r.Fired[f.name] = n
		} else if *f.rate > 0 {
			r.Silent = append(r.Silent, f.name)
		}
	}
	return r
}
