module example.com/widen

go 1.26
