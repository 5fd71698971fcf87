// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan"
)

// ValidateOptions adjusts [Validate] and [ValidateNodeSelector]. The zero value checks
// everything, as for new objects.
type ValidateOptions struct {
	AllowUnknownOperators bool // of label selectors
	AllowInvalidValues    bool // of expressions, for objects that already have invalid values
}

// Validate returns all errors that API validation of Kubernetes finds in a selector at path,
// such as "spec.selector", first by sorted key and then in the order of the list. Nil is
// valid: its owner decides whether a selector is required. The error, if any, is an [*Error].
//
// It mirrors ValidateLabelSelector of package v1/validation of apimachinery.
func Validate(ls *LabelSelector, path string, opts ValidateOptions) error {
	return fieldsError(labelSelectorErrors(ls, path, opts))
}

func labelSelectorErrors(ls *LabelSelector, path string, opts ValidateOptions) []*kplan.FieldError {
	if ls == nil {
		return nil
	}
	errs := labelsErrors(ls.MatchLabels, subpath(path, "matchLabels"))
	for i, e := range ls.MatchExpressions {
		errs = append(errs, expressionErrors(e, element(subpath(path, "matchExpressions"), i), opts, Operator.labelOp)...)
	}
	return errs
}

func labelsErrors(labels map[string]string, path string) []*kplan.FieldError {
	var errs []*kplan.FieldError
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		for _, m := range ValidateKey(key) {
			errs = append(errs, invalid(path, key, m))
		}
		for _, m := range ValidateValue(labels[key]) {
			errs = append(errs, invalid(path, labels[key], m))
		}
	}
	return errs
}

// expressionErrors checks an expression of a label or node selector; known returns the valid
// operators.
func expressionErrors(e Expression, path string, opts ValidateOptions, known func(Operator) (Op, bool)) []*kplan.FieldError {
	var errs []*kplan.FieldError
	values := subpath(path, "values")
	op, ok := known(e.Operator)
	switch {
	case !ok:
		if !opts.AllowUnknownOperators {
			errs = append(errs, invalid(subpath(path, "operator"), e.Operator, "not a valid selector operator"))
		}
	case (op == OpIn || op == OpNotIn) && len(e.Values) == 0:
		errs = append(errs, required(values, "must be specified when `operator` is 'In' or 'NotIn'"))
	case (op == OpExists || op == OpDoesNotExist) && len(e.Values) > 0:
		errs = append(errs, &kplan.FieldError{
			Path: values, Value: slices.Clone(e.Values), Err: ErrForbidden,
			Detail: "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
		})
	case (op == OpGreater || op == OpLess) && len(e.Values) != 1:
		errs = append(errs, required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
	}
	for _, m := range ValidateKey(e.Key) {
		errs = append(errs, invalid(subpath(path, "key"), e.Key, m))
	}
	if opts.AllowInvalidValues {
		return errs
	}
	for i, v := range e.Values {
		for _, m := range ValidateValue(v) {
			errs = append(errs, invalid(element(values, i), v, m))
		}
	}
	return errs
}

func required(path, detail string) *kplan.FieldError {
	return &kplan.FieldError{Path: path, Value: "", Detail: detail, Err: ErrRequired}
}

// ValidateWorkload returns all errors of the selector of a ReplicaSet, Deployment or
// DaemonSet whose pods get the labels of template. In addition to [Validate] at
// "spec.selector", a selector is required, it must not be empty, and it must select the pods
// of the template.
//
// It mirrors ValidateReplicaSetSpec and the corresponding functions of Kubernetes.
func ValidateWorkload(ls *LabelSelector, template map[string]string, opts ValidateOptions) error {
	const path = "spec.selector"
	errs := labelSelectorErrors(ls, path, opts)
	if ls == nil {
		errs = append(errs, required(path, ""))
	} else if len(ls.MatchLabels)+len(ls.MatchExpressions) == 0 {
		errs = append(errs, invalid(path, *ls, "empty selector is invalid for deployment"))
	}
	s, err := FromLabelSelector(ls)
	switch {
	case err != nil:
		errs = append(errs, invalid(path, *ls, "invalid label selector"))
	case !s.Matches(template):
		errs = append(errs, invalid("spec.template.metadata.labels", maps.Clone(template), "`selector` does not match template `labels`"))
	}
	return fieldsError(errs)
}
