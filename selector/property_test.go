package selector_test

import (
	"math/rand/v2"

	"pgregory.net/rapid"
)

// source turns a seed drawn by rapid into the random source of this package's
// generators.
func source(t *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) }
