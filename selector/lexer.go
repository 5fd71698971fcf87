// SPDX-License-Identifier: Apache-2.0

package selector

// A kind is the kind of a token. Operators that are words, such as in, are kindWord; the
// parser recognizes them where it expects an operator.
type kind uint8

const (
	kindEnd kind = iota
	kindWord
	kindComma
	kindOpen
	kindClose
	kindNot
	kindEquals
	kindDoubleEquals
	kindNotEquals
	kindGreater
	kindLess
)

// A token is a piece of a selector's text.
type token struct {
	kind   kind
	text   string
	offset int
}

// A lexer cuts a text into tokens.
type lexer struct {
	text string
	pos  int
}

// next returns the next token. As in upstream, a NUL right after a token separates it from
// the next one, and anywhere else ends the text. [Parse] rejects a NUL before it reaches
// the lexer; only [ParseWith] with NUL lets one through.
func (l *lexer) next() token {
	for l.pos < len(l.text) && isBlank(l.text[l.pos]) {
		l.pos++
	}
	start := l.pos
	if start == len(l.text) || l.text[start] == 0 {
		l.pos = len(l.text)
		return token{offset: start}
	}
	kind := kindWord
	if isSpecial(l.text[start]) {
		kind = l.special()
	} else {
		for l.pos < len(l.text) && !isSpecial(l.text[l.pos]) && !isBlank(l.text[l.pos]) && l.text[l.pos] != 0 {
			l.pos++
		}
	}
	t := token{kind: kind, text: l.text[start:l.pos], offset: start}
	if l.pos < len(l.text) && l.text[l.pos] == 0 {
		l.pos++
	}
	return t
}

// special consumes the longest token of special characters.
func (l *lexer) special() kind {
	c := l.text[l.pos]
	l.pos++
	followedByEquals := l.pos < len(l.text) && l.text[l.pos] == '='
	switch c {
	case '=':
		if followedByEquals {
			l.pos++
			return kindDoubleEquals
		}
		return kindEquals
	case '!':
		if followedByEquals {
			l.pos++
			return kindNotEquals
		}
		return kindNot
	case '(':
		return kindOpen
	case ')':
		return kindClose
	case ',':
		return kindComma
	case '>':
		return kindGreater
	}
	return kindLess
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isSpecial(c byte) bool {
	switch c {
	case '=', '!', '(', ')', ',', '<', '>':
		return true
	}
	return false
}
