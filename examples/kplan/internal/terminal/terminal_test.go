// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEscape: what is seen stays, what does something else is written out.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"web:1.2 \"a\" C:\\b é 漢": "web:1.2 \"a\" C:\\b é 漢",
		"\x1b[2J":                 `\x1b[2J`,
		"a\r\n\tb\a":              `a\r\n\tb\a`,
		"\u009b\u0085\x7f\x00":    `\u009b\u0085\x7f\x00`,
		"\u202e\u2066\u200f":      `\u202e\u2066\u200f`,
		"\u200b\ufeff\ufe0f":      `\u200b\ufeff\ufe0f`,
		"\u00a0\u2028\u3164":      `\u00a0\u2028\u3164`,
		"\xff\xc3":                `\xff\xc3`,
		"\U000e0041":              `\U000e0041`,
	} {
		require.Equal(t, want, Escape(text))
		require.Equal(t, want, Escape(want), "escaping twice")
	}
}

// TestCut: a text is as long as it is once it is escaped.
func TestCut(t *testing.T) {
	require.Equal(t, "abc", Cut("abc", 3))
	require.Equal(t, "ab…", Cut("abcd", 3))
	require.Equal(t, "a…", Cut("a\x1bbc", 5))
	require.Equal(t, "a\x1b", Cut("a\x1b", 5))
}

// TestShorten: of a long word, and of a long message, the beginning and the end are left.
func TestShorten(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	require.Equal(t, "no "+x(207)+" such", Shorten("no "+x(207)+" such"))
	require.Equal(t, `no "`+x(148)+"…"+x(47)+`": such`, Shorten(`no "`+x(1_000_000)+`": such`))
	require.Len(t, []rune(Shorten(strings.Repeat("seven ", 200_000))), longestMessage)
	require.Equal(t, strings.Repeat("漢", 200), Shorten(strings.Repeat("漢", 200)))
}

// TestTable: columns are as wide as their escaped cells.
func TestTable(t *testing.T) {
	var text strings.Builder
	table := NewTable("A", "B")
	table.Row("x\ny", "1")
	table.Row("z", "2\tFORGED")
	table.WriteTo(NewWriter(&text))
	require.Equal(t, "A     B\nx\\ny  1\nz     2\\tFORGED\n", text.String())
}

// TestJSON: a document holds the texts that it was given, and nothing that is hidden.
func TestJSON(t *testing.T) {
	text := "a\x1b\x7f\u009b\u202e\u200e\u061c\u2066\U000e0041é漢\"\\"
	var out strings.Builder
	w := NewWriter(&out)
	w.JSON(map[string]string{"text": text})
	require.NoError(t, w.Err())
	require.Equal(t, "{\n  \"text\": \"a\\u001b\\u007f\\u009b\\u202e\\u200e\\u061c\\u2066\\udb40\\udc41é漢\\\"\\\\\"\n}\n", out.String())
	var back map[string]string
	require.NoError(t, json.Unmarshal([]byte(out.String()), &back))
	require.Equal(t, text, back["text"])
	w.JSON(func() {})
	require.Error(t, w.Err())
}

