// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan"
)

// ParseOptions adjusts [ParseWith]. [Parse] uses the zero ParseOptions.
type ParseOptions struct {
	// NUL accepts NUL bytes as upstream does. A NUL right after a token separates it from the
	// next one; anywhere else it ends the text, and the rest is silently dropped:
	// "a=b \x00,c=d" is "a=b".
	NUL bool
}

// Parse reads a selector such as
//
//	app=web,tier in (front,back),!canary
//
// Its requirements are
//
//	key  !key  key=value  key==value  key!=value  key in (a,b)  key notin (a,b)  key>1  key<5
//
// and a missing value is the empty value. Blanks only separate tokens. The empty text is
// [Everything]. The error, if any, is an [*Error] with the text of Kubernetes.
//
// It mirrors Parse of package labels of apimachinery, except that a NUL
// byte is an error.
func Parse(text string) (Selector, error) { return ParseWith(text, ParseOptions{}) }

// ParseWith is [Parse] with options.
func ParseWith(text string, opts ParseOptions) (Selector, error) {
	if i := strings.IndexByte(text, 0); i >= 0 && !opts.NUL {
		return Selector{}, errorf(i, "found NUL at byte %d, which would hide the rest of the selector", i)
	}
	p := parser{lexer: lexer{text: text}}
	p.advance()
	if err := p.selector(); err != nil {
		return Selector{}, err
	}
	return compiled(p.requirements), nil
}

// ParseRequirements is [Parse], but returns the requirements, sorted by key. It mirrors
// ParseToRequirements of package labels of apimachinery 0.36.3.
func ParseRequirements(text string) ([]Requirement, error) {
	s, err := Parse(text)
	return s.requirements, err
}

// A parser reads requirements by recursive descent, one token ahead.
type parser struct {
	lexer        lexer
	ahead        token // not yet consumed
	requirements []Requirement
}

func (p *parser) advance() token {
	t := p.ahead
	p.ahead = p.lexer.next()
	return t
}

// selector reads the whole text.
func (p *parser) selector() error {
	switch p.ahead.kind {
	case kindEnd:
		return nil
	case kindWord, kindNot:
	default:
		return errorf(p.ahead.offset, "found '%s', expected: !, identifier, or 'end of string'", p.ahead.text)
	}
	for {
		r, err := p.requirement()
		if err != nil {
			return prefixed("unable to parse requirement: ", err)
		}
		p.requirements = append(p.requirements, r)
		switch t := p.advance(); t.kind {
		case kindEnd:
			return nil
		case kindComma:
			if p.ahead.kind != kindWord && p.ahead.kind != kindNot {
				return errorf(p.ahead.offset, "found '%s', expected: identifier after ','", p.ahead.text)
			}
		default:
			return errorf(t.offset, "found '%s', expected: ',' or 'end of string'", t.text)
		}
	}
}

func (p *parser) requirement() (Requirement, error) {
	first := p.advance()
	key := first
	if first.kind == kindNot {
		key = p.advance()
	}
	if key.kind != kindWord {
		return Requirement{}, errorf(key.offset, "found '%s', expected: identifier", key.text)
	}
	if messages := keyMessages(key.text); len(messages) > 0 {
		return Requirement{}, located(key, []*kplan.FieldError{invalid("<nil>", key.text, strings.Join(messages, "; "))})
	}
	if first.kind == kindNot {
		return makeRequirement(key.text, OpDoesNotExist, nil), nil
	}
	if p.atEnd() {
		return makeRequirement(key.text, OpExists, nil), nil
	}
	op, err := p.operator()
	if err != nil {
		return Requirement{}, err
	}
	start := p.ahead
	values, err := p.operand(op)
	if err != nil {
		return Requirement{}, err
	}
	if !validRequirement(key.text, op, values) {
		return Requirement{}, located(start, requirementErrors("", key.text, op, values))
	}
	return makeRequirement(key.text, op, values), nil
}

// keyMessages is ValidateKey, but fast for valid keys.
func keyMessages(key string) []string {
	if validKey(key) {
		return nil
	}
	return ValidateKey(key)
}

// atEnd reports whether the requirement ends here.
func (p *parser) atEnd() bool { return p.ahead.kind == kindEnd || p.ahead.kind == kindComma }

func (p *parser) operator() (Op, error) {
	t := p.advance()
	switch t.kind {
	case kindEquals:
		return OpEquals, nil
	case kindDoubleEquals:
		return OpDoubleEquals, nil
	case kindNotEquals:
		return OpNotEquals, nil
	case kindGreater:
		return OpGreater, nil
	case kindLess:
		return OpLess, nil
	case kindWord:
		switch t.text {
		case "in":
			return OpIn, nil
		case "notin":
			return OpNotIn, nil
		}
	}
	return "", errorf(t.offset, "found '%s', expected: in, notin, =, ==, !=, gt, lt", t.text)
}

func (p *parser) operand(op Op) ([]string, error) {
	if op == OpIn || op == OpNotIn {
		return p.list()
	}
	if p.atEnd() {
		return []string{""}, nil
	}
	t := p.advance()
	if t.kind != kindWord {
		return nil, errorf(t.offset, "found '%s', expected: identifier", t.text)
	}
	return []string{t.text}, nil
}

// list reads values in parentheses. An empty position is the empty value, so () and (,) both
// contain just the empty value. The result is sorted, without repetitions.
func (p *parser) list() ([]string, error) {
	if t := p.advance(); t.kind != kindOpen {
		return nil, errorf(t.offset, "found '%s' expected: '('", t.text)
	}
	switch p.ahead.kind {
	case kindWord, kindComma, kindClose:
	default:
		return nil, errorf(p.ahead.offset, "found '%s', expected: ',', ')' or identifier", p.ahead.text)
	}
	var values []string
	for {
		value := ""
		if p.ahead.kind == kindWord {
			value = p.advance().text
		}
		values = append(values, value)
		switch t := p.advance(); {
		case t.kind == kindClose:
			slices.Sort(values)
			return slices.Compact(values), nil
		case t.kind != kindComma:
			return nil, errorf(t.offset, "found '%s', expected: ',' or ')'", t.text)
		}
		switch p.ahead.kind {
		case kindWord, kindComma, kindClose:
		default:
			return nil, errorf(p.ahead.offset, "found '%s', expected: ',', or identifier", p.ahead.text)
		}
	}
}

// located returns the fields as an error at a token.
func located(t token, fields []*kplan.FieldError) error {
	return &Error{Text: fieldsText(fields), Fields: fields, Offset: t.offset}
}
