package house

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repository is what people look for in a repository before they trust it, each with a text
// without which it would say nothing.
var repository = map[string]string{
	".github/workflows/ci.yaml":            "- run: .ci/run\n",
	".github/CODEOWNERS":                   "* @",
	".github/pull_request_template.md":     ".ci/run",
	".github/ISSUE_TEMPLATE/decision.yaml": "What kplan plans",
	".github/ISSUE_TEMPLATE/wish.yaml":     "What you would like to do",
	".github/ISSUE_TEMPLATE/config.yml":    "blank_issues_enabled",
	".gitattributes":                       "**/testdata/** -text\n",
	"CHANGELOG.md":                         "## Unreleased\n",
	"CODE_OF_CONDUCT.md":                   "code of conduct",
	"CONTRIBUTING.md":                      "## A release\n",
	"LICENSE":                              "Apache License",
	"SECURITY.md":                          "Report a vulnerability",
}

// longestReadme is how many lines people read before they try something.
const longestReadme = 150

func TestRepository(t *testing.T) {
	for name, want := range repository {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Contains(t, string(text), want, name)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(text), "\n"), longestReadme, "README.md")
}
