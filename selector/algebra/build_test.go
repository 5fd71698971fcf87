// SPDX-License-Identifier: Apache-2.0

package algebra_test

import (
	"testing"

	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

func parse(t testing.TB, text string) selector.Selector {
	t.Helper()
	s, err := selector.Parse(text)
	require.NoError(t, err)
	return s
}

func expression(key string, operator selector.Operator, values ...string) selector.Expression {
	return selector.Expression{Key: key, Operator: operator, Values: values}
}

func onLabels(es ...selector.Expression) selector.NodeSelectorTerm {
	return selector.NodeSelectorTerm{MatchExpressions: es}
}

func onFields(es ...selector.Expression) selector.NodeSelectorTerm {
	return selector.NodeSelectorTerm{MatchFields: es}
}

func terms(ts ...selector.NodeSelectorTerm) *selector.NodeSelector {
	return &selector.NodeSelector{Terms: ts}
}
