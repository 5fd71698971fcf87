// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// value returns the value of an operand.
func (f *frame) value(v ssa.Value, s *state) (value, error) {
	switch v := v.(type) {
	case *ssa.Const:
		return f.literal(v)
	case *ssa.Function:
		return closure{function: v}, nil
	}
	if x, ok := s.values[v]; ok {
		return x, nil
	}
	return nil, fmt.Errorf("%s (%T) in %s is not translated", v, v, f.function)
}

func (f *frame) literal(c *ssa.Const) (value, error) {
	if c.Value == nil {
		return f.zero(c.Type())
	}
	switch t := c.Type().Underlying().(*types.Basic); {
	case t.Info()&types.IsBoolean != 0:
		return f.ts.bool(c.Value.ExactString() == "true"), nil
	case t.Info()&types.IsInteger != 0:
		n, err := number(c.Value.ExactString())
		if err != nil {
			n, err = number("(- " + c.Value.ExactString()[1:] + ")")
		}
		return f.ts.big(n), err
	case t.Info()&types.IsString != 0:
		return f.text(c.Value.ExactString()), nil
	}
	return nil, fmt.Errorf("constant %v is not translated", c)
}
