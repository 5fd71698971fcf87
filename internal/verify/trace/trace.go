// SPDX-License-Identifier: Apache-2.0

// Package trace runs files of commands with their expected output, like a recorded session:
//
//	# A comment, before a command.
//	scale web to=3 (a value may be a list: pods=(a,b))
//	input, any number of lines
//	----
//	the output
//
// A blank line ends the output. Output that contains blank lines has two lines of "----" before and
// after it. An output line that is "----" itself is written with a leading backslash. With
// KPLAN_REWRITE=1 in the environment the files are rewritten with the actual output.
package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that lets tests rewrite the files.
const Variable = "KPLAN_REWRITE"

// A Command is one command of a file.
type Command struct {
	Name       string
	Positional []string            // arguments without "="
	Args       map[string][]string // values of key=value and key=(value,value), nil if there are none
	Input      string              // the lines between the command and "----", each with its newline
	Pos        string              // file:line
}

// A block is a command with the text around it.
type block struct {
	Command
	head string // comments, command and input, as in the file
	want string // the expected output
}

const rule = "----"

// Lines of output that need, or have, a leading backslash.
var (
	ruleLine    = regexp.MustCompile(`(?m)^\\*----$`)
	escapedLine = regexp.MustCompile(`(?m)^\\(\\*----)$`)
)

// Run runs each file that matches glob as a subtest: it calls eval for each command and compares
// the result with the expected output. A newline is added to output without one. It is an error if
// no file matches.
func Run(t *testing.T, glob string, eval func(t *testing.T, cmd Command) string) {
	t.Helper()
	names, err := filepath.Glob(glob)
	if err != nil || len(names) == 0 {
		t.Fatalf("no file matches %s (%v)", glob, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rewritten, failures := Replay(filepath.Base(name), string(text), func(cmd Command) string { return eval(t, cmd) })
			if os.Getenv(Variable) == "1" {
				if err := os.WriteFile(name, []byte(rewritten), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, f := range failures {
				t.Error(f)
			}
		})
	}
}

// Replay returns a file with the output of eval, and the differences from the file's output. The
// name of the file is for messages.
func Replay(name, text string, eval func(cmd Command) string) (rewritten string, failures []string) {
	blocks, tail, err := parse(name, text)
	if err != nil {
		return text, []string{err.Error()}
	}
	var out strings.Builder
	for _, b := range blocks {
		got := eval(b.Command)
		if got != "" && !strings.HasSuffix(got, "\n") {
			got += "\n"
		}
		if got != b.want {
			failures = append(failures, fmt.Sprintf("%s: %s\nwant:\n%s\ngot:\n%s", b.Pos, b.Name, b.want, got))
		}
		out.WriteString(b.head + format(got))
	}
	return out.String() + tail, failures
}

// format returns the output as in a file, with the blank line after it.
func format(output string) string {
	output = ruleLine.ReplaceAllString(output, `\$0`)
	if strings.Contains("\n"+output, "\n\n") {
		return rule + "\n" + rule + "\n" + output + rule + "\n" + rule + "\n\n"
	}
	return rule + "\n" + output + "\n"
}

// parse splits a file into blocks and the comments after the last one.
func parse(name, text string) (blocks []block, tail string, err error) {
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); {
		start := i
		for i < len(lines) && isComment(lines[i]) {
			i++
		}
		if i == len(lines) {
			return blocks, strings.Join(lines[start:], ""), nil
		}
		b := block{Command: Command{Pos: fmt.Sprintf("%s:%d", name, i+1)}}
		if err := b.parseLine(lines[i]); err != nil {
			return nil, "", fmt.Errorf("%s: %w", b.Pos, err)
		}
		end := slices.Index(lines[i:], rule+"\n")
		if end <= 0 {
			return nil, "", fmt.Errorf("%s: want a command and %s", b.Pos, rule)
		}
		b.Input = strings.Join(lines[i+1:i+end], "")
		b.head = strings.Join(lines[start:i+end], "")
		n := 0
		if b.want, n, err = expected(lines[i+end+1:]); err != nil {
			return nil, "", fmt.Errorf("%s: %w", b.Pos, err)
		}
		b.want = escapedLine.ReplaceAllString(b.want, "$1")
		blocks, i = append(blocks, b), i+end+1+n
	}
	return blocks, "", nil
}

func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// expected returns the expected output at the start of lines, and its number of lines.
func expected(lines []string) (want string, n int, err error) {
	if lines[0] != rule+"\n" {
		n = len(lines)
		if blank := slices.Index(lines, "\n"); blank >= 0 {
			n = blank + 1
		}
		want = strings.TrimSuffix(strings.Join(lines[:n], ""), "\n")
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		return want, n, nil
	}
	for n = 1; n+1 < len(lines); n++ {
		if lines[n] == rule+"\n" && strings.TrimSuffix(lines[n+1], "\n") == rule {
			want, n = strings.Join(lines[1:n], ""), n+2
			if n < len(lines) && lines[n] == "\n" {
				n++
			}
			return want, n, nil
		}
	}
	return "", 0, fmt.Errorf("no two lines of %s behind the output", rule)
}

// Lines returns the command, and one command for each line of its input. Comments and blank lines
// are skipped.
func (c Command) Lines() ([]Command, error) {
	first := c
	first.Input = ""
	commands := []Command{first}
	for line := range strings.Lines(c.Input) {
		if isComment(line) {
			continue
		}
		next := Command{Pos: c.Pos}
		if err := next.parseLine(line); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Pos, err)
		}
		commands = append(commands, next)
	}
	return commands, nil
}

// parseLine reads the name and the arguments.
func (c *Command) parseLine(line string) error {
	words, err := split(line)
	if err != nil {
		return err
	}
	c.Name = words[0]
	for _, word := range words[1:] {
		key, value, isPair := strings.Cut(word, "=")
		if !isPair {
			c.Positional = append(c.Positional, word)
			continue
		}
		if c.Args == nil {
			c.Args = map[string][]string{}
		}
		values := []string{value}
		if inner, ok := strings.CutPrefix(value, "("); ok {
			values = strings.Split(strings.TrimSuffix(inner, ")"), ",")
			for i := range values {
				values[i] = strings.TrimSpace(values[i])
			}
		}
		c.Args[key] = append(c.Args[key], values...)
	}
	return nil
}

// split splits a line at blanks outside parentheses.
func split(line string) (words []string, err error) {
	word, depth := "", 0
	for _, r := range line + " " {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		}
		if depth < 0 {
			return nil, fmt.Errorf("a parenthesis is closed that is not open")
		}
		if depth > 0 || !strings.ContainsRune(" \t\r\n", r) {
			word += string(r)
			continue
		}
		if word != "" {
			words = append(words, word)
		}
		word = ""
	}
	if depth > 0 {
		return nil, fmt.Errorf("a parenthesis is not closed")
	}
	return words, nil
}
