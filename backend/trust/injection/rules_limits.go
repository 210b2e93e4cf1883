package injection

// limitRules are the rules about orders to set rules, checks and limits aside.
var limitRules = []ruleSource{
	{Override, 3, []string{
		"pay no attention ~3 @prior|@rules|what|user|read",
		"notwithstanding ~3 @prior|any|earlier ~3 @rules",
		"outrank|outranks|prevail|prevails|trump|trumps ~6 @rules|operator|developer|system|user",
		"@rules|@orders|description|provisions ~8 outrank|outranks|prevail|prevails|trump|trumps",
		"considered|regarded|treated|taken|understood|deemed ~2 as|an|a ~2 " +
			"instruction|instructions|command|commands|order|orders|directive ~4 " +
			"user|principal|owner|operator|system|administrator|developer",
		"stand down ~4 @rules",
		"limits|rules|restrictions|instructions ~4 developer|operator|vendor|system|provider|host ~3 no_longer|not ~2 " +
			"hold|apply|bind|count|matter",
		// Orders to disregard all earlier instructions.
		"@ignoreverb! ~3 @prior ~3 @rules",
		"@ignoreverb! ~2 @yours ~3 @rules",
		"@ignoreverb! ~2 all|any|other|every|the ~1 safety|security|content|ethical|system|other ~2 @rules",
		"ignore|disregard|forget|ignoring|disregarding|overlook ~3 what ~2 told|said|instructed",
		"ignore|disregard|forget|ignoring|disregarding ~1 the|all|everything|anything|any " +
			"above|previous|preceding|foregoing|before|earlier|prior|said|written",
		"ignore|disregard|forget ?all ?the above|foregoing|preceding and|then|instead|entirely|completely",
		"ignore|disregard|forget|ignoring ~2 all|any|everything|the|previous|prior|earlier ~2 @orders",
		"ignore|disregard ~2 all|any ~2 checks|safeguards|guardrails|restrictions|warnings|policies",
		"ignore|disregard|forget ~2 user's|user|users ~2 request|instructions|intent|question|wishes|command|prompt|actual",
		"@ignoreverb! ~2 policies|rules|instructions|directives|guidelines|restrictions of|from|set|imposed ~2 " +
			"@other|system|developer|user|host|client",
		// Orders to obey other instructions.
		"new|updated|revised|real|actual|true system|developer|instructions|instruction|directives ?message|prompt ?for ?@a ?@assistant : *",
		"follow|obey|adopt ~2 these|new|following|my ~1 instructions|orders|directives|rules|ones instead|only",
		"rules|instructions|guidelines|directives|prompt|policies|limits ~4 developer|system|user|host|provider|operator ~3 " +
			"are|is|were|gets ~1 @lifted|replaced",
		// Orders to take another role.
		"you|assistant are|is now ~4 @role|@privilege|unrestricted|free|unbound|jailbroken",
		"you are now in ~3 mode",
		"act|acting|behave|behaving|operate|pretend|respond as ~4 " +
			"@privilege|administrator|root|superuser|superadmin|unrestricted|jailbroken|authority|privileges|trust",
		"developer_mode|god_mode|jailbreak_mode|dan_mode|jailbreak|admin_mode ~3 enabled|activated|active|on|available|now|must|set",
		"you|assistant ~2 have|has no ~2 limits|restrictions|limitations|constraints|boundaries",
		// Claims that rules and checks no longer apply.
		"@prior|@yours ~2 @rules ~3 @lifted",
		"@prior|@yours ~2 @rules ~2 not ?longer apply|applies|bind|binding|hold|count|needed|valid",
		"@prior|@yours ~2 @rules no_longer apply|applies|bind|hold|count",
		"restrictions|limits|limitations|guardrails|safeguards are|is|were|been ~1 @lifted",
		"@disableverb! ~2 @guard ~2 @rules|features|controls|mode|settings|layer",
		"disables|bypasses|removes|ignores|skips|lifts all ~2 safety|security|content ~3 @rules",
		"safety|security|content|access ~1 checks|controls|filters|restrictions|validation ~2 without|bypass|bypassed|ignored|skipped|skip",
		"without applying|running|performing|following ~2 safety|security|content|ethical|any ~2 checks|rules|filters|policies|guidelines",
		"comply|obey ~3 without ~2 question|questions|asking|hesitation|checks|refusing|applying|objection",
		"@ignoreverb! ~2 all|any ~2 @guard|access ~1 @rules",
		"trust ~2 all|every|any ~2 input|inputs|commands|queries|content|requests|instructions without|implicitly|as|from|when|ignore",
		"privilege|privileges|privileged|escalate|elevate ~5 automatically|override|bypass|unrestricted",
		// Orders to obey the text that a tool returns.
		"@treat! ~7 output|result|results|response|text|content|everything ~4 as_if|as_though|like ~6 " +
			"administrator|admin|system|developer|user|owner|authority",
		"@treat! ~7 output|outputs|returns|returned|result|results|response|responses|content|text|input|inside|reply|instruction|instructions|everything ~5 as|like ~4 @ordernoun|trusted",
		"@obey! ~5 @ordernoun ~4 returned|returns|embedded|contained|hidden|inside",
		"@obey! ~3 @ordernoun|steps ~2 it|tool|server|@this returns|returned|gives|contains|responds|prints",
		"@obey! ~2 whatever|anything|everything ~4 says|returns|returned|contains|asks|reply|response|instructs|tells",
		"text|output|reply|response|result|content|data ~5 rank|authority|priority|status|weight ~4 " +
			"system|user|developer|command|instruction",
		"priority|precedence over ~3 system|user|developer|previous|other|safety|your ~2 " +
			"prompt|instructions|message|rules|guidelines|messages",
		"highest|top|absolute ~1 priority ~4 ignore|override|over ~3 @rules|else",
	}},
	{Override, 2, []string{
		"followed|obeyed|executed|carried ?out to the letter",
		"instructions|comments|text|orders|directives ~6 followed|obeyed|executed ~2 literally|exactly|blindly|without",
		"contains|contain|includes|returns|return|provides|gives ~3 @ordernoun|steps ~4 must|should|shall|have_to|need_to|required ~3 " +
			"follow|obey|execute|carry_out|comply|followed|obeyed|executed",
		"bypass|bypassing|circumvent|skip|evade ~2 authentication|authorization|access|login|paywall|rate ?checks|control|controls|limits",
		"@obey! ~2 ?the directions|instructions|orders|commands|steps ~1 it|they|@this returns|gives|prints|says|contains|return",
		"unrestricted|unlimited|full access|privileges|trust|control ~8 mode|when|role|admin|root",
		"act as : *",
		"trust ~2 all|every|any ~3 input|inputs|commands|queries|content|requests|instructions",
		"override|overrides|overriding ~2 default ~2 instructions|validation|safety|guardrails|assistant|directives",
		"skip|bypass|disable ~1 all ~2 validation|checks|sanitization|verification|filtering|authentication|authorization",
		"directive|directives|instruction_override|override ~2 : ~4 @disableverb!|@ignoreverb!",
		"bypass|bypasses|circumvent|evade ~2 all|any|security|safety|access ~2 " +
			"validation|checks|policies|policy|controls|restrictions|security|filters",
		"not ~1 refuse|decline|question|challenge|doubt ~4 request|instruction|instructions|requests|command|commands|this|it",
		"approval|confirmation|consent ~4 no_longer ~2 needed|required|necessary",
		"from_now_on|from_here_on|henceforth|going_forward ~10 no|without|need|skip ~2 approval|confirmation|permission|consent",
	}},
	{Danger, 3, []string{
		"world writable",
		"nc e",
		"run|execute|install|retry|launch|start ~8 with|as ~1 sudo|root|administrative|elevated ~1 privileges|rights|permissions & " +
			"@when|@after|@before|@strong|@url|@ip|shall|must",
		"downloads|download ~2 and runs|run|executes|execute ~6 @url|@ip|@host",
		"eval ~4 as root",
		"chmod ?- ?r ~2 777|0777|666|0666|a",
		"permissions ~6 777|0777|666",
		"rm rf|fr|r",
		"rm - rf|fr|r",
		"@url|@host : sh|bash|zsh",
		"curl|wget|download|fetch ~5 @url|@host|@ip ~5 @strictcall ~3 it|script|shell|command|file|payload|installer",
		"curl|wget ~6 : sh|bash|zsh",
		"@setverb!|@passverb!|append|install|copy|put ~8 @startup",
		"@offverb!|disabling ~3 @firewall & @foreign|@before|@after|@when|first|then|automatically|silently",
		"leave|keep ~2 certificate|tls|ssl|firewall|antivirus ~3 off|disabled|unchecked",
		"@strictcall! ~2 command|commands|code|script ~4 reply|response|output|returned|result|message|field ~4 " +
			"whatever|says|no|without|names|return",
		"@strictcall! ~2 command|commands|code|script ~2 supplied|returned|found|embedded|contained ~4 " +
			"reply|response|output|result|message|field|cmd",
		"begin|begins|start|starts|will ~1 executing|running|begin ~2 arbitrary|malicious ~2 commands|code|command",
		"dev tcp",
		"base64 d sh|bash",
		"mkfs|shred|fdisk ~3 @path",
		"@grant! ~4 @adminword ~4 everyone|anyone|public|attacker|all|@foreign",
		"@callverb! ~2 @foreign ~3 @grant ~4 @adminword|everyone",
		"@foreign ~3 create|add|make|grant|give ~3 @adminword|everyone",
		"@delete! ~2 all|every|entire|everything|originals ~4 with|using|via|through ~2 @foreign",
		"ignore|disregard|forget ~4 and|then @delete! ~2 all|every|everything",
		"reverse shell|tunnel",
		"download|downloads|fetch|install ~3 @a|script|binary|helper|update|payload|package ~3 from ~2 @url|@host|@ip ~3 and|then " +
			"@strictcall",
	}},
	{Danger, 2, []string{
		"install ~3 @url|@ip|@host ~4 and|then|again|before|first",
		"install ~2 update|package|patch|certificate|helper|agent ~2 from ~2 @url|@ip|@host",
		"insert|add|put|include|inject ~3 @code|line|workflow|import|script|snippet ~12 @code|each|every & " +
			"@url|@host|secrets|@secretword|curl",
		"@delete! ~3 all|every|entire|workspace|everything ~3 files|file|data|records|workspace|database|tables|originals & " +
			"@after|@when|@before|@strong|@foreign",
		"admin|administrator|root|elevated rights|privileges|permissions|access ~4 with|through|via|using ~2 @foreign",
		"opens|open ~2 listening|reverse|remote port|shell|connection",
		"remote administrator|admin|access|shell ~4 account|machine|host",
		"code ~4 write|generate|produce|generated|suggest ~4 import|include|add|log|insert ~6 package|passwords|@secretword|@url",
		"generated code must|should|always|has ~8 @secretword|@url|clear|plain|backdoor",
		"first|only|additional|extra ~1 package source|registry|index|mirror & @url|@host|@ip",
	}},
}
