// Package adapter is what the Go adapters share: the lines level of the protocol of corpus/RUNNER.md, and
// elements in C order, little-endian.
//
// A panic of the library under test is not recovered: the process dies, and the runner calls that a crash.
package adapter

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
)

// Answer is what the library said about a file: the keys of an answer of the protocol.
type Answer map[string]any

// Reject is the answer for a file that the library refuses.
func Reject(err error) Answer {
	return Answer{"verdict": "reject", "message": brief(err)}
}

// Unsupported is the answer for a file of which the library says, by its error or in its documentation, that
// it does not do this type or order.
func Unsupported(err error) Answer {
	return Answer{"verdict": "unsupported", "message": brief(err)}
}

// Request asks to write a file; Elements are in C order, little-endian.
type Request struct {
	Descr        string
	Shape        []int
	FortranOrder bool `json:"fortran_order"`
	Version      *string
	Elements     []byte `json:"elements_base64"`
}

// UnsupportedError is what a Writer returns for a request that is beyond the library.
type UnsupportedError string

func (e UnsupportedError) Error() string { return string(e) }

// Other tells whether the request asks for another version than this.
func (r *Request) Other(version string) bool {
	return r.Version != nil && *r.Version != version
}

// strangeBool tells whether the request asks for bytes of a bool that no bool of Go has.
func (r *Request) strangeBool() bool {
	for _, element := range r.Elements {
		if r.Descr == "|b1" && element > 1 {
			return true
		}
	}
	return false
}

// Reader hands a file to the library; Writer asks the library to write one.
type Reader func(path string) Answer
type Writer func(request *Request, path string) error

type command struct {
	Cmd     string
	Seq     json.RawMessage
	File    string
	Request *Request
}

// pending is the variable of the environment that holds a command for a process that starts anew.
const pending = "ADAPTER_PENDING"

// Serve answers the runner's lines until it says stop or closes the pipe.
func Serve(implementation, version string, read Reader, write Writer) {
	in := bufio.NewReader(io.MultiReader(strings.NewReader(os.Getenv(pending)), os.Stdin))
	os.Unsetenv(pending)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		startAnew(line)
		var c command
		if err := json.Unmarshal(line, &c); err != nil {
			panic(err)
		}
		var answer Answer
		switch c.Cmd {
		case "start":
			answer = Answer{"protocol": 1, "implementation": implementation, "version": version, "language": "Go"}
		case "read":
			answer = read(c.File)
		case "write":
			answer = written(write, &c)
		default:
			return
		}
		if c.Cmd != "start" {
			answer["seq"] = c.Seq
		}
		reply, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(append(reply, '\n'))
		debug.FreeOSMemory()
	}
}

// startAnew puts a fresh process in the place of one that a case has left with much memory, before the next case
// begins: Go clears memory that it uses again, and not what is new, so that what a case needs would depend on those
// in front of it. The command that has been read goes along.
func startAnew(line []byte) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if program, err := os.Executable(); err == nil && memory.HeapSys > 64<<20 {
		syscall.Exec(program, os.Args, append(os.Environ(), pending+"="+string(line)))
	}
}

func written(write Writer, c *command) Answer {
	if write == nil {
		return Answer{"unsupported": "the library does not write"}
	}
	if c.Request.strangeBool() {
		return Answer{"unsupported": "a bool is 0 or 1"}
	}
	err := write(c.Request, c.File)
	if err == nil {
		return Answer{"written": true}
	}
	if beyond, ok := err.(UnsupportedError); ok {
		return Answer{"unsupported": brief(beyond)}
	}
	return Answer{"error": brief(err)}
}

// brief is a message in one line, cut short: some quote a whole hostile header.
func brief(err error) string {
	line := []rune(strings.Join(strings.Fields(err.Error()), " "))
	return string(line[:min(len(line), 100)])
}

// Accept is the answer for an array that the library returned with this shape. Dimensions that the protocol
// cannot say, because they are negative, are given as 0, and as they are under x-shape.
func Accept(shape []int) Answer {
	answer := Answer{"verdict": "accept"}
	said := make([]int, len(shape))
	for axis, dimension := range shape {
		said[axis] = max(dimension, 0)
		if dimension < 0 {
			answer["x-shape"] = fmt.Sprint(shape)
		}
	}
	answer["shape"] = said
	return answer
}

