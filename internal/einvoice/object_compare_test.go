package einvoice

import "testing"

func TestCompareObjects(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, object, entry string
		want                objectsRelation
	}{
		{"the same", `{"id":"1","a":{"b":[1,"x",true,null]}}`, `{"a":{"b":[1,"x",true,null]},"id":"1"}`, objectsEqual},
		{"spelled otherwise", `{"a":1,"b":"5","c":null,"d":"","e":true}`, `{"a":1.0,"b":5,"c":"","d":null,"e":"true"}`, objectsEqual},
		{"another text", `{"a":"x"}`, `{"a":"y"}`, objectsDiffer},
		{"texts of digits", `{"a":"01"}`, `{"a":"1"}`, objectsDiffer},
		{"another number", `{"a":1}`, `{"a":1.5}`, objectsDiffer},
		{"cleared", `{"a":null}`, `{"a":"x"}`, objectsDiffer},
		{"filled", `{"a":"x"}`, `{"a":null}`, objectsDiffer},
		{"zero is not nothing", `{"a":0}`, `{"a":null}`, objectsDiffer},
		{"another kind", `{"a":{}}`, `{"a":"x"}`, objectsDiffer},
		{"another list", `{"a":[1,2]}`, `{"a":[1]}`, objectsDiffer},
		{"another element", `{"a":[{"b":1}]}`, `{"a":[{"b":2}]}`, objectsDiffer},
		{"more than the object", `{"a":1}`, `{"a":1,"b":2}`, objectsDiffer},
		{"more, but empty", `{"a":1}`, `{"a":1,"b":null}`, objectsEqual},
		{"a member is missing", `{"a":1,"b":2}`, `{"a":1}`, objectsShorter},
		{"an empty member is missing", `{"a":1,"b":null}`, `{"a":1}`, objectsShorter},
		{"a member inside is missing", `{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, objectsShorter},
		{"a member of an element is missing", `{"a":[{"b":1,"c":2}]}`, `{"a":[{"b":1}]}`, objectsShorter},
		{"something else", `{"a":1}`, `[]`, objectsDiffer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := compareObjects([]byte(tt.object), []byte(tt.entry)); got != tt.want {
				t.Errorf("%s and %s: %d, want %d", tt.object, tt.entry, got, tt.want)
			}
		})
	}
}
