// SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A code is a letter or two and a number, which means something only with a list of such codes.
// Rules, quirks and invariants have names.
var code = regexp.MustCompile(`\b[A-Z]{1,2}-?[0-9]{1,2}\b`)

// known are the codes that everybody knows.
var known = []string{
	"C0", "C1", // control characters
	"N1",                       // the name of a node in capitals
	"P50", "P90", "P95", "P99", // percentiles
}

// versions are methods of clients.
var versions = regexp.MustCompile(`\.V[12]\(\)`)

// numbered are references to something by its number, and to documents that whoever has
// cloned the repository does not have.
var numbered = regexp.MustCompile(`(?i)\b(rules?|sections?|specification|deviations?|defects?|corrections?|invariants?) (no\. ?)?[A-Z]{0,2}-?[0-9]+(\.[0-9]+)*\b|\b(items?|points?|chapters?|clauses?|paragraphs?|appendix|findings?) [A-Z]?[0-9]+(\.[0-9]+)*\b|§ ?[0-9]|\.\./shared\b|\b(spec|audit|style)/[a-z]+\.md|\b(design|defects)\.md|\bthe (brief|audit)\b|\bissues? #?[0-9]+\b`)

// inName are codes in the names of tests.
var inName = regexp.MustCompile(`\bfunc (Test|Fuzz|Benchmark|Example)[A-Za-z]*?(Defect|Rule|Corrected|Invariant|Quirk|Section|_)_?[A-Z]{0,2}[0-9]{1,2}\b`)

// checkCodes finds codes and numbered references in a text.
func checkCodes(name, text string) (violations []string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		for _, found := range code.FindAllString(versions.ReplaceAllString(line, ""), -1) {
			if !slices.Contains(known, found) {
				violations = append(violations, fmt.Sprintf("%s:%d: the code %s: call it by a name", name, n, found))
			}
		}
		for _, found := range slices.Concat(numbered.FindAllString(line, -1), inName.FindAllString(line, -1)) {
			violations = append(violations, fmt.Sprintf("%s:%d: %q: call it by a name", name, n, found))
		}
	}
	return violations
}

// texts calls do for each text file of the repository, except inputs found by fuzzing and
// recordings of other programs.
func texts(t *testing.T, do func(name, text string)) {
	t.Helper()
	seen := 0
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		if d.IsDir() {
			if below == ".git" || d.Name() == "fuzz" && strings.Contains(below, "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(name) {
		case ".gz", ".sum", ".png", ".svg", ".test", ".out", ".prof":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		seen++
		do(below, string(text))
		return nil
	}))
	require.Greater(t, seen, 800)
}

// TestCodes: nothing is called by a code or by a number.
func TestCodes(t *testing.T) {
	texts(t, func(name, text string) {
		if name == "internal/verify/house/codes_test.go" || name == "LICENSE" {
			return // this file has examples of codes, and the licence has its own sections
		}
		for _, v := range checkCodes(name, text) {
			t.Error(v)
		}
	})
}

// TestCheckCodes has examples that the check finds, and examples that it does not.
func TestCheckCodes(t *testing.T) {
	for text, want := range map[string]int{
		"// planted D7\n":                         1,
		"return 1 // D-7\n":                       1,
		"(rule 3.2)":                              1,
		"see rules 4 to 7":                        1,
		"podorder specification 12":               1,
		"(section 20)":                            1,
		"// RS-5: our UID, D14":                   2,
		"as §3 says":                              1,
		"see audit/field.md, finding 4":           2,
		"item 3.2 of the brief":                   2,
		"known as issue 16":                       1,
		"func TestDefectD15(t *testing.T) {":      1,
		"func TestRule12(t *testing.T) {":         1,
		"func TestV15(t *testing.T) {":            0,
		"client.Core().V1().Pods() of V1":         1,
		"kubernetes/kubernetes#102551, KEP-2185":  0,
		"UTF-8, SHA-256, P99, C1 controls, s390x": 0,
		"int32, v1.36.3, 3.2 seconds":             0,
	} {
		require.Len(t, checkCodes("x", text), want, text)
	}
}

// TestLinks: the targets of links in documents exist, paths and headings.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	found, headings := 0, 0
	texts(t, func(name, text string) {
		if filepath.Ext(name) != ".md" {
			return
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			found++
			target := filepath.Join(root, filepath.Dir(name), m[1])
			if m[1] == "" {
				target = filepath.Join(root, name)
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to %s", name, m[1])
			if m[2] == "" {
				continue
			}
			headings++
			page, err := os.ReadFile(target)
			require.NoError(t, err)
			require.Contains(t, anchors(string(page)), m[2], "%s links to %s", name, m[0])
		}
	})
	require.Greater(t, found, 30)
	require.Greater(t, headings, 1)
	require.Equal(t, []string{"#why-is-my-rollout-stuck", "#b_c-1"}, anchors("# Why is *my* rollout stuck?\ntext\n```sh\n# no heading\n```\n### `B_c` 1\n"))
}

// anchors returns the anchors that GitHub makes for the headings of a document.
func anchors(text string) (list []string) {
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if code || level == 0 || !strings.HasPrefix(line[level:], " ") {
			continue
		}
		words := strings.ToLower(strings.TrimSpace(line[level:]))
		list = append(list, "#"+strings.ReplaceAll(regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(words, ""), " ", "-"))
	}
	return list
}
