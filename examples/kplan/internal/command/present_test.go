// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPresent: all commands take the latest time in files for the present, and say so. What
// they answer is not another one tomorrow.
func TestPresent(t *testing.T) {
	files, err := filepath.Glob(live + "/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		told := ""
		for _, command := range []string{"plan", "explain", "simulate", "undo", "order"} {
			args := []string{command, "-f", file}
			if command == "simulate" || command == "undo" {
				args = append(args, "--never-ready", "--time-limit", "1m")
			}
			code, stdout, stderr := run(nil, args...)
			if command == "order" && code != 0 || command == "undo" && stdout == "" {
				continue // there are no pods, or there is nothing to go back to
			}
			_, rest, found := strings.Cut(stderr, "note: the present is ")
			require.True(t, found, "%s %s: %s", command, file, stderr)
			now, _, _ := strings.Cut(rest, ",")
			if told != "" {
				require.Equal(t, told, now, "%s %s", command, file)
			}
			told = now
			code2, same, stderr := run(nil, append(args, "--now", now)...)
			require.Equal(t, code, code2)
			require.Equal(t, stdout, same, "%s %s", command, file)
			require.NotContains(t, stderr, "the present is")
		}
	}
	_, _, stderr := run(nil, "plan", "-f", data+"echoserver-v1.yaml")
	require.NotContains(t, stderr, "the present is", "a manifest has no time")
	require.Contains(t, succeed(t, nil, "explain", "-f", live+"/waiting.yaml"), "is waiting")
}
