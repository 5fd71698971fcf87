// Package widen has operators where Go's coverage has no block. Those of a line
// marked "never" do not run in its test.
package widen

const (
	Limit = 2 + 3
	Mask  = 1<<4 - 1
)

func Size(n int) string {
	switch {
	case n < 0:
		return "none"
	case n < 10,
		n == 11:
		return "small"
	case n > 100:
		return "huge" + "!"
	case n < 1000: // never
		return "large" // never
	}
	return ""
}

func Default(n int) int {
	switch {
	default:
		return n + 1
	case n == 1:
		return n - 1
	case n == 2:
	}
	return n * 2
}

func Later(n int) int {
	switch n {
	case Limit + 1:
		n++ // never
		fallthrough
	case Limit + 2:
		return n * 2
	case Limit + 3: // never
		return n - 1 // never
	}
	return n
}

func Unused(n int) bool {
	switch { // never
	case n > 0: // never
		return n > 1 // never
	}
	return false
}

func apply(f func(int) bool, n int) bool { return f(n) }

func Literal(n int) bool {
	if apply(func(n int) bool { return n > 1 }, n+1) && n > 2 {
		return apply(func(n int) bool {
			return n > 3
		}, n) == (n > 4)
	}
	for i := 0; apply(func(n int) bool { return n < 1 }, i) && i < 2; i++ {
		n--
	}
	return n > 5 && apply(func(int) bool {
		return n < 6 // never
	}, n) && n > 7
}

func Fits(n int) bool {
	switch {
	case n > 1 && n < 0:
		return n == 3 // never
	case n > 2 && n < 0:
		return n == 4 // never
	}
	return n > 0
}
