// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A loop is a natural loop of a function, with the invariants above it.
type loop struct {
	header     *ssa.BasicBlock
	blocks     map[*ssa.BasicBlock]bool
	pos        token.Pos
	invariants []annotation // they hold whenever the loop begins another round
}

// loopsOf finds the loops of a function, and the statement of each.
func (p *program) loopsOf(fn *ssa.Function) ([]*loop, error) {
	if old, ok := p.loops[fn]; ok {
		return old, nil
	}
	var all []*loop
	for _, b := range fn.Blocks {
		var ends []*ssa.BasicBlock
		for _, p := range b.Preds {
			if b.Dominates(p) {
				ends = append(ends, p)
			}
		}
		if len(ends) > 0 {
			all = append(all, &loop{header: b, blocks: natural(b, ends)})
		}
	}
	var statements []ast.Stmt
	if fn.Syntax() != nil {
		ast.Inspect(fn.Syntax(), func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return n == fn.Syntax()
			case *ast.ForStmt, *ast.RangeStmt:
				statements = append(statements, n.(ast.Stmt))
			}
			return true
		})
	}
	if len(statements) != len(all) {
		return nil, fmt.Errorf("%s has %d loops, but %d statements that loop", fn, len(all), len(statements))
	}
	for i, l := range all {
		l.pos = statements[i].Pos()
		if _, ok := statements[i].(*ast.RangeStmt); !ok {
			return nil, fmt.Errorf("%s: a loop that is no range over a slice may not end", p.files.Position(l.pos))
		}
		var err error
		if l.invariants, err = p.invariantsAt(l.pos); err != nil {
			return nil, err
		}
	}
	p.loops[fn] = all
	return all, nil
}

func natural(header *ssa.BasicBlock, ends []*ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	blocks := map[*ssa.BasicBlock]bool{header: true}
	for len(ends) > 0 {
		b := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		if !blocks[b] {
			blocks[b] = true
			ends = append(ends, b.Preds...)
		}
	}
	return blocks
}

// rangeIndex is the name of the index of a range.
const rangeIndex = "rangeindex"
