// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// NOTICE names every module linked into the programs, with its licence. KPLAN_REWRITE=1 writes it.
func TestNotice(t *testing.T) {
	want, err := notice(root)
	require.NoError(t, err)
	name := filepath.Join(root, "NOTICE")
	if os.Getenv("KPLAN_REWRITE") == "1" {
		require.NoError(t, os.WriteFile(name, []byte(want), 0o644))
	}
	require.Equal(t, want, get(t, root, "NOTICE"), "KPLAN_REWRITE=1 go test -run TestNotice writes it")
}

func TestLicence(t *testing.T) {
	dir := t.TempDir()
	_, err := licence(dir)
	require.ErrorContains(t, err, "no licence")
	put(t, dir, "LICENSE", "Permission is hereby granted,\n   free of charge, to any person")
	got, err := licence(dir)
	require.NoError(t, err)
	require.Equal(t, "MIT", got)
	put(t, dir, "license.md", "Covered by two: Apache License\n Version 2.0, January 2004\n Redistributions in binary form must reproduce it\nNeither the name of")
	got, err = licence(dir)
	require.NoError(t, err)
	require.Equal(t, "Apache-2.0 AND BSD-3-Clause AND MIT", got)
	put(t, dir, "COPYING", "All rights reserved; pay.")
	_, err = licence(dir)
	require.ErrorContains(t, err, "not known", "one of several that nobody knows is no guess either")
}
