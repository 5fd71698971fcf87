// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSumWraps: a limit below zero is told as the wrapped sum that it is, with what shows the
// plan without it; more surge does not help.
func TestSumWraps(t *testing.T) {
	huge := inFile(t, "huge.yaml", strings.Replace(aloneSet("2147483647", "web:1"), "kind: ReplicaSet", "kind: Deployment", 1))
	const text = "0 pods are wanted, -1610612737 may be: the sum wraps around"
	require.Contains(t, inWords(succeed(t, nil, "plan", "-f", huge)), text)
	code, stdout, _ := run(nil, "explain", "-f", huge)
	require.Zero(t, code)
	for _, want := range []string{text, "(quirk SumsWrapAround)", "--repair SumsWrapAround"} {
		require.Contains(t, inWords(stdout), want)
	}
	require.NotContains(t, inWords(stdout), "a larger maxSurge")
	code, stdout, _ = run(nil, "explain", "-f", huge, "-o", "json")
	require.Zero(t, code)
	require.Contains(t, stdout, "--repair SumsWrapAround")
	require.NotContains(t, succeed(t, nil, "plan", "-f", huge, "--repair", "SumsWrapAround"), "SurgeExhausted")
}