// TestTrusted: all ways of one writer share the first error.
func TestTrusted(t *testing.T) {
	w := NewWriter(failing{})
	require.Same(t, w, NewWriter(w.Trusted()))
	_, err := io.WriteString(w.Trusted(), "help")
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.ErrorIs(t, w.Err(), io.ErrClosedPipe)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// written returns what a writer writes within so many cells.
func written(cells int, colour bool, write func(*Writer)) string {
	var text strings.Builder
	w := NewWriter(&text).Within(cells)
	w.Colour(colour)
	write(w)
	return text.String()
}

// TestTableWithin: the widest column goes on in further lines, and one that cannot be broken
// stays whole.
func TestTableWithin(t *testing.T) {
	table := NewTable("POD", "IMAGE", "WHY")
	table.Row("web-1", "registry.example.com/team/web:1.2", "enough others are available")
	table.Row("web-2", "web:1", "")
	require.Equal(t, ""+
		"POD    IMAGE                              WHY\n"+
		"web-1  registry.example.com/team/web:1.2  enough others are available\n"+
		"web-2  web:1\n", written(80, false, table.WriteTo))
	require.Equal(t, written(0, false, table.WriteTo), written(80, false, table.WriteTo))
	require.Equal(t, ""+
		"POD    IMAGE                  WHY\n"+
		"web-1  registry.example.com/  enough others\n"+
		"       team/web:1.2           are available\n"+
		"web-2  web:1\n", written(47, false, table.WriteTo))
}

// TestHeaderWithin: headers are broken before cells are, since they cost a line only once.
func TestHeaderWithin(t *testing.T) {
	table := NewTable("TOTAL<=8", "WHY")
	table.Row("7", "the surge has room")
	require.Equal(t, "TOTAL  WHY\n<=8\n7      the surge has room\n", written(26, false, table.WriteTo))
	require.Equal(t, "TOTAL  WHY\n<=8\n7      the surge has\n       room\n", written(20, false, table.WriteTo))
}

// TestWithin: text goes on below what it belongs to, and words stay whole.
func TestWithin(t *testing.T) {
	for text, want := range map[string]string{
		"short\n":                         "short\n",
		"one two three four five\n":       "one two three\n  four five\n",
		"  one two three four\n":          "  one two\n    three four\n",
		"Budget:  one two three\n":        "Budget:  one\n         two\n         three\n",
		"unbreakable-as-it-is-long\n":     "unbreakable-as-it-is-long\n",
		"short\none two three four\nlast": "short\none two three\n  four\nlast",
		"漢字漢字 漢字漢字\n":                     "漢字漢字\n  漢字漢字\n",
	} {
		require.Equal(t, want, written(14, false, func(w *Writer) { w.write(fold(text, w.width)) }))
	}
}

// TestGoesOn: a line that is written in parts is broken as one that is written at once.
func TestGoesOn(t *testing.T) {
	say := func(w *Writer) {
		w.Printf("one two ")
		w.Printf("three")
		w.Printf("; four\n")
		w.Lines("  ", "one two three\nfour\n")
	}
	require.Equal(t, "one two three; four\n  one two three\n  four\n", written(0, false, say))
	require.Equal(t, "one two\n  three;\n    four\n  one two\n    three\n  four\n", strings.ReplaceAll(written(12, false, say), " \n", "\n"))
}

// TestFill: paragraphs flow, and what is set off stays.
func TestFill(t *testing.T) {
	require.Equal(t, "one two three\nfour five\n\n  as it is\n  here\nsix", Fill("one two\nthree four five\n\n  as it is\n  here\nsix\n", 14))
}

// TestStyles: colour is there where it is wanted, takes no room, and is nothing that a
// stranger can write.
func TestStyles(t *testing.T) {
	say := func(w *Writer) { w.Printf("It is %v: %s\n", Text{Bad, "stuck\x1b[0m"}, "\x1b[31m") }
	require.Equal(t, "It is stuck\\x1b[0m: \\x1b[31m\n", written(0, false, say))
	require.Equal(t, "It is \x1b[31mstuck\\x1b[0m\x1b[0m: \\x1b[31m\n", written(0, true, say))
	forged := NewTable("A", "B")
	forged.Row("xxxxxxxxxxxx FORGED", "y")
	require.NotContains(t, written(16, false, forged.WriteTo), "\nFORGED", "what goes on is no line of its own")
	table := NewTable("A", "B")
	table.Styled(Good, "x", "y z")
	require.Equal(t, "\x1b[1mA  B\x1b[0m\n\x1b[32mx  y\x1b[0m\n\x1b[32m   z\x1b[0m\n", written(5, true, table.WriteTo))
}
