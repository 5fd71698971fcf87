// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"reflect"
	"testing"

	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/selector"
)

// Nothing that the package exports panics, whatever it is given, and its types come
// through JSON.
func TestTotal(t *testing.T) {
	p := total.Package{Functions: exportedFunctions, Types: exportedTypes, NoJSON: []string{"FieldError.Value", "FieldError.Err", "NodeTerm.Labels"}}
	p.Check(t)
	p.CheckJSON(t)
}

var exportedFunctions = map[string]any{
	"CompileNodeSelector":  selector.CompileNodeSelector,
	"EqualLabels":          selector.EqualLabels,
	"Everything":           selector.Everything,
	"FieldText":            selector.FieldText,
	"Format":               selector.Format,
	"FormatLabels":         selector.FormatLabels,
	"FromLabelSelector":    selector.FromLabelSelector,
	"FromLabels":           selector.FromLabels,
	"FromMap":              selector.FromMap,
	"FromValidMap":         selector.FromValidMap,
	"LabelsConflict":       selector.LabelsConflict,
	"LabelsText":           selector.LabelsText,
	"MergeLabels":          selector.MergeLabels,
	"NewIndex":             selector.NewIndex,
	"NewNodeAffinity":      selector.NewNodeAffinity,
	"NewNodeMatcher":       selector.NewNodeMatcher,
	"NewPreferences":       selector.NewPreferences,
	"NewRequirement":       selector.NewRequirement,
	"Nothing":              selector.Nothing,
	"Of":                   selector.Of,
	"Parse":                selector.Parse,
	"ParseLabelSelector":   selector.ParseLabelSelector,
	"ParseMap":             selector.ParseMap,
	"ParseRequirements":    selector.ParseRequirements,
	"ParseWith":            selector.ParseWith,
	"Validate":             selector.Validate,
	"ValidateKey":          selector.ValidateKey,
	"ValidateNodeSelector": selector.ValidateNodeSelector,
	"ValidateValue":        selector.ValidateValue,
	"ValidateWorkload":     selector.ValidateWorkload,
}

var exportedTypes = []reflect.Type{
	reflect.TypeFor[selector.Error](),
	reflect.TypeFor[selector.Expression](),
	reflect.TypeFor[selector.Index](),
	reflect.TypeFor[selector.LabelSelector](),
	reflect.TypeFor[selector.NodeAffinity](),
	reflect.TypeFor[selector.NodeField](),
	reflect.TypeFor[selector.NodeMatcher](),
	reflect.TypeFor[selector.NodeSelector](),
	reflect.TypeFor[selector.NodeSelectorTerm](),
	reflect.TypeFor[selector.NodeTerm](),
	reflect.TypeFor[selector.Op](),
	reflect.TypeFor[selector.Operator](),
	reflect.TypeFor[selector.ParseOptions](),
	reflect.TypeFor[selector.Preference](),
	reflect.TypeFor[selector.Preferences](),
	reflect.TypeFor[selector.Requirement](),
	reflect.TypeFor[selector.Selector](),
	reflect.TypeFor[selector.ValidateOptions](),
}
