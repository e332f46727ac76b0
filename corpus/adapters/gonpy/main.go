// gonpy under the runner's protocol.
//
// The library's header reader tells the type; the adapter calls the getter for it. Where there is none it calls
// another, whose error says that the reader does not hold its type. The getters give the elements in the order
// of the file.
package main

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/kshedden/gonpy"
	"safenpy.test/adapter"
)

func read(path string) adapter.Answer {
	file, err := os.Open(path)
	if err != nil {
		return adapter.Reject(err)
	}
	defer file.Close()
	reader, err := gonpy.NewReader(file)
	if err != nil {
		if adapter.HasRecord(path) {
			return adapter.Unsupported(err)
		}
		return adapter.Reject(err)
	}
	known, numbers, size, err := get(reader)
	if err != nil {
		if !known {
			return adapter.Unsupported(err)
		}
		return adapter.Reject(err)
	}
	order := "<"
	if reader.Endian == binary.BigEndian {
		order = ">"
	}
	answer := adapter.Accept(reader.Shape)
	answer["version"] = fmt.Sprintf("%d.0", reader.Version)
	answer["descr"] = order + reader.Dtype
	answer["fortran_order"] = reader.ColumnMajor
	answer["elements_sha256"] = adapter.Digest(adapter.LittleEndian(numbers), size, reader.Shape, reader.ColumnMajor)
	return answer
}

// get calls the getter for the reader's type, and says whether there is one.
func get(r *gonpy.NpyReader) (known bool, numbers any, size int, err error) {
	switch r.Dtype {
	case "i1":
		numbers, err = r.GetInt8()
		return true, numbers, 1, err
	case "i2":
		numbers, err = r.GetInt16()
		return true, numbers, 2, err
	case "i4":
		numbers, err = r.GetInt32()
		return true, numbers, 4, err
	case "i8":
		numbers, err = r.GetInt64()
		return true, numbers, 8, err
	case "u1":
		numbers, err = r.GetUint8()
		return true, numbers, 1, err
	case "u2":
		numbers, err = r.GetUint16()
		return true, numbers, 2, err
	case "u4":
		numbers, err = r.GetUint32()
		return true, numbers, 4, err
	case "u8":
		numbers, err = r.GetUint64()
		return true, numbers, 8, err
	case "f4":
		numbers, err = r.GetFloat32()
		return true, numbers, 4, err
	case "f8":
		numbers, err = r.GetFloat64()
		return true, numbers, 8, err
	case "c8":
		numbers, err = r.GetComplex64()
		return true, numbers, 8, err
	case "c16":
		numbers, err = r.GetComplex128()
		return true, numbers, 16, err
	}
	numbers, err = r.GetFloat64()
	return false, numbers, 8, err
}

func write(request *adapter.Request, path string) error {
	if request.Other("1.0") && request.Other("2.0") {
		return adapter.UnsupportedError("writes versions 1.0 and 2.0")
	}
	put, known := writers[request.Descr[1:]]
	if !known || (request.Descr[0] != '<' && request.Descr[0] != '>' && request.Descr[0] != '|') {
		return adapter.UnsupportedError("no writer of that type")
	}
	w, err := gonpy.NewFileWriter(path)
	if err != nil {
		return err
	}
	w.Shape = append([]int{}, request.Shape...)
	w.ColumnMajor = request.FortranOrder
	if request.Version != nil && *request.Version == "2.0" {
		w.Version = 2
	}
	if request.Descr[0] == '>' {
		w.Endian = binary.BigEndian
	}
	return put(w, request)
}

var writers = map[string]func(*gonpy.NpyWriter, *adapter.Request) error{
	"i1":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteInt8(ordered[int8](r)) },
	"i2":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteInt16(ordered[int16](r)) },
	"i4":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteInt32(ordered[int32](r)) },
	"i8":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteInt64(ordered[int64](r)) },
	"u1":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteUint8(ordered[uint8](r)) },
	"u2":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteUint16(ordered[uint16](r)) },
	"u4":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteUint32(ordered[uint32](r)) },
	"u8":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteUint64(ordered[uint64](r)) },
	"f4":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteFloat32(ordered[float32](r)) },
	"f8":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteFloat64(ordered[float64](r)) },
	"c8":  func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteComplex64(ordered[complex64](r)) },
	"c16": func(w *gonpy.NpyWriter, r *adapter.Request) error { return w.WriteComplex128(ordered[complex128](r)) },
}

// ordered gives the request's numbers in the order in which the library writes them: that of the file.
func ordered[T any](request *adapter.Request) []T {
	elements := request.Elements
	if request.FortranOrder {
		var one T
		elements = adapter.Transposed(elements, binary.Size(one), adapter.Reversed(request.Shape))
	}
	return adapter.Numbers[T](elements)
}

func main() {
	adapter.Serve("gonpy", "0.0.0-20210519231815-fa3c8dd8e59b", read, write)
}
