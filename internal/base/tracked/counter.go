// SPDX-License-Identifier: Apache-2.0

package tracked

import "github.com/kplan-go/kplan/internal/base/paged"

// A Counter counts objects by a text. The zero Counter is empty. Copy it with [Counter.Clone]: an
// assignment shares memory with the original.
type Counter struct {
	counts paged.List[count] // one for each text with a count
	byText paged.Index
}

type count struct {
	text string
	n    int32
}

func (c *Counter) text(i int) string { return c.counts.At(i).text }

// Of returns how many objects have a text.
func (c *Counter) Of(text string) int32 {
	if i := c.byText.Find(text, c.text); i >= 0 {
		return c.counts.At(i).n
	}
	return 0
}

// Add adds n, which may be negative, to the count of a text.
func (c *Counter) Add(text string, n int32) {
	i := c.byText.Find(text, c.text)
	if i < 0 {
		i = c.counts.Len()
		c.counts.Append(count{text: text})
		c.byText.Add(i, c.text)
	}
	v := c.counts.Ref(i)
	if v.n += n; v.n == 0 {
		c.forget(i)
	}
}

// forget removes a text with the count 0. The last entry takes its place.
func (c *Counter) forget(i int) {
	c.byText.Remove(i, c.text)
	if last := c.counts.Len() - 1; i != last {
		c.byText.Move(last, i, c.text)
		c.counts.Set(i, c.counts.At(last))
	}
	c.counts.Drop()
}

// Texts returns all texts with a count other than 0, in any order.
func (c *Counter) Texts() []string {
	texts := make([]string, c.counts.Len())
	for i := range texts {
		texts[i] = c.text(i)
	}
	return texts
}

// Clone returns an independent copy.
func (c *Counter) Clone() Counter { return Counter{c.counts.Clone(), c.byText.Clone()} }
