// SPDX-License-Identifier: Apache-2.0

package selector

import "github.com/kplan-go/kplan"

// ValidateNodeSelector returns all errors that API validation of Kubernetes finds in a node
// selector at path. Validation accepts values of Gt and Lt that are not integers; a term with
// such a value selects nothing. With the zero options this is the only error left to
// [CompileNodeSelector]. The error, if any, is an [*Error].
//
// It mirrors ValidateNodeSelector of package core/validation of Kubernetes.
func ValidateNodeSelector(ns *NodeSelector, path string, opts ValidateOptions) error {
	if ns == nil {
		return nil
	}
	at := subpath(path, "nodeSelectorTerms")
	if len(ns.Terms) == 0 {
		return fieldsError([]*kplan.FieldError{required(at, "must have at least one node selector term")})
	}
	opts.AllowUnknownOperators = false
	var errs []*kplan.FieldError
	for i := range ns.Terms {
		term := &ns.Terms[i]
		for j, e := range term.MatchExpressions {
			errs = append(errs, expressionErrors(e, element(element(at, i)+".matchExpressions", j), opts, Operator.op)...)
		}
		for j, e := range term.MatchFields {
			errs = append(errs, fieldErrors(e, element(element(at, i)+".matchFields", j))...)
		}
	}
	return fieldsError(errs)
}

func fieldErrors(e Expression, path string) []*kplan.FieldError {
	var errs []*kplan.FieldError
	switch {
	case e.Operator != In && e.Operator != NotIn:
		errs = append(errs, invalid(subpath(path, "operator"), e.Operator, "not a valid selector operator"))
	case len(e.Values) != 1:
		errs = append(errs, required(subpath(path, "values"),
			"must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
	}
	if e.Key != FieldName {
		return append(errs, invalid(subpath(path, "key"), e.Key, "not a valid field selector key"))
	}
	for i, v := range e.Values {
		for _, m := range nodeNameMessages(v) {
			errs = append(errs, invalid(element(subpath(path, "values"), i), v, m))
		}
	}
	return errs
}

// nodeNameMessages returns the errors of the name of a node. It counts bytes but, unlike for
// the prefix of a key, the message calls them characters.
func nodeNameMessages(name string) []string {
	var messages []string
	if len(name) > maxSubdomain {
		messages = append(messages, "must be no more than 253 characters")
	}
	if !isSubdomain(name) {
		messages = append(messages, subdomainDetail)
	}
	return messages
}
