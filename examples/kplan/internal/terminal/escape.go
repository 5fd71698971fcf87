// SPDX-License-Identifier: Apache-2.0

// Package terminal writes text to terminals and keeps out of it what would be more than
// text. Names, images, annotations and messages come from strangers: whoever may write an
// object, a registry or a container runtime.
package terminal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns a text with every character that is not plainly visible written as Go
// writes it in quotes. These are control characters, line breaks and tabs, what changes the
// direction of writing, what has no width, blanks other than the usual one, and bytes that
// are no UTF-8. The rest stays as it is, backslashes and quotes included, so that Escape
// changes nothing in what it has returned.
func Escape(text string) string {
	if strings.IndexFunc(text, hidden) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for text != "" {
		var unit string
		unit, text = next(text)
		b.WriteString(unit)
	}
	return b.String()
}

// Cut returns the text if it takes at most so many characters once it is escaped, and
// otherwise the beginning of it and an ellipsis. The result is not escaped yet.
func Cut(text string, most int) string {
	used, kept := 0, 0 // characters of the escaped text, and bytes that leave room for the ellipsis
	for rest := text; rest != ""; {
		unit, after := next(rest)
		used += utf8.RuneCountInString(unit)
		if used > most {
			return text[:kept] + "…"
		}
		rest = after
		if used < most {
			kept = len(text) - len(rest)
		}
	}
	return text
}

// longestWord and longestMessage are how many characters are left of a longer word and of a longer
// message. A word may have some more for quotes and a colon: a value that has been cut already stays.
const longestWord, quotes, longestMessage = 200, 8, 2000

// Shorten returns a message that quotes texts of strangers, with the beginning and the end of
// each word that is longer than people read, and of all of it.
func Shorten(message string) string {
	if len(message) <= longestWord {
		return message
	}
	var b strings.Builder
	for word := range strings.SplitAfterSeq(message, " ") {
		if utf8.RuneCountInString(word) > longestWord+quotes {
			word = ends(word, longestWord)
		}
		b.WriteString(word)
	}
	return ends(b.String(), longestMessage)
}

// ends returns a text, or so many characters of its beginning and its end.
func ends(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	letters := []rune(text)
	tail := most / 4
	return string(letters[:most-tail-1]) + "…" + string(letters[len(letters)-tail:])
}

// next returns the first character of a text as it is written, and what follows it.
func next(text string) (unit, rest string) {
	r, size := utf8.DecodeRuneInString(text)
	unit, rest = text[:size], text[size:]
	switch {
	case r == utf8.RuneError && size == 1:
		return `\x` + strconv.FormatUint(0x100|uint64(unit[0]), 16)[1:], rest
	case hidden(r):
		quoted := strconv.QuoteRuneToASCII(r)
		return quoted[1 : len(quoted)-1], rest
	}
	return unit, rest
}

// hidden reports whether a character does something else than to be seen.
func hidden(r rune) bool {
	return !strconv.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
