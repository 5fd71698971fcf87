// SPDX-License-Identifier: Apache-2.0

package algebra_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/selector/algebra"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes, NoJSON: []string{"Contradiction.Requirements"}}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"And":              algebra.And,
	"Compare":          algebra.Compare,
	"Contradictions":   algebra.Contradictions,
	"Disjoint":         algebra.Disjoint,
	"Equivalent":       algebra.Equivalent,
	"Implies":          algebra.Implies,
	"ImpliesNodes":     algebra.ImpliesNodes,
	"Normalize":        algebra.Normalize,
	"Overlap":          algebra.Overlap,
	"OverlapNodes":     algebra.OverlapNodes,
	"Satisfiable":      algebra.Satisfiable,
	"SatisfiableNodes": algebra.SatisfiableNodes,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[algebra.Answer](),
	reflect.TypeFor[algebra.Comparison](),
	reflect.TypeFor[algebra.Contradiction](),
	reflect.TypeFor[algebra.NodeExample](),
	reflect.TypeFor[algebra.Relation](),
}
