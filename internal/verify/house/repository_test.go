// SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert/yaml"
	"github.com/stretchr/testify/require"
)

// repository lists files that users expect in a repository, each with a text that it must contain.
var repository = map[string]string{
	".github/workflows/ci.yaml":            "- run: .ci/run\n",
	".github/CODEOWNERS":                   "* @",
	".github/pull_request_template.md":     ".ci/run",
	".github/ISSUE_TEMPLATE/decision.yaml": "What kplan plans",
	".github/ISSUE_TEMPLATE/wish.yaml":     "What you would like to do",
	".github/ISSUE_TEMPLATE/config.yml":    "blank_issues_enabled",
	".gitattributes":                       "**/testdata/** -text\n",
	".golangci.yml":                        "- staticcheck\n",
	".goreleaser.yaml":                     "cmd: cyclonedx-gomod\n",
	"CHANGELOG.md":                         "## Unreleased\n",
	"CODE_OF_CONDUCT.md":                   "code of conduct",
	"CONTRIBUTING.md":                      "## A release\n",
	"LICENSE":                              "Apache License",
	"NOTICE":                               "LICENSE",
	"SECURITY.md":                          "Report a vulnerability",
	"deploy/README.md":                     "# How a rolling update really works\n",
	"examples/controller/README.md":        "# A controller built on kplan\n",
	"examples/fleet/README.md":             "deployment_util",
	"examples/kplan/Dockerfile":            "ENTRYPOINT [\"/kplan\"]\n",
	"examples/kplan/README.md":             "## Why is my rollout stuck?\n",
	"examples/simulator/README.md":         "# simulator\n",
	"internal/verify/README.md":            "# Guarantees, and what proves them\n",
	"rollout/sim/README.md":                "# Simulating with kplan\n",
}

// longestReadme is how many lines people read before they try something.
const longestReadme = 150

func TestRepository(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	for name, want := range repository {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Contains(t, string(text), want, name)
		if folder := filepath.Dir(name); filepath.Base(name) == "README.md" {
			require.Contains(t, string(readme), "("+filepath.ToSlash(folder)+"/README.md", "the first page leads to it")
		}
	}
	require.LessOrEqual(t, strings.Count(string(readme), "\n"), longestReadme, "README.md")
}

// TestImages: containers are built from images pinned by digest.
func TestImages(t *testing.T) {
	from := regexp.MustCompile(`(?m)^FROM (.*)$`)
	pinned := regexp.MustCompile(`^[^ ]+@sha256:[0-9a-f]{64}( AS [a-z]+)?$`)
	images := 0
	texts(t, func(name, text string) {
		if path.Base(name) != "Dockerfile" {
			return
		}
		for _, m := range from.FindAllStringSubmatch(text, -1) {
			images++
			require.Regexp(t, pinned, m[1], name)
		}
	})
	require.GreaterOrEqual(t, images, 4)
}

// A form is a form for new issues. GitHub does not show a form with a mistake.
type form struct {
	Name, Description string
	Body              []struct {
		Type, ID   string
		Attributes struct{ Label string }
	}
}

// checkForm finds mistakes that GitHub refuses: parts without a type or a label, and repeated
// labels or names.
func checkForm(text string) error {
	var f form
	if err := yaml.Unmarshal([]byte(text), &f); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, part := range f.Body {
		known := slices.Contains([]string{"checkboxes", "dropdown", "input", "textarea"}, part.Type)
		if !known || part.ID == "" || part.Attributes.Label == "" || seen[part.ID] || seen[part.Attributes.Label] {
			return fmt.Errorf("part %+v", part)
		}
		seen[part.ID], seen[part.Attributes.Label] = true, true
	}
	if f.Name == "" || f.Description == "" || len(f.Body) == 0 {
		return fmt.Errorf("form %q", f.Name)
	}
	return nil
}

// TestYAML: the YAML files of this repository are valid YAML, and the forms of issues are valid
// forms.
func TestYAML(t *testing.T) {
	files, forms := 0, 0
	texts(t, func(name, text string) {
		if ext := path.Ext(name); ext != ".yaml" && ext != ".yml" || strings.Contains(name, "testdata/") {
			return
		}
		files++
		for _, document := range strings.Split(text, "\n---\n") {
			var v map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(document), &v), name)
			require.NotEmpty(t, v, name)
		}
		if strings.HasPrefix(name, ".github/ISSUE_TEMPLATE/") && path.Base(name) != "config.yml" {
			forms++
			require.NoError(t, checkForm(text), name)
		}
	})
	require.GreaterOrEqual(t, files, 8)
	require.Equal(t, 2, forms)
	for _, wrong := range []string{"", "name: a\ndescription: b\nbody: []", "name: [", "name: a\ndescription: b\nbody: [{type: text, id: c, attributes: {label: d}}]",
		"name: a\ndescription: b\nbody: [{type: input, id: c, attributes: {label: d}}, {type: input, id: c, attributes: {label: e}}]"} {
		require.Error(t, checkForm(wrong), wrong)
	}
}
