// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// TestVersionCommand: it names the commit and Go, and the releases that the README lists.
func TestVersionCommand(t *testing.T) {
	var got view.Version
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, "version", "-o", "json")), &got))
	require.Equal(t, runtime.Version(), got.Go)
	text := succeed(t, nil, "version")
	require.Contains(t, text, "Go:            "+runtime.Version()+"\n")
	require.Contains(t, text, "\nIdentical to:  Kubernetes "+got.Kubernetes[0].Version+"\n")

	readme, err := os.ReadFile("../../../../README.md")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| (1\.\d+\.\d+) \|.*\| ([^|]+) \|$`).FindAllStringSubmatch(string(readme), -1)
	require.Len(t, got.Kubernetes, len(rows))
	for i, row := range rows {
		require.Equal(t, row[1], got.Kubernetes[i].Version)
		require.Equal(t, row[2] == "nothing", got.Kubernetes[i].But == "", row[2])
	}
	compared, err := os.ReadFile("../../../../internal/verify/conformance/go.mod")
	require.NoError(t, err)
	require.Contains(t, string(compared), "k8s.io/kubernetes v"+got.Kubernetes[0].Version+"\n", "the release that the comparisons run with")
}

// TestBuildInfo: what builds record in different ways.
func TestBuildInfo(t *testing.T) {
	of := func(version string, settings ...debug.BuildSetting) string {
		v := versionOf(&debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}, true)
		commit := v.Commit
		if v.Modified {
			commit += " modified"
		}
		return v.Version + " " + commit
	}
	require.Equal(t, "v0.2.0 tags/examples/kplan/v0.2.0", of("v0.2.0"))
	require.Equal(t, "(devel) ", of("(devel)"))
	require.Equal(t, "v0.2.0 0123", of("v0.2.0", debug.BuildSetting{Key: "vcs.revision", Value: "0123"}))
	require.Equal(t, "(devel) 0123 modified", of("", debug.BuildSetting{Key: "vcs.revision", Value: "0123"}, debug.BuildSetting{Key: "vcs.modified", Value: "true"}))
	require.Equal(t, "v0.2.1-0.20260102150405-0123456789ab 0123456789ab", of("v0.2.1-0.20260102150405-0123456789ab"))
	require.Equal(t, "v0.2.0-rc.1 tags/examples/kplan/v0.2.0-rc.1", of("v0.2.0-rc.1"))
	require.Equal(t, "(devel)", versionOf(nil, false).Version)
	require.True(t, strings.HasPrefix(succeed(t, nil, "--version"), "kplan version "))
}
