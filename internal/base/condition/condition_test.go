// SPDX-License-Identifier: Apache-2.0

package condition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
)

func TestFind(t *testing.T) {
	list := []kplan.Condition{{Type: "A", Reason: "first"}, {Type: "B"}, {Type: "A", Reason: "second"}}
	require.Same(t, &list[0], condition.Find(list, "A"), "the first one counts")
	require.Nil(t, condition.Find(list, "C"))
	require.Nil(t, condition.Find(nil, "A"))
}

func TestWithout(t *testing.T) {
	list := []kplan.Condition{{Type: "A", Reason: "first"}, {Type: "B"}, {Type: "A", Reason: "second"}}
	require.Equal(t, []kplan.Condition{{Type: "B"}}, condition.Without(list, "A"))
	require.Nil(t, condition.Without(list[:1], "A"))
	copied := condition.Without(list, "C")
	copied[0].Reason = "written"
	require.Equal(t, "first", list[0].Reason, "the list is not written to")
}
