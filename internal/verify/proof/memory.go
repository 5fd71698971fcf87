// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"strings"
	"sync"
)

// A memory caches the answers of solvers, so that a question that a change does not touch
// is asked once. A nil memory keeps nothing.
type memory struct {
	mutex sync.Mutex
	known map[[sha256.Size]byte]answer
}

func newMemory() *memory { return &memory{known: map[[sha256.Size]byte]answer{}} }

// asked returns the key of a question and the way in which it is asked.
func asked(how, text string) [sha256.Size]byte { return sha256.Sum256([]byte(how + "\n" + text)) }

// asks returns two keys: a proof is valid with any limits of the solver, another answer
// only with the same ones.
func (s *session) asks(text string) (anyhow, so [sha256.Size]byte) {
	return asked(s.name, text), asked(strings.Join(s.solver.command, " "), text)
}

func (m *memory) of(s *session, text string) (answer, bool) {
	if m == nil {
		return "", false
	}
	anyhow, so := s.asks(text)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if a, ok := m.known[anyhow]; ok {
		return a, true
	}
	a, ok := m.known[so]
	return a, ok
}

func (m *memory) keep(s *session, text string, a answer) {
	if m == nil {
		return
	}
	anyhow, so := s.asks(text)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if a == unsatisfiable {
		so = anyhow
	}
	m.known[so] = a
}
