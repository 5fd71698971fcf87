// SPDX-License-Identifier: Apache-2.0

// Package quirk gives the sets of quirks of the planners their text and their JSON. A set
// is a number whose bits are the rows of a table.
package quirk

import (
	"encoding/json"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/field"
)

// Names returns the names of the quirks of a set, in the order of the table. A bit beyond
// the table is left out.
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

// Parse returns the set of the quirks with these names. Unknown names are errors, all of
// them at once.
func Parse[Q ~uint64](table []kplan.Quirk, names ...string) (set Q, err error) {
	var errs field.Errors
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

// Unmarshal decodes what Marshal wrote. An error leaves the set as it was.
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

// Check records that options have a quirk beyond all that there are.
func Check(es *field.Errors, repair, all uint64) {
	if repair&^all != 0 {
		es.Add("Options.Repair", repair, "must be a set of known quirks")
	}
}
