// SPDX-License-Identifier: Apache-2.0

// Package quirkset encodes sets of quirks as text and as JSON. Bit i of a set stands for row i of the
// table of quirks of a planner.
package quirkset

import (
	"encoding/json"
	"strings"

	"github.com/kplan-go/kplan"
)

// Names returns the names of the quirks of a set, in the order of the table. Bits beyond the table
// are left out.
func Names[Q ~uint64](table []kplan.Quirk, set Q) []string {
	names := []string{}
	for i, q := range table {
		if set>>i&1 == 1 {
			names = append(names, q.Name)
		}
	}
	return names
}

// Format returns the names of the quirks of a set, separated by commas.
func Format[Q ~uint64](table []kplan.Quirk, set Q) string {
	return strings.Join(Names(table, set), ",")
}

// Parse returns the set of the quirks with these names. The error lists all unknown names.
func Parse[Q ~uint64](table []kplan.Quirk, names ...string) (set Q, err error) {
	var errs kplan.FieldErrors
next:
	for _, name := range names {
		for i, q := range table {
			if q.Name == name {
				set |= 1 << i
				continue next
			}
		}
		errs.Add("Repair", name, "must be the name of a quirk")
	}
	return set, errs.Join()
}

// Marshal encodes a set as the list of its names.
func Marshal[Q ~uint64](table []kplan.Quirk, set Q) ([]byte, error) {
	return json.Marshal(Names(table, set))
}

// Unmarshal decodes the output of Marshal. On an error the set does not change.
func Unmarshal[Q ~uint64](table []kplan.Quirk, data []byte, set *Q) error {
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	read, err := Parse[Q](table, names...)
	if err == nil {
		*set = read
	}
	return err
}

// Check records an error if a set has bits beyond all known quirks.
func Check(es *kplan.FieldErrors, repair, all uint64) {
	if repair&^all != 0 {
		es.Add("Options.Repair", repair, "must be a set of known quirks")
	}
}
