// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset/quirk"
)

// FuzzParse reads lists of names: what is accepted prints as a set of them.
func FuzzParse(f *testing.F) {
	f.Add(quirk.All.String())
	f.Fuzz(func(t *testing.T, text string) {
		names := strings.Split(text, ",")
		q, err := quirk.Parse(names...)
		if err != nil {
			require.ErrorIs(t, err, kplan.ErrInvalid)
			return
		}
		for _, name := range strings.Split(q.String(), ",") {
			require.Contains(t, names, name)
		}
	})
}
