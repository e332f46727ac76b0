package adapter

import (
	"bytes"
	"math"
	"testing"
)

func TestFortranOrderIsPutInCOrderAndBack(t *testing.T) {
	columns, rows := []byte{0, 3, 1, 4, 2, 5}, []byte{0, 1, 2, 3, 4, 5}
	if got := Transposed(columns, 1, []int{2, 3}); !bytes.Equal(got, rows) {
		t.Error(got)
	}
	if got := Transposed(rows, 1, []int{3, 2}); !bytes.Equal(got, columns) {
		t.Error(got)
	}
	if got := Transposed([]byte{7, 8}, 2, nil); !bytes.Equal(got, []byte{7, 8}) {
		t.Error(got)
	}
}

func TestAWrongNumberOfElementsIsNotPutInOrder(t *testing.T) {
	if Digest([]byte{1, 2, 3}, 1, []int{2, 2}, true) != Digest([]byte{1, 2, 3}, 1, nil, false) {
		t.Error("put in order")
	}
	if _, ok := size([]int{1 << 40, 1 << 40}, 1); ok {
		t.Error("no overflow")
	}
}

func TestNumbersAreLittleEndian(t *testing.T) {
	if got := LittleEndian([]int{-2}); !bytes.Equal(got, []byte{0xfe, 255, 255, 255, 255, 255, 255, 255}) {
		t.Error(got)
	}
	if got := LittleEndian(uint16(0x0102)); !bytes.Equal(got, []byte{2, 1}) {
		t.Error(got)
	}
	if got := Numbers[uint16]([]byte{2, 1}); len(got) != 1 || got[0] != 0x0102 {
		t.Error(got)
	}
}

func TestASignallingNaNKeepsItsBits(t *testing.T) {
	bits := []byte{1, 0, 0x80, 0x7f, 2, 0, 0xa0, 0xff}
	if got := LittleEndian(Numbers[complex64](bits)); !bytes.Equal(got, bits) {
		t.Errorf("% x", got)
	}
	if got := LittleEndian(Numbers[float32](bits)); !bytes.Equal(got, bits) {
		t.Errorf("% x", got)
	}
	if got := LittleEndian(complex(math.Float64frombits(0x7ff0000000000001), 0)); got[0] != 1 || got[6] != 0xf0 {
		t.Errorf("% x", got)
	}
}
