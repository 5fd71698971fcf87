// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"os/exec"
	"strings"
	"time"
)

// An answer is the answer of a solver to a question.
type answer string

const (
	unsatisfiable answer = "unsat" // so the goal is proved
	satisfiable   answer = "sat"
	unknown       answer = "unknown"
)

// A solver is a program that reads SMT-LIB.
type solver struct {
	name    string
	command []string
	// version prints its version.
	version []string
}

// Both are packages of Debian. The limit of a question is counted in steps, not in seconds,
// so that the answer is the same on a busy machine.
var solvers = []solver{
	{"z3", []string{"z3", "-in", "rlimit=4000000", "-t:120000"}, []string{"z3", "--version"}},
	{"cvc5", []string{"cvc5", "--incremental", "--lang=smt2", "--rlimit-per=1000000", "--tlimit-per=240000", "--produce-models"}, []string{"cvc5", "--version"}},
}

// A session is a running solver.
type session struct {
	solver
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func (s solver) start() (*session, error) {
	c := exec.Command(s.command[0], s.command[1:]...)
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("%w: install the Debian packages z3 and cvc5", err)
	}
	r := &session{s, c, in, bufio.NewReader(out)}
	return r, r.send("(set-option :produce-models true)\n(set-logic ALL)\n")
}

func (s *session) send(text string) error {
	_, err := io.WriteString(s.in, text)
	return err
}

// ask reads the answer to whether the terms sent can be true. A solver may give up earlier,
// while it reads the question, so that nothing counts before its answer has ended.
func (s *session) ask() (answer, error) {
	const end = "answered"
	if err := s.send("(check-sat)\n(echo \"" + end + "\")\n"); err != nil {
		return "", err
	}
	found, gaveUp, problem := answer(""), false, ""
	for {
		line, err := s.out.ReadString('\n')
		switch a := answer(strings.TrimSpace(line)); {
		case err != nil:
			return "", err
		case strings.Trim(string(a), `"`) == end:
			switch {
			case gaveUp:
				return unknown, s.again()
			case problem != "" || found == "":
				return "", fmt.Errorf("%s: no answer: %s", s.name, problem)
			}
			return found, nil
		case a == unsatisfiable || a == satisfiable || a == unknown:
			found = a
		case strings.Contains(line, "timeout") || strings.Contains(line, "interrupted") || strings.Contains(line, "resource limit") || strings.Contains(line, "canceled"):
			gaveUp = true
		default:
			problem += line
		}
	}
}

// again restarts the solver within the question that it has given up: a solver at its limit
// answers nothing any more, and may not have read the whole question.
func (s *session) again() error {
	s.close()
	fresh, err := s.solver.start()
	if err != nil {
		return err
	}
	*s = *fresh
	return s.send("(push 1)\n")
}

// numbers reads the values of terms in the model; truth values are 0 and 1.
func (s *session) numbers(terms []string) ([]*big.Int, error) {
	var values []*big.Int
	if err := s.send("(get-value (" + strings.Join(terms, "))\n(get-value (") + "))\n"); err != nil {
		return nil, err
	}
	for _, t := range terms {
		line, err := s.out.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		text := strings.TrimSuffix(strings.TrimPrefix(line, "(("+t+" "), "))")
		n, err := number(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", s.name, line, err)
		}
		values = append(values, n)
	}
	return values, nil
}

func number(text string) (*big.Int, error) {
	switch text {
	case "true":
		return big.NewInt(1), nil
	case "false":
		return big.NewInt(0), nil
	}
	digits := strings.TrimSuffix(strings.TrimPrefix(text, "(- "), ")")
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return nil, fmt.Errorf("%q is no number", text)
	}
	if digits != text {
		n.Neg(n)
	}
	return n, nil
}

// close ends the solver, and returns its computing time, which does not depend on other
// load.
func (s *session) close() time.Duration {
	s.in.Close()
	if s.command.ProcessState == nil {
		s.command.Process.Kill()
		s.command.Wait()
	}
	return s.command.ProcessState.UserTime() + s.command.ProcessState.SystemTime()
}
