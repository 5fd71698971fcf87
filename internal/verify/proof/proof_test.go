// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// code is read once for all tests.
var code = sync.OnceValues(readSource)

func program0(t *testing.T) *program {
	t.Helper()
	from, err := code()
	require.NoError(t, err)
	p, err := from.program(nil)
	require.NoError(t, err)
	return p
}

func solve(t *testing.T, s solver) *session {
	t.Helper()
	session, err := s.start()
	require.NoError(t, err)
	t.Cleanup(func() { session.close() })
	return session
}

// The premises of each property can hold together.
func TestPremises(t *testing.T) {
	for _, c := range program0(t).properties {
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			unreached, err := program0(t).unreached(solve(t, solvers[0]), c)
			require.NoError(t, err)
			require.Empty(t, unreached)
		})
	}
}

// A bug in the Go that is proved breaks the proof: the solver finds a case in which the
// property does not hold, so that no proof can be had. Without the bug it finds none.
func TestPlanted(t *testing.T) {
	from, err := code()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, c := range program0(t).properties {
		names[c.name()] = true
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			found, err := from.broken(c.name())
			require.NoError(t, err)
			t.Log(planted[c.name()], "\n", found)
		})
	}
	for name := range planted {
		require.True(t, names[name], "%s is no property", name)
	}
}

// The proof of one property proves the contracts on which it relies as well: with one of them
// broken it is no proof.
func TestPartOfTheProof(t *testing.T) {
	from, err := code()
	require.NoError(t, err)
	overlay, err := bug{"rollout/proportion.go", "a/b + 2*(a%b)/b", "0"}.overlay()
	require.NoError(t, err)
	broken, err := from.program(overlay)
	require.NoError(t, err)
	for p, want := range map[*program]bool{program0(t): true, broken: false} {
		proofs, err := p.proveAll(regexp.MustCompile("^FractionWithinHalf$"))
		require.NoError(t, err)
		proved := true
		var names []string
		for _, proof := range proofs {
			names = append(names, proof.name())
			for _, s := range solvers {
				proved = proved && len(proof.open(s)) == 0
			}
		}
		require.ElementsMatch(t, []string{"FractionWithinHalf", "rollout.roundedQuotient"}, names)
		require.Equal(t, want, proved)
	}
}
