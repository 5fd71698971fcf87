package widen

import "testing"

func Test(t *testing.T) {
	Size(-1)
	Size(5)
	Size(11)
	Size(200)
	for i := range 4 {
		Default(i)
		Literal(i)
	}
	Fits(2)
	Later(Limit + 2)
}