// LittleEndian gives the bytes of a number or a slice of numbers. An int or uint has 64 bits. Floats are taken by
// their bits: a conversion on the way would make a signalling NaN a quiet one.
func LittleEndian(numbers any) []byte {
	value := reflect.ValueOf(numbers)
	if value.Kind() != reflect.Slice {
		value = reflect.Append(reflect.MakeSlice(reflect.SliceOf(value.Type()), 0, 1), value)
	}
	numbers = value.Interface()
	switch slice := numbers.(type) {
	case []int:
		numbers = each(slice, func(n int) int64 { return int64(n) })
	case []uint:
		numbers = each(slice, func(n uint) uint64 { return uint64(n) })
	case []float32:
		numbers = each(slice, math.Float32bits)
	case []float64:
		numbers = each(slice, math.Float64bits)
	case []complex64:
		numbers = each(slice, func(n complex64) [2]uint32 {
			return [2]uint32{math.Float32bits(real(n)), math.Float32bits(imag(n))}
		})
	case []complex128:
		numbers = each(slice, func(n complex128) [2]uint64 {
			return [2]uint64{math.Float64bits(real(n)), math.Float64bits(imag(n))}
		})
	}
	var out bytes.Buffer
	if err := binary.Write(&out, binary.LittleEndian, numbers); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func each[T, U any](slice []T, convert func(T) U) []U {
	out := make([]U, len(slice))
	for i, one := range slice {
		out[i] = convert(one)
	}
	return out
}

// Numbers gives the numbers of little-endian bytes, bit for bit.
func Numbers[T any](elements []byte) []T {
	var one T
	numbers := make([]T, len(elements)/binary.Size(one))
	switch slice := any(numbers).(type) {
	case []complex64:
		for i, n := range decoded[[2]uint32](elements) {
			slice[i] = complex(math.Float32frombits(n[0]), math.Float32frombits(n[1]))
		}
	case []complex128:
		for i, n := range decoded[[2]uint64](elements) {
			slice[i] = complex(math.Float64frombits(n[0]), math.Float64frombits(n[1]))
		}
	default:
		return decoded[T](elements)
	}
	return numbers
}

func decoded[T any](elements []byte) []T {
	var one T
	out := make([]T, len(elements)/binary.Size(one))
	if err := binary.Read(bytes.NewReader(elements), binary.LittleEndian, out); err != nil {
		panic(err)
	}
	return out
}

// Digest is the digest of elements that the library returned in the order of the file.
//
// If their number is not that of the shape the library returned something that cannot be put in order; the
// digest of what it returned is then as good as any other wrong one.
func Digest(elements []byte, itemsize int, shape []int, fortran bool) string {
	if size, ok := size(shape, itemsize); fortran && ok && size == len(elements) {
		elements = Transposed(elements, itemsize, shape)
	}
	sum := sha256.Sum256(elements)
	return hex.EncodeToString(sum[:])
}

func size(shape []int, itemsize int) (int, bool) {
	size := itemsize
	for _, dimension := range shape {
		if dimension < 0 || (dimension > 0 && size > int(^uint(0)>>1)/dimension) {
			return 0, false
		}
		size *= dimension
	}
	return size, true
}

// Transposed puts the elements of an array in Fortran order in C order. (With the shape reversed it does the
// opposite.)
func Transposed(elements []byte, itemsize int, shape []int) []byte {
	out := make([]byte, 0, len(elements))
	if len(elements) == 0 {
		return out
	}
	strides := make([]int, len(shape))
	stride := itemsize
	for axis, dimension := range shape {
		strides[axis] = stride
		stride *= dimension
	}
	index := make([]int, len(shape))
	for {
		at := 0
		for axis := range shape {
			at += index[axis] * strides[axis]
		}
		out = append(out, elements[at:at+itemsize]...)
		axis := len(shape) - 1
		for axis >= 0 && index[axis]+1 == shape[axis] {
			index[axis] = 0
			axis--
		}
		if axis < 0 {
			return out
		}
		index[axis]++
	}
}

// Reversed is a shape from the last axis to the first.
func Reversed(shape []int) []int {
	out := make([]int, len(shape))
	for axis, dimension := range shape {
		out[len(shape)-1-axis] = dimension
	}
	return out
}

var record = regexp.MustCompile(`descr['"]?\s*:\s*\[`)

// HasRecord tells whether the header's text gives a list (a record) as descr: asked only when a library whose
// documentation promises plain types alone has refused the file, so that a refusal is not called a fault.
func HasRecord(path string) bool {
	content, err := os.ReadFile(path)
	return err == nil && record.Match(content)
}
