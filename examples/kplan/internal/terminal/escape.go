// SPDX-License-Identifier: Apache-2.0

// Package terminal writes text to terminals. It escapes everything in values that is not visible
// text: names, images, annotations and messages come from authors of objects, registries and
// container runtimes, and are not trusted.
package terminal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns a text with every character that is not plainly visible written as in a quoted
// Go string. Such characters are control characters, line breaks and tabs, characters that change
// the direction of writing, characters without width, blanks other than the space, and bytes that
// are not UTF-8. Everything else, including backslashes and quotes, stays as it is, so that
// Escape does not change its own result.
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

// Cut returns the text if it has at most the given number of characters after escaping, and
// otherwise its beginning and an ellipsis. The result is not escaped.
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

// longestWord and longestMessage are the lengths in characters to which longer words and messages
// are cut. A word may be longer by quotes and a colon: a value that has been cut before stays.
const longestWord, quotes, longestMessage = 200, 8, 2000

// Shorten returns a message with only the beginning and the end of each very long word, and of
// the whole message if it is too long.
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

// ends returns a text, or only its beginning and its end if it has too many characters.
func ends(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	letters := []rune(text)
	tail := most / 4
	return string(letters[:most-tail-1]) + "…" + string(letters[len(letters)-tail:])
}

// next returns the first character of a text, escaped, and the rest of the text.
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

// hidden reports whether a character is not plainly visible.
func hidden(r rune) bool {
	return !strconv.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
