// npyio under the runner's protocol.
//
// The library's header reader tells the type, and TypeFrom the type of Go for it. Numbers and bool are read into a
// slice of that type, which gives them in the order of the file. Strings and objects, which its documentation
// does not name and its Array reads, are read into an Array.
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
	"safenpy.test/adapter"
)

func read(path string) adapter.Answer {
	file, err := os.Open(path)
	if err != nil {
		return adapter.Reject(err)
	}
	defer file.Close()
	reader, err := npy.NewReader(file)
	if err != nil {
		if adapter.HasRecord(path) {
			return adapter.Unsupported(err)
		}
		return adapter.Reject(err)
	}
	return array(reader)
}

// readArchive reads every member. The library reads a member as an NPY file, whatever it is.
func readArchive(path string) adapter.Answer {
	archive, err := npz.Open(path)
	if err != nil {
		return adapter.Reject(err)
	}
	defer archive.Close()
	members := []adapter.Answer{}
	for _, key := range archive.Keys() {
		answer := member(archive, key)
		if answer["verdict"] != "accept" {
			return answer
		}
		delete(answer, "verdict")
		members = append(members, adapter.Answer{"key": strings.TrimSuffix(key, ".npy"), "array": answer})
	}
	return adapter.Answer{"verdict": "accept", "members": members}
}

func member(archive *npz.Reader, key string) adapter.Answer {
	file, err := archive.Open(key)
	if err != nil {
		return adapter.Reject(err)
	}
	defer file.Close()
	reader, err := npy.NewReader(file)
	if err != nil {
		return adapter.Reject(err)
	}
	return array(reader)
}

func array(reader *npy.Reader) adapter.Answer {
	var err error
	descr := reader.Header.Descr
	kind := npy.TypeFrom(descr.Type)
	if kind == nil {
		return adapter.Unsupported(fmt.Errorf("no type of Go for %q", descr.Type))
	}
	answer := adapter.Accept(descr.Shape)
	answer["version"] = fmt.Sprintf("%d.%d", reader.Header.Major, reader.Header.Minor)
	if strings.ContainsAny(descr.Type[:1], "<>|=") {
		answer["descr"] = descr.Type // a name like float64, which the library takes too, is no descr
	}
	answer["fortran_order"] = descr.Fortran
	var elements []byte
	size := 0
	switch kind.Kind() {
	case reflect.String:
		elements, size, err = texts(reader)
	case reflect.Interface:
		return objects(reader, answer)
	default:
		size = int(kind.Size())
		slice := reflect.New(reflect.SliceOf(kind))
		if err = reader.Read(slice.Interface()); err == nil {
			elements = adapter.LittleEndian(slice.Elem().Interface())
		}
	}
	if err != nil {
		return adapter.Reject(err)
	}
	answer["elements_sha256"] = adapter.Digest(elements, size, descr.Shape, descr.Fortran)
	return answer
}

// texts gives the bytes of strings as the file would have them.
func texts(reader *npy.Reader) ([]byte, int, error) {
	var array npy.Array
	if err := reader.Read(&array); err != nil {
		return nil, 0, err
	}
	found, ok := array.Data().([]string)
	if !ok {
		found = []string{array.Data().(string)}
	}
	kind, length := stringType(reader.Header.Descr.Type)
	size := length
	if kind == 'U' {
		size = 4 * length
	}
	var elements []byte
	for _, one := range found {
		bytes := []byte(one)
		if kind == 'U' {
			bytes = nil
			for _, r := range one {
				bytes = binary.LittleEndian.AppendUint32(bytes, uint32(r))
			}
		}
		for len(bytes) < size {
			bytes = append(bytes, 0)
		}
		elements = append(elements, bytes...)
	}
	return elements, size, nil
}

// stringType takes `<U5` or `|S5` apart, which TypeFrom has found to be one of these.
func stringType(descr string) (byte, int) {
	for i := range descr {
		if descr[i] == 'U' || descr[i] == 'S' || descr[i] == 'a' {
			length, _ := strconv.Atoi(descr[i+1:])
			return descr[i], length
		}
	}
	return 0, 0
}

func objects(reader *npy.Reader, answer adapter.Answer) adapter.Answer {
	var array npy.Array
	if err := reader.Read(&array); err != nil {
		return adapter.Reject(err)
	}
	for key, value := range adapter.Accept(array.Shape()) {
		answer[key] = value
	}
	return answer
}

// largest is how many bytes an array of arrays may have, the empty ones counted as if they had one element.
const largest = 1 << 28

func write(request *adapter.Request, path string) error {
	if request.FortranOrder || request.Other("2.0") {
		return adapter.UnsupportedError("writes version 2.0 in C order only")
	}
	if request.Descr[0] == '>' {
		return adapter.UnsupportedError("writes little-endian only")
	}
	kind := npy.TypeFrom(request.Descr)
	if kind == nil || kind.Kind() == reflect.String || kind.Kind() == reflect.Interface {
		return adapter.UnsupportedError("writes numbers only")
	}
	size := kind.Size()
	for _, dimension := range request.Shape {
		if size *= max(uintptr(dimension), 1); dimension > largest || size > largest {
			return adapter.UnsupportedError("no array of Go is that large")
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(npy.Write(file, value(kind, request)), file.Close())
}

// value is what the library writes with the request's shape: a number, a slice, or an array of arrays.
func value(kind reflect.Type, request *adapter.Request) any {
	count := len(request.Elements) / int(kind.Size())
	slice := reflect.MakeSlice(reflect.SliceOf(kind), count, count)
	if _, err := binary.Decode(request.Elements, binary.LittleEndian, slice.Interface()); err != nil {
		panic(err)
	}
	switch len(request.Shape) {
	case 0:
		return slice.Index(0).Interface()
	case 1:
		return slice.Interface()
	}
	of := kind
	for axis := len(request.Shape) - 1; axis >= 0; axis-- {
		of = reflect.ArrayOf(request.Shape[axis], of)
	}
	array := reflect.New(of)
	if count > 0 {
		if _, err := binary.Decode(request.Elements, binary.LittleEndian, array.Interface()); err != nil {
			panic(err)
		}
	}
	return array.Elem().Interface()
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "npz" {
		adapter.Serve("npyio", "0.9.0", readArchive, nil)
	} else {
		adapter.Serve("npyio", "0.9.0", read, write)
	}
}
