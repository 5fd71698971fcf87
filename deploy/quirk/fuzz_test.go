// SPDX-License-Identifier: Apache-2.0

package quirk_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
)

// FuzzParse: what is read is written as it was read.
func FuzzParse(f *testing.F) {
	f.Add("CutNameInvalid,SumsWrapAround")
	f.Add("Everything")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := quirk.Parse(strings.Split(text, ",")...)
		if err != nil {
			if !errors.Is(err, kplan.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		if again, err := quirk.Parse(strings.Split(q.String(), ",")...); err != nil || again != q {
			t.Fatalf("%q: %v, then %v: %v", text, q, again, err)
		}
	})
}
