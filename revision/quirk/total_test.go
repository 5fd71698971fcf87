// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/revision/quirk"
)

// TestTotal: any set and any names are survived, and a set comes through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{
		Functions: map[string]any{"Parse": quirk.Parse, "Table": quirk.Table},
		Types:     []reflect.Type{reflect.TypeFor[quirk.Set]()},
	}
	p.Check(t)
	p.CheckJSON(t)
}
