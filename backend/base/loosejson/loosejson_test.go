package loosejson

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestValuesWithOneMeaningAreAcceptedInOtherTypes(t *testing.T) {
	type fields struct {
		Args  Strings
		Env   StringMap
		List  StringsOrNone
		Map   StringMapOrNone
		Limit Number
		Only  Bool
	}
	for text, want := range map[string]fields{
		`{"args":[1,"a",true,2.50,null,{},[]]}`: {Args: Strings{"1", "a", "true", "2.50"}},
		`{"args":[]}`:                           {Args: Strings{}},
		`{"list":"x","map":"y"}`:                {},
		`{"list":["x",1],"map":{"A":true}}`: {
			List: StringsOrNone{"x", "1"}, Map: StringMapOrNone{"A": "true"},
		},
		`{"args":null,"env":null,"limit":null,"only":null}`:        {},
		`{"env":{"PORT":3000,"A":"b","ON":false,"N":null,"L":[]}}`: {Env: StringMap{"PORT": "3000", "A": "b", "ON": "false"}},
		`{"limit":"3","only":"true"}`:                              {Limit: 3, Only: true},
		`{"limit":2.5,"only":true}`:                                {Limit: 2.5, Only: true},
		`{"limit":" 7 ","only":"false"}`:                           {Limit: 7},
		`{"limit":"","only":""}`:                                   {},
		`{"args":["\"quoted\""],"env":{"TEXT":"{\"a\":1}","NULL":"null"}}`: {
			Args: Strings{`"quoted"`}, Env: StringMap{"TEXT": `{"a":1}`, "NULL": "null"},
		},
	} {
		var got fields
		if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s decodes to %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestValuesWithoutAMeaningAreErrorsThatNameTheField(t *testing.T) {
	for text, field := range map[string]string{
		`{"limit":"many"}`: "limit", `{"limit":true}`: "", `{"limit":"NaN"}`: "limit", `{"only":"yes"}`: "only", `{"only":1}`: "",
		`{"args":"x"}`: "args", `{"env":[1]}`: "env",
	} {
		var got struct {
			Limit Number    `json:"limit"`
			Only  Bool      `json:"only"`
			Args  Strings   `json:"args"`
			Env   StringMap `json:"env"`
		}
		err := json.Unmarshal([]byte(text), &got)
		wrong, ok := err.(*json.UnmarshalTypeError)
		if !ok || field != "" && wrong.Field != field {
			t.Errorf("%s gives the error %v, want one about %s", text, err, field)
		}
	}
}
