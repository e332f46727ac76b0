// gorgonia.org/tensor under the runner's protocol.
//
// ReadNpy makes a dense tensor in C order. It does not tell the type that the file had: its int is the file's i8.
package main

import (
	"errors"
	"os"
	"strings"

	_ "go4.org/unsafe/assume-no-moving-gc" // its versions before 2023 refuse to run on a newer Go
	"gorgonia.org/tensor"
	"safenpy.test/adapter"
)

// beyond is what the library says of a type or order that it does not read.
var beyond = []string{"Unsupported Dtype conversion", "Cannot yet read from Fortran Ordered"}

func read(path string) adapter.Answer {
	file, err := os.Open(path)
	if err != nil {
		return adapter.Reject(err)
	}
	defer file.Close()
	dense := new(tensor.Dense)
	if err := dense.ReadNpy(file); err != nil {
		if isBeyond(err) || adapter.HasRecord(path) {
			return adapter.Unsupported(err)
		}
		return adapter.Reject(err)
	}
	answer := adapter.Accept(dense.Shape())
	answer["itemsize"] = int(dense.Dtype().Size())
	answer["elements_sha256"] = adapter.Digest(elements(dense), 1, nil, false)
	return answer
}

// elements gives a tensor's numbers. The library's accessor panics for a tensor that has none, which says nothing
// of how the file was read.
func elements(dense *tensor.Dense) []byte {
	if dense.Shape().TotalSize() == 0 {
		return nil
	}
	return adapter.LittleEndian(dense.Data())
}

func isBeyond(err error) bool {
	for _, start := range beyond {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

func write(request *adapter.Request, path string) error {
	if request.FortranOrder || request.Other("1.0") {
		return adapter.UnsupportedError("writes version 1.0 in C order only")
	}
	if request.Descr[0] == '>' {
		return adapter.UnsupportedError("writes little-endian only")
	}
	numbers := backing(request)
	if numbers == nil {
		return adapter.UnsupportedError("no tensor of that type")
	}
	if len(request.Elements) == 0 {
		return adapter.UnsupportedError("no tensor without elements")
	}
	options := []tensor.ConsOpt{tensor.WithShape(request.Shape...), tensor.WithBacking(numbers)}
	dense := tensor.New(options...)
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(dense.WriteNpy(file), file.Close())
}

// backing is the slice that a tensor of the request's type is made of.
func backing(request *adapter.Request) any {
	switch request.Descr[1:] {
	case "b1":
		return adapter.Numbers[bool](request.Elements)
	case "i1":
		return adapter.Numbers[int8](request.Elements)
	case "i2":
		return adapter.Numbers[int16](request.Elements)
	case "i4":
		return adapter.Numbers[int32](request.Elements)
	case "i8":
		return adapter.Numbers[int64](request.Elements)
	case "u1":
		return adapter.Numbers[uint8](request.Elements)
	case "u2":
		return adapter.Numbers[uint16](request.Elements)
	case "u4":
		return adapter.Numbers[uint32](request.Elements)
	case "u8":
		return adapter.Numbers[uint64](request.Elements)
	case "f4":
		return adapter.Numbers[float32](request.Elements)
	case "f8":
		return adapter.Numbers[float64](request.Elements)
	case "c8":
		return adapter.Numbers[complex64](request.Elements)
	case "c16":
		return adapter.Numbers[complex128](request.Elements)
	}
	return nil
}

func main() {
	adapter.Serve("gorgonia-tensor", "0.9.24", read, write)
}
