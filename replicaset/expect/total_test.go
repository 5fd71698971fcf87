// SPDX-License-Identifier: Apache-2.0

package expect_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{
		Functions: map[string]any{
			"CompareVersions": expect.CompareVersions,
			"Creations":       expect.Creations,
			"Deletions":       expect.Deletions,
		},
		Types: []reflect.Type{
			reflect.TypeFor[expect.Expectations](),
			reflect.TypeFor[expect.Unseen](),
			reflect.TypeFor[expect.Versions](),
			reflect.TypeFor[expect.Write](),
			reflect.TypeFor[expect.Writes[string]](),
		},
	}
	p.Check(t)
	p.CheckJSON(t)
}
