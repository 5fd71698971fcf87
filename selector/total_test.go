package selector_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/total"
	"github.com/kplan-go/kplan/selector"
)

// Nothing that the package exports panics, whatever it is given.
func TestTotal(t *testing.T) {
	total.Package{Functions: exportedFunctions, Types: exportedTypes}.Check(t)
}

var exportedFunctions = map[string]any{
	"And":                  selector.And,
	"Compare":              selector.Compare,
	"CompileNodeSelector":  selector.CompileNodeSelector,
	"Contradictions":       selector.Contradictions,
	"Disjoint":             selector.Disjoint,
	"EqualLabels":          selector.EqualLabels,
	"Equivalent":           selector.Equivalent,
	"Everything":           selector.Everything,
	"FieldText":            selector.FieldText,
	"Format":               selector.Format,
	"FormatLabels":         selector.FormatLabels,
	"FromLabelSelector":    selector.FromLabelSelector,
	"FromLabels":           selector.FromLabels,
	"FromMap":              selector.FromMap,
	"FromValidMap":         selector.FromValidMap,
	"Implies":              selector.Implies,
	"ImpliesNodes":         selector.ImpliesNodes,
	"LabelsConflict":       selector.LabelsConflict,
	"LabelsText":           selector.LabelsText,
	"MergeLabels":          selector.MergeLabels,
	"NewIndex":             selector.NewIndex,
	"NewNodeAffinity":      selector.NewNodeAffinity,
	"NewNodeMatcher":       selector.NewNodeMatcher,
	"NewPreferences":       selector.NewPreferences,
	"NewRequirement":       selector.NewRequirement,
	"Normalize":            selector.Normalize,
	"Nothing":              selector.Nothing,
	"Of":                   selector.Of,
	"Overlap":              selector.Overlap,
	"OverlapNodes":         selector.OverlapNodes,
	"Parse":                selector.Parse,
	"ParseLabelSelector":   selector.ParseLabelSelector,
	"ParseMap":             selector.ParseMap,
	"ParseRequirements":    selector.ParseRequirements,
	"ParseWith":            selector.ParseWith,
	"Satisfiable":          selector.Satisfiable,
	"SatisfiableNodes":     selector.SatisfiableNodes,
	"Validate":             selector.Validate,
	"ValidateKey":          selector.ValidateKey,
	"ValidateNodeSelector": selector.ValidateNodeSelector,
	"ValidateValue":        selector.ValidateValue,
	"ValidateWorkload":     selector.ValidateWorkload,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[selector.Answer](),
	reflect.TypeFor[selector.Comparison](),
	reflect.TypeFor[selector.Condition](),
	reflect.TypeFor[selector.ConditionStatus](),
	reflect.TypeFor[selector.Contradiction](),
	reflect.TypeFor[selector.Error](),
	reflect.TypeFor[selector.Event](),
	reflect.TypeFor[selector.Expression](),
	reflect.TypeFor[selector.FieldError](),
	reflect.TypeFor[selector.Hold[string]](),
	reflect.TypeFor[selector.Index](),
	reflect.TypeFor[selector.LabelSelector](),
	reflect.TypeFor[selector.NodeAffinity](),
	reflect.TypeFor[selector.NodeExample](),
	reflect.TypeFor[selector.NodeField](),
	reflect.TypeFor[selector.NodeMatcher](),
	reflect.TypeFor[selector.NodeSelector](),
	reflect.TypeFor[selector.NodeSelectorTerm](),
	reflect.TypeFor[selector.NodeTerm](),
	reflect.TypeFor[selector.Op](),
	reflect.TypeFor[selector.Operator](),
	reflect.TypeFor[selector.Outcome](),
	reflect.TypeFor[selector.ParseOptions](),
	reflect.TypeFor[selector.Preference](),
	reflect.TypeFor[selector.Preferences](),
	reflect.TypeFor[selector.Quirk](),
	reflect.TypeFor[selector.Relation](),
	reflect.TypeFor[selector.Requirement](),
	reflect.TypeFor[selector.Selector](),
	reflect.TypeFor[selector.ServerAnswer](),
	reflect.TypeFor[selector.ValidateOptions](),
}
