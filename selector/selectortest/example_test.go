// SPDX-License-Identifier: Apache-2.0

package selectortest_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
	"github.com/kplan-go/kplan/selector/selectortest"
)

// Our own functions pass all checks, whatever is drawn.
func TestOurs(t *testing.T) {
	selectortest.Check(t, selectortest.Reader{})
	selectortest.CheckClaim(t, claim.Classify)
}

// A printer stands for the *testing.T of a test, and prints what it finds.
type printer struct{ testing.TB }

func (printer) Helper()             {}
func (printer) Logf(string, ...any) {}
func (printer) Failed() bool        { return false }
func (printer) Name() string        { return "Example" }
func (printer) Fatal(args ...any) {
	found, _, _ := strings.Cut(fmt.Sprint(args...), "from:")
	fmt.Print(found)
}

// In a test, t is its *testing.T, and the reader is yours.
func ExampleCheck() {
	t := printer{}
	matches := func(s selector.Selector, labels map[string]string) bool { return s.Matches(labels) }
	selectortest.Check(t, selectortest.Reader{Matches: matches})
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleProperty() {
	t := printer{}
	rapid.Check(t, selectortest.Property(selectortest.Reader{}, selectortest.Only("selector semantics")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleCheckClaim() {
	t := printer{}
	selectortest.CheckClaim(t, claim.Classify)
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleClaimProperty() {
	t := printer{}
	rapid.Check(t, selectortest.ClaimProperty(claim.Classify, selectortest.Except("claim settles")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleNames() {
	fmt.Println(selectortest.Names()[5:])
	// Output: [claim decision claim settles no stealing]
}
