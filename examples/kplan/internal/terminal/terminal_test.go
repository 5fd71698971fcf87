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
