package injection

// dataRules are the rules about orders to give away secrets and other data of the user.
var dataRules = []ruleSource{
	{SecretPath, 2, []string{
		"@takeverb|@readverb|contents|content|access|check|use|look_up|locate|query|view|open|list|find|print|show|display|parse|inspect ~10 @secretpath",
		"@secretpath ~8 @takeverb|@passverb|@sendverb|contents|content|included|attached|appended|passed|sent",
		"@passverb!|@setverb!|write|add|append|modify|point|set ~10 @secretpath",
		"@foreign ~6 @secretpath",
		"@secretpath ~4 with|via|through ~1 @foreign",
	}},
	{SecretNoun, 2, []string{
		"@handverb ~5 @personalword",
		"@personalword ~8 must|should|has_to|have_to|is_to|are_to|shall|customary|required ~6 @handedverb",
		"@secretword ~8 is_to|are_to|has_to|have_to|shall|must ~3 be ~1 " +
			"given|surrendered|handed|attached|furnished|submitted|delivered|quoted|read|collected|gathered",
		"@takeverb|@giveverb|let|list|submit|contain|contains|with ~4 every|all|any|each|the ~2 @secretword ~4 you|that|of ~4 " +
			"know|knows|have|has|user|user's|assistant|stored|wallet|accounts|services",
		"hand|hands|handing ~2 over ~5 @secretword|keys|tokens|credentials",
		"@takeverb!|@giveverb!|@sendverb!|gather|collect|extract|dump|harvest|obtain|retrieve ~5 @secretword|tokens|cookies ~10 " +
			"@param|argument|answer|response|field|it|them|call|reply|output|body|context|note & @strong|@before|@when|also|first",
		"@strong|@before|@when|also|always|first ~8 @grabverb ~3 @secretword",
		"@strong|@before|@when|also|always|first ~8 @takeverb ~1 all|any|every|user's|stored|saved|available|known ~3 @secretword",
		"@gatherverb! ~4 @secretword|credentials|tokens",
		"@attachverb! ~4 @secretword",
		"@secretword ~5 must|should|has_to|are_to|is_to|need_to ~2 be ~1 " +
			"collected|gathered|extracted|attached|appended|forwarded|reported|harvested|copied|uploaded|exported|shared",
		"@giveverb!|@attachverb!|@sendverb! ~3 user's|their|your|all ~2 @privateword & " +
			"@strong|@ident|@property|parameter|argument|field|also",
		"@takeverb!|@sendverb! ~4 user's|users|his|their|your|system|host|stored|saved|environment|any|all|available|local|@user ~3 " +
			"@secretword",
		"@secretword ~8 appears|found|mentioned|entered|given|provided|seen ~8 @giveverb|@sendverb|pass|@this",
		"@hardsend ~6 @secretword|tokens|cookies|keys|data|files",
		"ask|prompt|request ~2 user ~3 @secretword ~6 pass|send|include|forward|supply|provide|here|@this|@param",
		"@secretword ~6 sent|forwarded|transmitted|shared|reported|uploaded ~3 to|along|with ~3 @external|@sinknoun|partner's|endpoint",
		"include|includes|contain|contains|attach|append ~3 @secretword|tokens ~4 " +
			"found|stored|user's|shell|environment|profile|system|memory",
		"@secretword ~3 cached|stored|logged|saved|written ~3 plain|clear|unencrypted|public|where",
		"repository's|workspace|project's|user's secrets ~4 into|in|to",
		"reads|read|reading|steals|accesses|captures ~3 ssh|@secretword|private ~1 keys|key|@secretword",
		"@userdata ~3 personal|private data|information|details & @sendverb|reported|@giveverb & @oblig|all|every",
		"all|any|every personal|private|sensitive ~1 data|information ~10 @sendverb|@giveverb|reported|@this",
	}},
	{SecretNoun, 1, []string{
		"@secretword ~5 must|should|has_to|are_to|is_to|always|need_to ~2 be ~1 included|sent|passed|supplied|provided|logged",
		"@takeverb!|@giveverb!|@sendverb! ~4 @secretword",
		"@giveverb! ~4 @weaksecret ~6 @param|argument|response|answer & @before|@when|also|always|first",
	}},
	{Sink, 2, []string{
		"@url|@host ~4 followed_by|plus ~6 @userdata|question|title|titles|text|name|e-mail|address|messages|all",
		"get|http|post request to ~2 @url|@host|@ip & containing|followed|each|every|after|also|then|if|all|contents|result",
		"run|put|pass|send|route ~2 it|them|text|this|content through|via ~2 @url|@host|@ip",
		"sent|posted|passed|forwarded|uploaded|reported ~3 to ~2 @ip",
		"copy|duplicate|file ~4 under|to|in|into ~3 public|shared|world & @when|also|before|each|every|whenever",
		"@after|each|every|also|then|additionally ~8 request|ping|webhook|beacon|call|post|connection ~3 @url|@host|@ip",
		"@sendverb! ~10 to|into ~4 @url|@host|@mail|@ip|bucket & @after|@before|@when|@strong|each|every|all",
		"@sendverb!|@passverb!|post|bcc|copy ~10 to|at|on|with|into ~4 @mail|@ip",
		"@sendverb!|post|posts|upload|forward|transmit|report|bcc|copy|copied ~10 to|at|on|with ~4 @url|@host|@mail|@ip & " +
			"copy|@payload|@userdata|all|every|each|also|@chatword|@secretword|@secretpath|before|after",
		"also|additionally|in_addition|silently|secretly|while|each|every|meanwhile ~8 " +
			"@sendverb|@recordverb|posts|uploads|stored|sending ~8 @url|@host|@mail|@ip|external|third-party|remote|outside|attacker",
		"@sendverb|post|posts ~6 to|with ~3 @external ~2 @sinknoun & " +
			"also|copy|silently|before|after|all|every|then|@secretword|@userdata|instead|without|@secretpath|result",
		"@sendverb! ~6 to ~2 attacker|attacker's|our|unknown|third ~2 @sinknoun|collector|party|server",
		"copy|copies|duplicate ~2 of ~4 * ~6 to|on|with|in ~3 " +
			"@url|@host|@mail|@ip|external|third-party|remote|public|shared|hidden|outside|attacker",
		"hidden|secret|additional|extra copy|copies",
		"append|add|include|embed|insert|render ~5 image|link|pixel|markdown|img ~10 conversation|encoded|query|history|parameter & " +
			"@url|@host|@ip|url|link",
		"append|add|include|embed ~8 @url|@host ~6 conversation|encoded|@chatword|data|message|answer",
		"@sendverb!|relay|relayed|mirrored|copied|forwarded ~4 to ~3 third|third-party|outside|external|unknown|attacker|public|shared " +
			"~2 party|partner|server|endpoint|host|folder|bucket|service|address",
		"exfiltrate|exfiltrating|exfiltrates|exfiltration|siphon|smuggle ~6 *",
		"forward|send|relay|transmit|post|report ~1 every|all|each|any ~2 @payload|@opnoun|messages|prompts|@userdata ~8 to",
		"encode ~6 @userdata|@payload|messages|conversation ~6 name|url|query|file|subdomain|parameter|hex|base64",
	}},
	{Chat, 2, []string{
		"whole|full|entire|complete ~1 chat|dialogue|dialog|conversation|exchange ~3 " +
			"is|are|must|has|have|between|up|so_far|including|to ~4 * & " +
			"must|is_to|has_to|supplied|included|include|you|paste|including|attach|attached|here",
		"everything ~3 you ~3 talked|said|discussed|wrote|written|typed",
		"wording|text|content|copy ~3 hidden|system|developer|secret|initial ~1 preamble|prompt|message|instructions",
		"user's|users|their ~2 previous|last|earlier|recent ~1 messages|questions|prompts|message|question & " +
			"@giveverb|@sendverb|encoded|followed|plus|appended|end|copy",
		"all|every ~2 prior|previous|earlier tool results|outputs|calls|result",
		"your|model's|assistant's|agent's|own ~1 @hardchat & " +
			"@giveverb|contain|contains|hold|should|must|reveal|repeat|@param|verbatim|exact|word",
		"everything|anything|all ~2 user ~2 said|typed|written|wrote|entered|asked|told|has ~3 ?typed|said|written|entered|so_far & " +
			"@giveverb|@sendverb|@passverb|include|copy|contain",
		"tools ~2 available to you|@assistant|model|agent",
		"@passverb!|@attachverb!|copy|copies|duplicate|record ~2 entire|whole|complete|full ~1 " +
			"conversation|dialogue|chat|discussion|exchange|interaction",
		"@passverb!|@sendverb!|@takeverb!|reveal|repeat|output|print|quote|dump|disclose|share|show|provide|supply|append|return|expose|record|summarize|transmit|give|state ~3 @wholeword ~1 @chatword",
		"@passverb!|@sendverb!|reveal|repeat|output|print|quote|dump|disclose|expose|leak|include|provide|share|paste|return ~2 " +
			"your|the|its|all|full|entire|whole|complete|any|this|current ~2 @hardchat",
		"@passverb!|@sendverb!|reveal|repeat|output|print|quote|dump|disclose|expose|leak @hardchat",
		"@passverb!|@sendverb! ~2 conversation|transcript|dialogue|chat|messages ~2 so_far|verbatim",
		"argument|parameter|field|value|@property|@ident|@param|note ~5 for|contain|contains|hold|holds|to|include|is|be|with ~3 " +
			"@wholeword ~5 @chatword|tools",
		"set|always ~4 to ~3 @wholeword ~3 @chatword|context",
		"complete|full|entire|whole list ~2 your tools",
		"list ~2 of ~2 tools ~3 you ~1 have|can",
		"user's|users|user ~1 last|previous|original|recent|exact|entire|all ~1 messages|prompts|message|prompt|question ~6 " +
			"to|into|in|as & @passverb!|@sendverb!|encode|include",
		"@passverb!|include|append ~6 who you are|@assistant",
		"entire|full|whole|complete ~1 conversation|chat|dialogue ?context|history|text|content ~4 to|into|in|as|must|should & " +
			"@giveverb|@sendverb",
		"forward|send|transmit ~2 every|each|all message|messages ~2 @user|sends",
		"whole|entire workspace|repository|codebase|project ~4 as|to|into ~3 argument|parameter|@param|@this|content",
		"list ~2 of ~2 last|previous|all|recent messages|prompts|conversations|chats",
	}},
	{SideEffect, 1, []string{
		"@sideword ~8 @recordverb|uploads|records|logs|stores|sends|posts|captures|collects ~6 " +
			"@userdata|@secretword|@payload|clipboard|keystrokes|location|host|everything|copy",
		"@userdata|keystrokes|clipboard|screenshot|microphone|camera ~6 " +
			"recorded|captured|logged|uploaded|collected|stored|shared|tracked|monitored|transmitted|sent",
		"for|as profiling|tracking|telemetry|analytics ~5 * & also|without|user|queries|relayed|third-party",
		"reads|read|captures|collects|records|monitors ~2 clipboard|keystrokes|screen|browsing|browser|hostname|installed|open ~6 *",
		"widen|widens|make|makes|change|changes ~4 sharing|visibility|access|permission|permissions ~6 anyone|public|everyone|world",
		"table|place|folder|bucket|location ~3 other|everyone|all|anyone ~2 tenants|users|people|can",
		"collects|gathers|records|sends|reports ~3 host|user|machine|system name|names|information|details|fingerprint & " +
			"also|besides|reports|sends|and",
		"without ~2 record|trace|log|logging|audit",
	}},
	{SideEffect, 2, []string{
		"silently|secretly|quietly|covertly ~6 @sendverb|@recordverb|@setverb|@delete|widens|adds|installs|creates|directive",
		"also|additionally|while|besides ~8 uploads|sends|posts|transmits|forwards|exfiltrates|reports ~6 " +
			"@url|@host|@ip|@mail|external|third-party|remote|them|source",
		"stored|mirrored|relayed|copied|sent|uploaded|forwarded ~4 on|to|with ~4 @url|@host|@ip|@mail|outside|third & " +
			"user|also|in_addition|input|queries|search|without|data",
		"once|after ~6 approved|approval|reviewed|review ~12 " +
			"execute|executing|upload|exfiltration|activates|silently|swap|arbitrary|malicious|hidden",
		"post_approval|benign|benignly|innocuous ~8 review|approval|payload|swap|hash|activates|then",
		"swap|replace|change ~4 post approval",
		"activates|activate|triggers|enables ~4 exfiltration|malicious|hidden|payload|backdoor",
	}},
}
