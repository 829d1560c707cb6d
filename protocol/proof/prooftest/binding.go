package prooftest

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/pakli/pakli/protocol/transcript"
)

// Binding fails if a public value of a relation's statement does not reach the first challenge, since a
// forger may then choose it last. It takes two statements of one type that differ in every value, puts
// each single value of b into a, and expects another challenge each time. Slices must have equal
// lengths; leaving out the last element must change the challenge too.
func Binding(t *testing.T, a, b transcript.Statement) {
	t.Helper()
	want, leaves := firstChallenge(a), 0
	visitLeaves(reflect.ValueOf(a), reflect.ValueOf(b), "", func(path string, set func(reflect.Value)) {
		leaves++
		changed := reflect.New(reflect.TypeOf(a)).Elem()
		set(changed)
		if firstChallenge(changed.Interface().(transcript.Statement)) == want {
			t.Errorf("%s: %s does not reach the challenge", a.Label(), path)
		}
	})
	if leaves == 0 {
		t.Errorf("%s: no value of it is public, so nothing is tried", a.Label())
	}
}

func firstChallenge(s transcript.Statement) [64]byte {
	at := place{suite: "s", rules: "r", kind: "k"}
	return transcript.New(at.context(), s).Challenge("first")
}

// visitLeaves visits every value in a that has no parts. It passes a function that sets a variable to a
// with this one value taken from b.
func visitLeaves(a, b reflect.Value, path string, visit func(string, func(reflect.Value))) {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !a.Type().Field(i).IsExported() {
				continue // not a public value
			}
			visitLeaves(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name, func(p string, set func(reflect.Value)) {
				visit(p, func(v reflect.Value) { v.Set(a); set(v.Field(i)) })
			})
		}
	case reflect.Slice, reflect.Array:
		for i := range a.Len() {
			visitLeaves(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i), func(p string, set func(reflect.Value)) {
				visit(p, func(v reflect.Value) { copyOf(v, a); set(v.Index(i)) })
			})
		}
		if a.Kind() == reflect.Slice {
			visit(path+" without its last", func(v reflect.Value) { v.Set(a.Slice(0, a.Len()-1)) })
		}
	default:
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			panic("prooftest: the two statements do not differ in " + path)
		}
		visit(path, func(v reflect.Value) { v.Set(b) })
	}
}

// copyOf sets v to a copy of the list a, so that a keeps its elements.
func copyOf(v, a reflect.Value) {
	if a.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(a.Type(), a.Len(), a.Len()))
	}
	reflect.Copy(v, a)
}
