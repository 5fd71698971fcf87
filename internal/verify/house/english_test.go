// SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A wording is the words of the comments and Markdown files of a folder, and how many of them make a
// reader stop.
type wording struct{ words, markers, nouns int }

var (
	// markers are phrases that take the place of a noun or a verb of the field. Projects that read
	// well (raft, go-cmp, x/mod, statedb) have 0.4 to 3 of them in 1,000 words.
	markers = regexp.MustCompile(`(?i)\b(those|that of|behind|anew|nobody|whose|by then|what is|what it|what they|of its own|of one's own|who|so is|so does|so do|alike|as a rule|goes by|be that as|there is none|it has not|is not any more|for the same|of concern|for ever|in between|beside)\b`)
	// noun is the word that most often stands for one. The same projects have 0.1 to 0.6.
	noun = regexp.MustCompile(`(?i)\bwhat\b`)
	word = regexp.MustCompile(`[A-Za-z']+`)
	// names are names of the program in prose, which may be such words.
	names = regexp.MustCompile("`[^`]*`|\\[[A-Za-z.]+\\]")
)

const mostMarkers, mostNouns = 3, 2 // in 1,000 words

func (p *wording) add(text string) {
	text = names.ReplaceAllString(text, " ")
	p.words += len(word.FindAllString(text, -1))
	p.markers += len(markers.FindAllString(text, -1))
	p.nouns += len(noun.FindAllString(text, -1))
}

// excess returns why a reader stops too often, "" if not. One stop is allowed however few words
// there are.
func (p *wording) excess() string {
	switch {
	case p.markers > max(1, mostMarkers*p.words/1000):
		return fmt.Sprintf("%d of the phrases in %d words, at most %d in 1,000", p.markers, p.words, mostMarkers)
	case p.nouns > max(1, mostNouns*p.words/1000):
		return fmt.Sprintf("%d times \"what\" in %d words, at most %d in 1,000", p.nouns, p.words, mostNouns)
	}
	return ""
}

// commentsOf returns the prose of a file.
func commentsOf(f *ast.File) (text string) {
	for _, group := range f.Comments {
		if !strings.HasPrefix(group.List[0].Text, "// SPDX") {
			text += group.Text() + "\n"
		}
	}
	return text
}

// paragraphs returns a Markdown text without its blocks of code.
func paragraphs(text string) (prose string) {
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 0 {
			prose += part + "\n"
		}
	}
	return prose
}

// TestEnglish: no folder has more of the phrases that make a reader stop than projects that read
// well.
func TestEnglish(t *testing.T) {
	folders := map[string]*wording{}
	of := func(folder string) *wording {
		if folders[folder] == nil {
			folders[folder] = new(wording)
		}
		return folders[folder]
	}
	for _, f := range tree(t, true) {
		if !f.isTest() {
			of(f.pkg()).add(commentsOf(f.tree))
		}
	}
	texts(t, func(name, text string) {
		if path.Ext(name) == ".md" && !strings.Contains(name, "testdata/") {
			of(path.Dir(name)).add(paragraphs(text))
		}
	})
	require.Greater(t, len(folders), 100)
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if excess := folders[folder].excess(); excess != "" {
			t.Errorf("%s: %s", folder, excess)
		}
	}
}

func TestEnglishFinds(t *testing.T) {
	many := strings.Repeat("The plan deletes old pods first. ", 100) // 600 words
	for text, found := range map[string]bool{
		many:                  false,
		many + "those behind": true,
		many + "those, behind `those` and [whose]":       true,
		many + "`those` behind":                          false,
		many + "What is what.":                           true,
		many + "What a plan.":                            false,
		"those":                                          false,
		"Those who ask.":                                 true,
		paragraphs("text\n```\nthose who\n```\nmore\n"):  false,
		paragraphs("text\n```\nplain\n```\nthose who\n"): true,
	} {
		var p wording
		p.add(text)
		require.Equal(t, found, p.excess() != "", text)
	}
	f, err := parse("deploy/x.go", "// SPDX-License-Identifier: whose\n\n// Those.\npackage deploy // what\n")
	require.NoError(t, err)
	require.Equal(t, "Those.\n\nwhat\n\n", commentsOf(f.tree))
}
