// SPDX-License-Identifier: Apache-2.0

package selector

// An Operator is the operator of an [Expression] of the Kubernetes API. Label selectors
// accept the first four, node selectors all six, and fields of node selectors In and NotIn.
type Operator string

// The operators of the Kubernetes API.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn"
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
	Gt           Operator = "Gt"
	Lt           Operator = "Lt"
)

// An Op is the operator of a [Requirement]. There are more than for [Operator], since the
// text form distinguishes = from "in" with one value. They are spelled as in messages.
type Op string

// The operators of a requirement.
const (
	OpIn           Op = "in"
	OpNotIn        Op = "notin"
	OpEquals       Op = "="
	OpDoubleEquals Op = "=="
	OpNotEquals    Op = "!="
	OpGreater      Op = "gt"
	OpLess         Op = "lt"
	OpExists       Op = "exists"
	OpDoesNotExist Op = "!"
)

const (
	supportedOps = `supported values: "in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"`

	supportedNodeOperators  = `supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"`
	supportedFieldOperators = `supported values: "In", "NotIn"`
)

// op returns the requirement operator of an API operator, and whether it is valid.
func (o Operator) op() (Op, bool) {
	switch o {
	case In:
		return OpIn, true
	case NotIn:
		return OpNotIn, true
	case Exists:
		return OpExists, true
	case DoesNotExist:
		return OpDoesNotExist, true
	case Gt:
		return OpGreater, true
	case Lt:
		return OpLess, true
	}
	return "", false
}

// labelOp is op for label selectors, which cannot compare numbers.
func (o Operator) labelOp() (Op, bool) {
	op, ok := o.op()
	return op, ok && op != OpGreater && op != OpLess
}
