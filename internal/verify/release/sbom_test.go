// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSBOM(t *testing.T) {
	root := t.TempDir()
	put(t, root, "NOTICE", "These:\n\nexample.org/one v1.0.0: MIT\n")
	bill := func(components string) (int, error) {
		put(t, root, "bill.json", `{"bomFormat": "CycloneDX", "components": [`+components+`]}`)
		return sbom(root, filepath.Join(root, "bill.json"))
	}
	modules, err := bill(`{"name": "std", "version": "go1.26.0"}, {"name": "github.com/kplan-go/kplan", "version": "v0.1.0"}, {"name": "example.org/one", "version": "v1.0.0"}`)
	require.NoError(t, err)
	require.Equal(t, 1, modules)
	_, err = bill(`{"name": "example.org/one", "version": "v1.0.1"}`)
	require.ErrorContains(t, err, "example.org/one v1.0.1 is linked", "the licence of another version may differ")
	_, err = bill(``)
	require.ErrorContains(t, err, "lists nothing")
	put(t, root, "bill.json", `{"components": [{"name": "example.org/one", "version": "v1.0.0"}]}`)
	_, err = sbom(root, filepath.Join(root, "bill.json"))
	require.ErrorContains(t, err, "lists nothing", "another format")
}
