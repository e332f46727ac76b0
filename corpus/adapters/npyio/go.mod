module safenpy.test/npyio

go 1.23

require (
	github.com/sbinet/npyio v0.9.0
	safenpy.test/adapter v0.0.0
)

require (
	github.com/nlpodyssey/gopickle v0.3.0 // indirect
	golang.org/x/text v0.14.0 // indirect
	gonum.org/v1/gonum v0.14.0 // indirect
)

replace safenpy.test/adapter => ../shared/go
