//go:build unix

package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
)

// key names a mutant: the changed token, counted within its file, and what it is
// now. Gremlins prints a file anew when it changes it, so places say nothing.
func key(file string, index int, to string) string {
	return fmt.Sprintf("%s %d %s", file, index, to)
}

// lex returns the tokens of a file with their offsets. Semicolons depend on line
// breaks and are left out.
func lex(text []byte) (offsets []int, tokens []string) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, func(token.Position, string) {}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return offsets, tokens
		}
		if tok == token.SEMICOLON {
			continue
		}
		if !tok.IsLiteral() {
			lit = tok.String()
		}
		offsets, tokens = append(offsets, file.Offset(pos)), append(tokens, lit)
	}
}

// tokens gives the index of the token at an offset.
func tokens(text []byte) map[int]int {
	offsets, _ := lex(text)
	index := map[int]int{}
	for i, o := range offsets {
		index[o] = i
	}
	return index
}

// mutated returns the key of the one token that differs between two folders, or
// nothing if there is not just one.
func mutated(original, mutant string) (string, error) {
	names, err := sources(original)
	if err != nil {
		return "", err
	}
	var keys []string
	for _, name := range names {
		a, err := os.ReadFile(filepath.Join(original, name))
		if err != nil {
			return "", err
		}
		b, err := os.ReadFile(filepath.Join(mutant, name))
		if err != nil {
			return "", err
		}
		if bytes.Equal(a, b) {
			continue
		}
		_, was := lex(a)
		_, is := lex(b)
		if len(was) != len(is) {
			return "", nil
		}
		for i := range was {
			if was[i] != is[i] {
				keys = append(keys, key(name, i, is[i]))
			}
		}
	}
	if len(keys) != 1 {
		return "", nil
	}
	return keys[0], nil
}
