// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTies: of four pods that are alike in all one goes, and no command names it.
func TestTies(t *testing.T) {
	file := data + "order/alike.yaml"
	for name, args := range map[string][]string{
		"order/alike":   {"order", "-f", file, "--count", "2"},
		"plan/alike":    {"plan", "-f", file},
		"explain/alike": {"explain", "-f", file},
	} {
		golden(t, data+"golden/"+name+".txt", []byte(succeed(t, nil, at(args...)...)))
		golden(t, data+"golden/"+name+".json", []byte(succeed(t, nil, at(append(args, "-o", "json")...)...)))
	}
	text := succeed(t, nil, at("order", "-f", file, "--count", "1")...)
	require.NotContains(t, text, "any")
	require.NotContains(t, text, "perhaps")
	require.NotContains(t, succeed(t, nil, at("order", "-f", file, "--count", "5")...), "perhaps", "all go")

	objects := itemsOf(t, "order/alike.yaml")
	for i, o := range objects {
		if metadata := o.(map[string]any)["metadata"].(map[string]any); i > 0 {
			metadata["name"] = fmt.Sprint(hostile, i)
		}
	}
	for _, command := range []string{"order --count 2", "plan", "explain"} {
		stdout, _ := runText(t, command, objects)
		require.Contains(t, inWords(stdout), "any 1 of these 4: ", command)
	}
}
