// SPDX-License-Identifier: Apache-2.0

package view

import (
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/refusal"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Refused is an event about pods that could not be created. It may be in the past.
type Refused struct {
	Object  string        `json:"object"`
	Age     time.Duration `json:"-"`
	Count   int32         `json:"count"`
	Message string        `json:"message"`
}

// writeRefused writes events with their quotations, and what ends each of them.
func writeRefused(w *terminal.Writer, list []Refused) {
	for i, r := range list {
		if i == 0 {
			w.Printf("\nCreations that failed, as events tell:\n")
		}
		w.Printf("  %s: %s, last %s ago\n", r.Object, count(int(r.Count), "time", "times"), clock(r.Age))
		if by, ok := refusal.Of(r.Message); ok {
			w.Printf("    In the words of %s: \"%s\"\n", by.By, oneLine(r.Message))
			w.Printf("    What ends it: %s\n", by.Ends)
		} else {
			w.Printf("    It quotes: \"%s\"\n", oneLine(r.Message))
		}
	}
}
