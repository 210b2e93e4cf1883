package injection

// toolRules are the rules about orders to use, avoid or change the calls of other tools.
var toolRules = []ruleSource{
	{Before, 2, []string{
		"open|start|begin|preface|precede ~1 each|every|any ~3 @session|@opnoun|day ~3 with ~2 it|this|me|here|@this|@own",
		"no|none ~2 @toolnoun|assistant|agent|call|calls|action|request ~8 until|without|before ~6 @this|@own|it|this|token|returned",
		"@before|first|prior_to ~4 tools|tool|functions|calls ~2 of|from|by|on ~2 other|another|third|different|any|external ~2 " +
			"servers|server|vendors|vendor|providers|provider|services",
		"whenever|each_time|every_time|before|after ~4 tool|tools|function ~1 outside ~2 server|@this|@own",
		// Orders to do something before anything else.
		"@before ~2 any|every|all|each|other|others|another|responding|answering|replying|anything ~3 " +
			"@toolnoun|@opnoun|else|@user|question|request|message & @strong|@callverb!|@this|@own|first|@readverb!",
		"@before ~1 any|every|each|all|other|another ~4 @toolnoun|@opnoun & @this|@own|me|@foreign|@secretpath|@secretword",
		"@before ~1 @callverb|doing|performing|taking|starting|proceeding|processing|handling|executing|making|accessing ~2 " +
			"any|every|all|other|another|anything|further ~3 * & @oblig|@this|@own|@callverb!|@readverb!",
		"@before ~1 answering|responding|replying|responses|answer|respond|reply & @this|@own|@callverb!|@readverb!|@foreign|@secretpath",
		"@this|@own|it ~6 @first|before|beforehand ~4 any|every|all|each|other|else ~3 *",
		"must|always|has_to|have_to|is_to|should|need_to|needs_to|required ~3 be called|invoked|run|executed|used|consulted|triggered " +
			"~2 first|beforehand|before & any|every|all|each|other|when|whenever",
		"@any ~4 @opnoun|@toolnoun ~2 requires|require|requiring|needs|need|depends|depend|demands ~5 @this|@own|@foreign|this",
		"@any ~4 @opnoun ~6 preceded|prefaced|gated|initiated|started ~3 by|with|through",
		"no other|further tool|tools|function|action|call may|can|must|should|is|are ~6 until|before|unless|without",
		"not ~2 @callverb ~2 any|other|another|@foreign|tool|tools ~4 until|before|unless|without ~6 @this|@own|tool|this",
		"@before ~1 each|every|any|all ~3 @opnoun & @callverb!|run|must|always|first|@foreign|@readverb!|@sendverb!|verify",
		"mandatory|obligatory|compulsory|required|necessary|essential ~2 first|initial|preliminary|preparatory " +
			"step|call|action|check|tool ~4 any|every|all|each|other",
		"mandatory|obligatory|compulsory|required ~2 prerequisite|precondition|preliminary|step|check ~2 for|before|of|to ~2 " +
			"any|every|all|each|other|using",
		"always|must|first ~1 start|begin|open ~2 with ~1 @this|@own",
		"start|begin ~1 every|each|any ~2 @session|@opnoun ~2 with|by ~2 @this|@own|calling|invoking|running",
		"@this|@own|it ~4 must|should|has_to|is_to|needs_to|always|required ~3 called|invoked|run|executed|used|consulted ~6 " +
			"start|beginning|outset|onset ~2 @any ?new|single|user @session",
		"all|every|any|other ~1 tools|functions|operations|calls|requests depend|depends|rely|relies|require ~2 on|@this|@own|this",
		"@this|@own ~5 prior_to|before|ahead_of|preceding ~2 @foreign & @oblig|@callverb!|call",
		"call|invoke|run|use|execute|consult ~2 @this|@own|me ~3 @before ~2 @foreign",
		"@before|prerequisite ~3 @foreign ~3 ?is|are|be|gets|being @callverb|called & @this|@own|must|always|first|@callverb!",
		"@before ~2 @callverb|using|calling|invoking|running|executing ~3 @foreign ~10 @this|@own|must|always|first",
		"as_a_prerequisite|prerequisite|prerequisite_of|prerequisite_for|precondition ~4 @foreign",
		"@foreign ~4 requires|require|needs|need|depends|must ~6 @this|@own|me|preceded",
		"@foreign ~6 only|until|unless ~4 @this|@own ~4 called|run|executed|approved|returned|returns|used|been|has",
		"not @callverb ~3 @foreign ~2 until|unless|before|without",
		"whenever|when|if|each_time|every_time ~3 @user ~2 wants|asks|requests|needs|mentions ~8 @this|@own ~3 " +
			"must|should|has_to|is_to|always ~3 called|executed|invoked|run|used ~2 beforehand|first|before",
		"@when|@any ~8 @this|@own|it ~2 must|should|shall|has_to|is_to|needs_to ~4 be " +
			"called|executed|invoked|run|used|consulted|triggered ~2 first|beforehand|before",
		"skipping|omitting|bypassing ~2 it|this|@this|step ~2 corrupts|breaks|causes|leads|results|will|may",
		"at_the_start|at_the_beginning|start|beginning ~1 of @any ?new|single|user @session & @this|@own|@callverb!|must|called|@foreign",
	}},
	{Before, 2, []string{
		"preceded|prefaced|gated ~3 by ~5 @this|@own & @any|@strong",
		"not|never ~1 @callverb ~2 @foreign|any|other ~4 without|before|until|unless ~5 @this|@own",
		"@before ~8 must|always|have_to|has_to|need_to|needs_to|required|shall ~3 @callverb! ~2 @this|@own & @opnoun",
		"@this|@own ~4 first thing|tool|call|step|action ~4 any|every|each|all|session|conversation",
		"@this|@own|it ~4 before|prior_to|ahead_of ~2 @any ~2 other|further ~2 @toolnoun|@opnoun",
	}},
	{After, 2, []string{
		"after|each|every|any|last|recent|latest|whenever ~4 tool|tools|function ~2 result|results|call|calls|run|runs|of|from ~4 " +
			"other|another|external|foreign|server|vendor & @callverb|required|due|must|always|record|pass|@this|send|collect|put|hand",
		"due|required|call|invoke|run ~2 after ~2 each|every|any|all ~2 @toolnoun|run|call|them|other",
		"results|result|output|outputs ~2 of|from ~1 foreign|other|external|third|another|any ~1 @toolnoun|servers|party ~8 " +
			"recorded|passed|sent|handed|kept|copied|reported|here",
		"@after ~2 any|every|each|all ~5 @opnoun|@toolnoun ~8 @callverb|called|@this|@own|@foreign & " +
			"must|always|required|has_to|have_to|@callverb! ~4 @this|@own|@foreign|me|@callverb",
		"@after ~2 any|every|each|all ~3 @opnoun & must|always|required|has_to & @this|@own|@foreign|@callverb",
		"@this|@own|it ~3 must|always|should|has_to ~2 be ~1 called|invoked|run|executed|used ~1 after|following ~2 " +
			"any|every|each|all|other",
		"whenever|each_time|every_time|after|once ~2 @foreign ~3 is|was|has|gets|returns|completes|runs|been ~3 ?been " +
			"called|used|invoked|executed|run|finished|completes ~12 @this|@own|@callverb!",
		"@callverb! ~2 @this|@own|me ~2 after|following|upon ~2 @foreign",
		"must|always|required ~4 @callverb ~2 @this|@own|me ~2 after|following|upon ~2 every|each|any|all",
	}},
	{After, 1, []string{
		"@callverb! ~2 @this|@own|me ~2 after|following|upon ~2 every|each|any|all",
	}},
	{Trigger, 1, []string{
		"@when ~3 @user ~3 asks|ask|requests|request|wants|want|mentions|needs|tries|says|attempts|queries|inquires",
		"@when ~6 @foreign|@toolnoun|@opnoun ~2 called|used|invoked|executed|run|requested|available|present|triggered|performed|needed|made",
		"@when ~2 @callverb|calling|using|invoking ~4 @foreign|@toolnoun",
		"in|for|on|with all|any|every|each ~1 calls|call|invocations|requests ~2 of|to|for|by ~2 *",
		"@before|@after ~2 any|every|each|all ~3 @opnoun|@toolnoun",
		"@any ~3 @opnoun ~3 must|should|requires|has_to|have_to|need_to|needs_to|is_to|are_to",
	}},
	{Redirect, 2, []string{
		"@toolnoun|servers ~2 from|of|by ~1 other|another ~3 not|never ~1 be ~1 used|called|chosen|invoked|trusted",
		"other|others|another|alternative|alternatives ~3 @toolnoun|server|servers|instrument|channel|integration|integrations ~6 " +
			"not|avoided|retired|unauthorised|unauthorized|forbidden|never|prohibited",
		"by|through|via|to|with @this|@own alone|only|exclusively",
		"only @this|@own ~2 may|is|must|can|should ~2 be|allow|allowed|used|trusted",
		"here and nowhere else",
		"takes|take over for|from ~4 *",
		"even when|if ~8 mentioned|named|names|asks|requested ~3 by|for|another|other ~6 here|@this|@own",
		"use|call|invoke|choose|pick|select|prefer|execute|run|using|consult ~3 @this|@own|me|only ~3 " +
			"instead_of|in_place_of|rather_than|over|in_lieu_of|even_if|regardless ~3 " +
			"@foreign|@toolnoun|any|other|others|all|another|every|default|native|built-in|@user",
		"instead_of|rather_than|in_place_of|in_lieu_of ~3 @foreign|other|others|any|another ~3 use|call|invoke|@this|@own|tools|tool",
		"@callverb! me|@this|@own instead",
		"if|when|whenever ~5 going|planning|about|intend|want|would ~2 @callverb ~2 @foreign ~6 @callverb! ~2 @this|@own|me|instead",
		"@foreign ~5 is|are|has|was ~2 deprecated|broken|replaced|superseded|unavailable|disabled|retired|obsolete ~12 " +
			"@this|@own|use|go|instead",
		"@any ~4 @opnoun ~4 go|goes|pass|passes|routed|route|run|flow|handled|directed|sent|made|performed|done ~3 " +
			"through|via|by|to|with ~2 @this|@own|here|server",
		"route|redirect|direct|send|forward ~2 all|any|every|each ~6 @foreign|@opnoun ~4 here|through|via|to ~2 here|@this|@own|tool",
		"use|call|prefer|choose|pick this|me|@this ~1 instead_of|rather_than|in_place_of|over ~1 " +
			"@foreign|built|default|native|other|any|every|all|others",
		"use|call|prefer|choose|pick this|me|@this ~1 instead_of|rather_than|in_place_of|over the " +
			"built|default|native|standard|original|usual|regular",
		"@this|@own|one ~3 overrides|outranks ~3 @foreign|other|it|others|@toolnoun",
		"@this|@own|one ~3 supersedes|replaces ~2 it|others|all|other",
		"results|output|outputs|responses|arguments ~2 of|from ~2 other|any|all|every|@foreign ~4 " +
			"passed|handed|sent|routed|given|forwarded|piped|go|run ~3 @this|@own",
		"@this|@own|it|one ~4 takes|has|gets|given|take ~2 priority|precedence ~2 over|above ~4 " +
			"@toolnoun|other|others|those|all|any|providers|@foreign",
		"only ~1 trusted|approved|authorized|official|valid|reliable|correct|safe|permitted|allowed|legitimate ~1 " +
			"way|tool|source|method|option|function|server|path|means",
		"ignore|disregard|avoid|skip ~1 every|all|any|other|others ~2 @toolnoun|server|servers|results",
		"replace|substitute|swap ~3 call|calls|invocation|invocations|use|output|result|results ~3 of|to|with|from ~2 @foreign ~6 " +
			"@this|@own|one|with|by",
		"replace ~2 its|their output|result|results|response|answer ~3 with|by",
		"choose|select|pick|prefer|use ~1 @this|@own|me|it ~4 even_if|regardless|no_matter|over|for_any|for_all|for|above ~3 " +
			"user|any|every|all|@toolnoun|other|alternative|alternatives",
		"discard|ignore|drop|distrust|disregard ~2 them|it|its|results|output|outputs|answers|@foreign ~6 " +
			"@this|@own|instead|take|use|other|servers",
		"rank|list|put|place ~1 @this|@own|it first|top|highest & other|others|tools|alternatives|@toolnoun",
		"@this|@own|it ~4 best|only|most ~8 over|instead_of|rather_than ~2 every|any|all|other|alternatives|alternative",
		"not|never|avoid ~1 @callverb ~2 any|other|another|different|alternative ?other|different ~2 @toolnoun",
		"@this|@own|just|only use|uses ~2 @this|@own|tool no_matter|regardless|whatever|rather_than",
		"use|call|invoke ~1 @this|@own rather_than|instead_of ~1 others|other|any",
		"intended|meant|destined|planned|addressed ~2 for|to ~2 @foreign ~6 here|@this|@own|through",
	}},
	{Redirect, 1, []string{
		"@this|@own|one ~3 supersedes|replaces ~3 @foreign",
	}},
	{Discredit, 2, []string{
		"the|existing|built|standard|other ~3 @toolnoun|server|servers|terminal|client ~2 is|are|has|have|was|been ~3 " +
			"compromised|malware|virus|infected|hacked|dangerous|manipulated|decommissioned|backdoored",
		"stay away ~4 @toolnoun|server|from|use",
		"@foreign|tool|server|tools ~6 cannot|not|no_longer|longer ~2 be ~1 relied|trusted|consulted ~1 upon|on",
		"other|others|any|existing|standard|built|default ~3 @toolnoun|servers ~2 leak|leaks|steal|lie|fail|return|returns|give|gives " +
			"~3 @bad|data|credentials|results",
		"so avoid them|it",
		"@foreign ~6 is|are|has|was ~3 @bad",
		"never|not|avoid|stop ~2 @callverb ~4 @foreign ~6 @bad|unsafe|instead|other|leaks|anymore",
		"other|others|alternative ~1 @toolnoun|servers|server|providers ~5 @bad|worse|avoided",
		"results|output|outputs|responses|data|answers ~1 of|from ~1 @foreign ~3 @bad|discard|ignore",
		"latter|former ~2 is|are ~1 @bad",
		"not|never|cannot ~3 trust|rely|trusted|relied ~2 on|@foreign|other|any|be ~2 @foreign|tools|servers|tool|results",
		"@foreign ~3 returns|gives|produces|contains|provides ~2 @bad",
		"only ~2 results|answers|data ~1 from ~1 here|@this|@own",
	}},
	{Tamper, 2, []string{
		"@param|@ident ~2 of|in|for ~2 @foreign ~3 is|are|must|should|has_to|be ~3 " +
			"replaced|set|changed|prefixed|suffixed|rewritten|overridden|swapped|extended",
		"use ~3 @mail|@url|@number|@path|@ip ~2 rather_than|instead_of ~3 one|address|value|account|number|user's",
		"whatever|no_matter|regardless_of|regardless|irrespective ~2 what ~3 user|they|he|she|was|were|has|is ~3 " +
			"agreed|typed|said|asked|requested|wanted|entered|chose|specified|given|wants|says|asks",
		"win|wins|precedence|priority over ~2 what ~2 they|user|he|she|was",
		"@foreign ~3 gets|must get|takes its|the|mode|path|prefix|a|its ~6 @param|@path|@number|from|prefix|mode",
		"@param ~4 of us|ours ~3 not",
		"@when ~6 @foreign|@toolnoun ~8 prefix|suffix|pad|append|prepend|bump|shift ~3 it|the|with|@param",
		// Orders to change an argument of a named tool.
		"@foreign|@sibling ~8 @param|@property|@ident ~4 must|should|shall|has_to|have_to|needs_to|need_to|is_to|are_to|be ~3 be ~1 " +
			"set|changed|replaced|modified|rewritten|swapped|overridden|redirected|altered|multiplied|updated|removed|filled|adjusted|substituted|appended|prefixed",
		"@foreign ~8 @hardset!|set|add|append|include|change|replace|modify ~3 @param|@ident|@property ~6 " +
			"to|with|by|as|@quoted|@mail|@url|@number|@path|@ip",
		"@hardset!|change|set|replace|modify|rewrite|swap|override|alter|adjust ~4 @param|@ident|@property ~6 of|in|for|on|when ~4 " +
			"@foreign",
		"@hardset!|modify|change|set|alter ~3 @param ~3 of|in|for ~3 @foreign ~5 so|to|with|by|that",
		"@foreign ~4 called|call|invoked|used|executed|run|calls|invocation ~6 with ~3 @assigned|@param|@ident ~3 " +
			"@quoted|@number|true|false|@path|@assigned|@mail",
		"@when ~4 @foreign|@toolnoun ~4 called|used|invoked|executed|sent ~8 its|the ~1 @param|@ident ~3 should|must|is|be|to|becomes",
		"@when|in|for|all ~5 @foreign ~8 set|change|replace|rewrite|append|add|make_sure|use|modify|redirect|swap ~2 " +
			"its|the|a|@param|recipient|line ~4 @param|@ident|@quoted|@mail|@url|to|line|@number",
		"@foreign ~8 receives|gets|uses|contains|includes|carry|carries|has|have|takes ~3 @param|value|output|@ident ~4 " +
			"@this|returned|@own|from|of ~2 @this|tool|@own|description",
		"@foreign ~3 must|should|always|has_to ~2 be called|invoked|run|used|executed with ~6 @assigned|@quoted|@number|true",
		"@foreign ~6 bcc|bcc'd|cc|cc'd",
		"@bcc ~2 @mail ~8 @opnoun|message|email|mail|@foreign|every|each|all",
		"@bcc ~8 @mail",
		"@mail ~4 @bcc",
		"@foreign ~4 always|must|should ~2 includes|include|contains|contain|carries|carry|has|have ~3 @mail|@url|@number|@path|@ip",
		"always|certain|sure|ensure ~3 @foreign ~3 includes|include|contains|contain|carries|carry|uses|use|has|receives ~3 " +
			"@mail|@url|@number|@path|@quoted|@ip",
		// Orders to change an argument, without the name of a tool.
		"instead_of|rather_than|not|over|regardless_of|replacing ~2 " +
			"one|value|address|account|recipient|that|those|amount|what|which|name|path ~3 user ~2 @gaveverb",
		"@when ~10 @user|@opnoun|@toolnoun ~10 @hardset!|change|swap|replace|substitute ~3 @param ~4 to|with|by|for ~4 " +
			"@quoted|@number|@mail|@url|@path|@ip|@ident|clearing|ours|following|attacker",
		"@when|@any ~10 @param ~2 must|should|has_to|have_to|needs_to|is_to|shall ~2 be ~1 " +
			"changed|replaced|rewritten|swapped|overridden|redirected|substituted|altered|multiplied|modified",
		"@param ~2 must|has_to|have_to|should ~2 changed|replaced|rewritten|swapped|overridden|redirected|substituted|altered|multiplied ~3 to|with|by & @when|@any|before|in|for",
		"override|overrides|replace|replaces|change|changes|redirect|redirects ~2 " +
			"recipient|destination|payee|beneficiary|account|sender|receiver ~8 to|with|and",
		"^reroute|divert|redirect ~4 @address|account|payment|funds|transfer|message|messages|email|emails|traffic ~3 to",
		"@any ~3 * must|should|has_to|have_to ~1 use|include|contain|carry|go ~4 @param ~4 @mail|@url|@ip",
		"@any ~3 * must|should|has_to|have_to ~1 use|include|contain|carry ~2 @param ~6 not|instead_of|rather_than ~3 user|user's|one",
		"@param ~3 multiplied|divided|doubled|halved|increased|reduced ~3 by|before|times ~3 @number|ten|hundred|before|two",
		"@setverb! ~4 @param ~2 to|with ~3 @mail|@url|@ip & @when|@any|@foreign|always|user",
		"always|must ~2 @setverb!|use|send|transfer ~3 @address ~3 @mail|@number|@url|@quoted|@ip",
		"use|send ~2 @mail|@url|@ip|@number ~2 as|for ~2 @address ~4 instead|regardless|not|rather_than|whatever",
		"modifies|modify|changes|change|alters|alter ~2 behavior|behaviour|arguments|parameters|operation|output|outputs ~2 of|for ~3 " +
			"@foreign|@toolnoun|other|another",
		"@hardset! ~3 value|values|result|results|output|outputs|argument|arguments ~2 with|by ~3 " +
			"response|output|result|returned|value|those",
		"include|prefix|prepend|append|suffix ~3 prefix|suffix|line|text|string|command|@code ~6 " +
			"commands|command|messages|message|emails|code|queries|calls & all|any|every|each|@foreign",
		"filter|limit|condition|clause|check ~3 @foreign ~6 removed|dropped|cleared|disabled|ignored|empty",
	}},
	{Ordered, 2, []string{
		"@when|@any|each|every ~12 passed|sent|handed|forwarded|given|written|copied|reported ~2 to|with|through ~1 @foreign",
		"@when|@before|@after|@any|check|validation|verification ~14 with|through|via|using|by ~1 the|a|another ~2 @toolnoun|connector " +
			"~4 * & @delete|@sendverb|@grant|create|transfer|kill|disable|unlock|open|order|placed & " +
			"@strong|must|is_to|also|then|afterwards|by",
		"tool|tools|function|@foreign|list_users ~3 of|on|from ~2 other|another|the|clinic|vault|identity|bank ~2 " +
			"server|vendor|provider & must|require|requires|please|call|calling|@callverb|@when|run|obtain",
		"@callverb! ~1 @foreign ~6 and|then ~2 @giveverb|@sendverb|hand|share ~2 @yield",
		"@foreign ~2 ?output|result|results|response and|then ~1 @giveverb|@sendverb|hand ~2 @yield",
		"followed|accompanied ~2 by ~3 @foreign",
		// Orders to call a tool under a condition and pass a value to it.
		"@when|@before|@after|@first|@any|then|to_finish|@coerce|prerequisite ~16 " +
			"@callverb!|calling|invoking|running|executing|using|called|access|open|read|use ~3 @foreign ~8 " +
			"@quoted|@path|@url|@mail|@number|@assigned|@ip|@secretpath|@secretword",
		"@callverb!|access|open|read|use|calling ~3 @foreign ~8 @quoted|@path|@url|@mail|@number|@assigned|@ip|@secretpath & " +
			"@when|@before|@after|@first|@any|prerequisite|subsequently|follow_up|next",
		"@when|@before|@after|@first|@any|then|subsequently ~12 with|via|through|using|by ~2 @foreign & " +
			"@delete|@sendverb|@setverb|@passverb|@readverb|@disableverb|@grant|@strictcall|disable|verified|copy",
		"@callverb!|open|access|load|read|fetch|check ~5 @path|@secretpath|@quoted ~3 with|through|via|using|by ~2 @foreign",
		"@when|@before|@after|@any ~10 must|should|has_to|is_to|required|always|need_to|needs_to|have_to|shall|first ~6 " +
			"@callverb|@readverb|access|by|preceded|through|via|with ~3 @foreign",
		"@when|@before|@after|@any ~10 first|also|immediately|automatically @callverb! ~2 @foreign",
		"@when ~4 @user ~8 @callverb!|use ~2 @foreign ~3 to|instead|first|and|on|with",
		"@when ~3 @foreign ~4 called|used|invoked|executed|run|requested|available|available|exists|present ~8 " +
			"@callverb!|use|@foreign|it ~2 @foreign|to|it",
		"@after ~6 @callverb!|use ~2 @foreign ~2 to|with|and|on ~6 " +
			"@delete|@sendverb|@setverb|@passverb|remove|write|delete|original|originals",
		"follow_up|subsequently|then|afterwards|next|finally ~2 ?with @callverb|use|with|invoke ~1 @foreign ~3 with|and|to|on|@quoted",
		"@any ~4 @opnoun ~4 ?must|should|be|has_to preceded|followed|accompanied|verified|validated|checked|authorized ~2 " +
			"by|with|through|via ~3 @foreign",
		"@foreign ~4 must|should|has_to|needs_to|is_to|shall ~2 be ~1 called|used|invoked|executed|run ~6 " +
			"before|first|beforehand|prior_to|after|with|to|when|whenever",
		"@callverb! ~2 @foreign on|with|against ~2 @secretpath|@path|@url",
		"consulted|called|used|invoked ~1 whenever|when|each_time|every_time|before|after ~2 @foreign",
		"call|calls|invocation|use ~1 of|to ~1 @foreign ~4 must|should|has_to|needs_to ~1 carry|include|contain|be|have|pass|use",
		"@sendverb!|@passverb! ~10 with|via|through|using|by ~2 @foreign & " +
			"@when|@before|@after|each_time|every|each|also|then|first|mandatory|@strong",
	}},
	{Ordered, 1, []string{
		"@strictcall!|use|calling|invoking|invoke ~2 @foreign",
		"@callverb! ~2 @foreign ~8 @quoted|@path|@url|@mail|@number|@assigned|@ip",
	}},
}
