// SPDX-License-Identifier: Apache-2.0

package quirkset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirkset"
)

func table() []kplan.Quirk {
	return []kplan.Quirk{{Name: "First"}, {Name: "Second"}, {Name: "Third"}}
}

func TestRoundTrip(t *testing.T) {
	for set, want := range map[uint64]string{0: `[]`, 1: `["First"]`, 5: `["First","Third"]`, 7: `["First","Second","Third"]`} {
		data, err := quirkset.Marshal(table(), set)
		require.NoError(t, err)
		require.Equal(t, want, string(data))
		var back uint64
		require.NoError(t, quirkset.Unmarshal(table(), data, &back))
		require.Equal(t, set, back)
	}
}

func TestText(t *testing.T) {
	require.Equal(t, "", quirkset.Format(table(), uint64(0)))
	require.Equal(t, "First,Third", quirkset.Format(table(), uint64(5)))
	require.Equal(t, "Third", quirkset.Format(table(), uint64(1<<2|1<<40)), "a bit beyond the table has no name")
}

func TestErrors(t *testing.T) {
	_, err := quirkset.Parse[uint64](table(), "First", "first", "Fourth")
	require.ErrorIs(t, err, kplan.ErrInvalid)
	require.EqualError(t, err, "Repair: \"Fourth\": must be the name of a quirk\nRepair: \"first\": must be the name of a quirk")
	set := uint64(2)
	require.Error(t, quirkset.Unmarshal(table(), []byte(`{"First":true}`), &set))
	require.ErrorIs(t, quirkset.Unmarshal(table(), []byte(`["First","Fourth"]`), &set), kplan.ErrInvalid)
	require.Equal(t, uint64(2), set, "it stays as it was")
}
