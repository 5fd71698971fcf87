// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// bubble is a testing.TB of a synctest bubble for rapid, which asks a *testing.T
// for a deadline that bubbles do not have.
type bubble struct{ testing.TB }

// Errorf turns rapid's hint on how to repeat a case into a command.
func (b bubble) Errorf(format string, args ...any) {
	b.Helper()
	text := strings.Replace(fmt.Sprintf(format, args...), "To reproduce, specify ", "To repeat it: cd internal/verify/conformance && go test . ", 1)
	b.TB.Errorf("%s", orSeed.ReplaceAllString(text, " # or $1"))
}

var orSeed = regexp.MustCompile(` \(or (-rapid\.seed=\d+)\)`)

// inBubble runs f where time stands still, at a time that is not a whole second.
func inBubble(t *testing.T, f func(t bubble, now time.Time)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(123_456_789 * time.Nanosecond)
		f(bubble{t}, time.Now())
	})
}
