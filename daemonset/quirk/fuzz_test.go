// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/quirk"
)

// FuzzParse: what is a set of quirks is one again from its names.
func FuzzParse(f *testing.F) {
	f.Add("LongNameNotCut,GateAddedTwice")
	f.Add("longNameNotCut")
	f.Fuzz(func(t *testing.T, text string) {
		set, err := quirk.Parse(strings.Split(text, ",")...)
		if err != nil {
			require.ErrorIs(t, err, kplan.ErrInvalid)
			return
		}
		back, err := quirk.Parse(strings.Split(set.String(), ",")...)
		require.NoError(t, err)
		require.Equal(t, set, back)
	})
}
