// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A name is read as the quirk of that name, or refused.
func FuzzParse(f *testing.F) {
	f.Add("LastPauseSkipped")
	f.Add("nonsense")
	f.Fuzz(func(t *testing.T, name string) {
		q, err := quirk.Parse(name)
		if err != nil {
			require.ErrorIs(t, err, kplan.ErrInvalid)
			return
		}
		require.Equal(t, name, q.String())
	})
}
