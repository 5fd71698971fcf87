// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README shows what the program prints, and so it does each time.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, report(&out))
	require.Contains(t, string(readme), "```\n"+out.String()+"```\n")
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(source), "\n"), 150)
	require.NotContains(t, string(source), "/internal/")
}
