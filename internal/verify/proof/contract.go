// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A contract is the conditions that a function requires of its callers, and ensures for
// them. Callers know nothing else about the function, and it is proved once.
type contract struct {
	function          *ssa.Function
	requires, ensures []annotation
	property          bool // it ensures nothing, but proves something
}

// mark begins the comments with a contract, or with an invariant of the loop below. They
// are Go expressions over unbounded integers, with
//
//	done               the number of rounds that have ended
//	implies(a, b)      if a then b
//	choose(a, b, c)    b if a, and otherwise c
//	all(k, a, b, c)    c for every k from a to b-1
//	sum(k, n, e)       the sum of e for every k from 0 to n-1
const mark = "//proof:"

// Words that follow the mark of an annotation.
const (
	requires = "requires" // at the end of the comment of a function
	ensures  = "ensures"  // at the end of the comment of a function
	keeps    = "keeps"    // right above a loop
)

// An annotation is a condition in a comment.
type annotation struct {
	text string
	expr ast.Expr
	pos  token.Pos
}

// annotationOf parses a comment; the word is empty without the mark.
func (p *program) annotationOf(c *ast.Comment) (word string, a annotation, err error) {
	text, ok := strings.CutPrefix(c.Text, mark)
	if !ok {
		return "", a, nil
	}
	word, text, _ = strings.Cut(text, " ")
	a = annotation{text: strings.TrimSpace(text), pos: c.Pos()}
	if a.expr, err = parser.ParseExpr(text); err != nil {
		return "", a, fmt.Errorf("%s: %w", p.files.Position(c.Pos()), err)
	}
	return word, a, nil
}

// contractOf returns the contract of a function, without conditions if the function has
// none.
func (p *program) contractOf(f *ssa.Function) (contract, error) {
	c := contract{function: f}
	decl, ok := f.Syntax().(*ast.FuncDecl)
	if !ok || decl.Doc == nil {
		return c, nil
	}
	for _, comment := range decl.Doc.List {
		word, a, err := p.annotationOf(comment)
		switch {
		case err != nil:
			return c, err
		case word == requires:
			c.requires = append(c.requires, a)
		case word == ensures:
			c.ensures = append(c.ensures, a)
		case word != "":
			return c, fmt.Errorf("%s: %q is no word of a function", p.files.Position(a.pos), word)
		}
	}
	if len(c.requires) > 0 && len(c.ensures) == 0 {
		return c, fmt.Errorf("%s asks something, and promises nothing", f)
	}
	return c, nil
}

// invariantsAt returns the invariants right above a loop.
func (p *program) invariantsAt(pos token.Pos) ([]annotation, error) {
	at := p.files.Position(pos)
	var all []annotation
	for _, file := range p.syntax {
		if p.name(file) != at.Filename {
			continue
		}
		for _, group := range file.Comments {
			if p.files.Position(group.End()).Line != at.Line-1 {
				continue
			}
			for _, c := range group.List {
				word, a, err := p.annotationOf(c)
				if err != nil {
					return nil, err
				}
				if word == keeps {
					all = append(all, a)
				} else if word != "" {
					return nil, fmt.Errorf("%s: %q is no word of a loop", p.files.Position(c.Pos()), word)
				}
			}
		}
	}
	return all, nil
}

// name returns the name of the function, with its package unless it is a property.
func (c contract) name() string {
	if c.property || c.function.Pkg.Pkg.Path() == propertyPath {
		return c.function.Name()
	}
	return strings.ReplaceAll(c.function.RelString(nil), module+"/", "")
}
