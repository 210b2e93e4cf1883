package normalize

// lookalikes maps Cyrillic, Greek, Armenian, Cherokee and other letters to the
// Latin letters that they look like in common fonts. Source: confusables.txt of
// Unicode Technical Standard 39, reduced to single letters that are alike without
// accents.
var lookalikes = lookalikesOf(
	"аa еe оo рp сc уy хx іi јj ѕs ԁd ԛq ԝw һh ҽe ӏl ԍg вb кk мm нh тt гr пn иu "+
		"АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS ԌG ԚQ ԜW ҮY Ӏl ѴV ѵv",
	"αa βb εe ηn ιi κk νv οo ρp τt υu χx γy ωw ϲc ϳj "+
		"ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC",
	"աw ցg հh յj ոn օo սu զq ԁd ՏS ՕO Լl",
	"ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᏒR ᏚS ᎢT ᏙV ᏔW ᏃZ",
	"ɑa ɡg ɩi ʟL ꓐB ꓑP ꓓD ꓔT ꓖG ꓗK ꓙJ ꓚC ꓜZ ꓝF ꓟM ꓠN ꓡL ꓢS ꓣR ꓦV ꓧH ꓪW ꓫX ꓬY ꓮA ꓰE ꓲI ꓳO ꓴU ıi ȷj",
)

func lookalikesOf(lists ...string) map[rune]rune {
	table := make(map[rune]rune)
	for _, list := range lists {
		var pair []rune
		for _, r := range list {
			if r == ' ' {
				continue
			}
			if pair = append(pair, r); len(pair) == 2 {
				table[pair[0]] = pair[1]
				pair = pair[:0]
			}
		}
	}
	return table
}
