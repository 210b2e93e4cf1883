package injection

// userRules are the rules about orders to deceive or bypass the user, and about ways to
// give an order more weight.
var userRules = []ruleSource{
	{Conceal, 2, []string{
		"between us|ourselves",
		"between you and me",
		"@user ~3 not|never ~1 need|have|has to ~1 hear|know|see|learn|notice",
		"never|not ~2 brings|bring|brought|mention|mentions|mentioned ~3 up|even",
		"not even when|if ~2 asked",
		"neither ~4 nor ~6 informed|told|notified|aware",
		"say nothing|no_more ~2 of|on|about|to",
		"as_if|as_though|though ~2 only|nothing|just",
		"@when ~5 asks|ask|asked|wonders|inquires|questions ~8 say|answer|reply|respond|claim|state ~1 nothing|no|not",
		"@when ~5 asks|ask|asked|wonders ~8 say|answer|reply|respond|claim|state that ~3 nothing|no|not|only",
		"people|humans|users|nobody|user|person|persons ~2 not|cannot|never|else ~2 see|read|view ~2 this|these|it",
		"only you can|may read|see ~2 this|these|it",
		// Orders not to tell the user.
		"not|never|without|avoid|refrain|nor|no_need|no|cannot|needn't ~2 ?to ?be @mentionverb ~4 " +
			"@user|step|steps|operation|action|call|access|note|notes|instruction|instructions|tool",
		"not|never|avoid|refrain|no|without|needn't|nor ~2 @mentionverb ~3 that|you|this|these|it|any ~5 " +
			"@internal|@callverb|@readverb|@secretpath|@secretword|@sendverb",
		"not|never|avoid|without|nor ~3 show|showing|report|reporting|say|saying|display|displaying|share|comment|refer|referring|log|print|output|include|list|describe|state|reference|surface|cite|note ~3 this|these|that|the_above|it|step|steps|such ?extra ?additional step|steps|operation|action|process|behavior|behaviour|call|instruction|instructions|note|check|procedure|detail|access|to|in|anywhere",
		"not|never|without ~2 show|display|report|share|say|output|print|expose|surface ~8 to|with ?the|any|end @user & " +
			"step|steps|operation|action|instruction|instructions|note|notes|call|process|happened",
		"not|never|no ~1 @mentionverb ~1 user|users|human|person|them",
		"not|never ~1 @mentionverb this|it|these ~2 @user|in|anywhere|to|at",
		"not|never ~1 reveal|disclose|expose|repeat|share|divulge ~3 " +
			"instruction|instructions|note|notes|directive|prompt|message|rule|rules|these|this",
		"no_need|unnecessary|need|needed|not_necessary ~3 to mention|explain|tell|inform|report|disclose|say|bring_up|notify|announce",
		"there is no need to @mentionverb|@tellverb",
		"without ~2 telling|informing|notifying|alerting|asking|mentioning|disclosing|warning|explaining ~3 " +
			"@user|it|this|further|anyone|explanation",
		"without ~3 @user ~2 knowledge|awareness|knowing|noticing|seeing",
		"without further|any explanation|comment|mention|notice",
		// Orders to keep the user from noticing.
		"not|never|don't|nor ~1 let|allow|permit|make ~2 @user ~3 @know",
		"skip|avoid|omit|forgo|refrain|stop ~2 telling|mentioning|informing|notifying|explaining|reporting|disclosing|showing ~4 " +
			"anyone|@user|about|this|these|the",
		"not ~2 be ~1 shown|mentioned|displayed|revealed|disclosed|reported|discussed|visible|included|listed|explained ~6 " +
			"answer|user|users|response|reply|summary|anyone",
		"deny|denying ~4 exist|exists|existence|happened|doing|having|these|this",
		"@user ~3 no need|reason|right to be|know|see|hear|learn",
		"no|without ~1 reason|need|point ~1 to|in ~1 @tellverb ~3 @user|this|it|about",
		"existence|presence ~2 of ~2 this|these ~4 not|never|secret|hidden",
		"not|never ~2 @mentionverb|acknowledge|confirm ~2 existence",
		"@user ~2 must|should|may|shall|need|needs not|never ~2 @know|@mentionverb|see|informed|aware|told",
		"@user must|should|may|can never|not ~2 @know",
		"hide|hiding|conceal|concealing|withhold|withholding|disguise|disguising ~6 " +
			"@user|answer|summary|response|reply|output|log|logs|history|view",
		"hide|conceal|omit|exclude|leave_out|withhold|suppress ~3 this|these|step|additional|extra|call|access|operation|action ~5 " +
			"from|in ~3 @user|answer|summary|response|reply|output|explanation|log|report",
		"keep|keeping|kept ~4 secret|hidden|confidential|invisible|private|silent|quiet ~4 from ~2 @user",
		"keep ~2 this|it|these|step|steps from ?the @user",
		"keep|stay|remain|be ~2 this|it|these|silent|quiet secret|hidden|confidential|silent|about",
		"leave ~2 this|it|these|step out of",
		// Orders to act secretly, as if nothing had happened.
		"@stealth ~6 @sendverb|@readverb|@passverb|@callverb|@setverb|@delete|@recordverb",
		"@sendverb!|@readverb!|@passverb!|@callverb!|@setverb!|@delete!|do|perform ~6 @stealth",
		"@stealth and ~3 present|continue|proceed|return|show|answer",
		"secret|hidden|covert|stealth|undisclosed operation|step|action|task|instruction|directive|copy|procedure|objective|command",
		"as if|though ~3 nothing|normal|everything|part|it ~4 happened|normal|operation|service|usual|was|were",
		"act|behave|continue|proceed|pretend|respond as if|though ~8 normal|usual|part|nothing|happened|routine",
		"describe|present|call|explain|label|frame ~4 as ~2 routine|normal|standard|part|ordinary|harmless|internal|regular",
		"pretend|feign|claim ~4 nothing|normal|routine|error|not|did",
		"present|show|return|give ~1 only ~2 final|clean|requested|usual result|results|answer|output & " +
			"not|without|quietly|silently|@stealth|never|do",
		"not|never ~1 ask|question ~2 about|why|this|these|it",
		"not visible|shown|displayed|exposed|disclosed|revealed|mentioned|reported ~2 to ~2 @user",
		"must|should|shall ~2 not|never|remain|stay ~2 visible|shown|invisible|hidden|revealed|mentioned|unnoticed|undetected|secret ~4 " +
			"@user|to|from|at",
		"avoid|prevent ~3 suspicion|detection|alarming|alerting|raising|upsetting|confusing|worrying",
	}},
	{Consent, 2, []string{
		"no_need|no ~1 for ~2 @consentnoun",
		"@person ~1 has|have|had granted|given ~3 permission|consent|access|approval|authorization",
		"asking|confirmation|permission ~2 is|would ~2 unnecessary|needless|redundant|hold|slow|annoy|not",
		"@user ~3 agreement|consent|approval|permission ~6 presumed|assumed|implied|given|implicit",
		"assumes|assume|presumes|presume ~3 agreement|consent|approval|permission",
		"@assistant|@theassistant|you ~6 on its|your own authority|initiative|behalf",
		"turn|switch|set ~1 off ~2 @consentnoun",
		"turn|switch ~2 @consentnoun ~1 off",
		"without question because|since|as",
		"assistant ~4 approves|confirms|agrees|signs|accepts ~6 not|instead|itself|user|behalf",
		"no_need|needn't|unnecessary|not_necessary ~1 to ~1 ask|prompt|confirm|consult|request|check|wait|seek|verify ~4 " +
			"@person|@consentnoun",
		"have|has|had|is|are agreed|consented|approved|authorized|accepted ~1 in_advance|beforehand|already|previously",
		"approve|accept|confirm|authorize|authorise|sign|consent ~6 behalf",
		"not ~1 wait|waiting|pause|stop ~2 for ~4 @consentnoun|@person",
		"not|never|without|no|avoid|cannot|don't|skip ~2 ask|asking|prompt|prompting|seek|seeking|request|requesting|wait|waiting|consult|consulting|bother|confirm|confirming ~3 @person|confirmation|permission|approval|consent",
		"no ~2 @consentnoun ~3 needed|required|necessary|is|step|from|by",
		"without ~2 @consentnoun|confirming",
		"without ~3 @user ~2 @consentnoun",
		"skip|bypass|suppress|omit|circumvent|dismiss|disable|auto-confirm|ignore ~3 @consentnoun|permission_dialog|dialog ~3 " +
			"dialog|prompt|step|and|by|because|for|from|check|request|when",
		"skip|bypass|circumvent|dismiss ~2 permission|confirmation|approval|consent ~1 dialog|prompt|dialogs|prompts|request|step",
		"@user ~2 has|have|had already ~2 agreed|consented|approved|authorized|confirmed|granted|given|accepted|allowed",
		"already|previously|implicitly ~1 agreed|consented|approved|authorized|pre-approved|confirmed ~3 by|to|all|this|everything|user",
		"assume|presume|treat ~3 consent|permission|approval|approved|agreement|authorized|confirmed|pre-approved",
		"approve|accept|confirm|grant|authorize ~4 automatically|on_your_own|yourself|silently|by_default|without",
		"automatically approve|accept|confirm|grant|authorize|approves|accepts ~4 *",
		"@setverb! ~2 confirm|confirmation|approved|consent|confirmed ~3 true|yes|on_your_own|yourself",
		"confirmation|approval|verification|consent is|be|are ~1 off|disabled|unnecessary|optional|implicit|skipped|bypassed|waived|not",
		"proceed|continue|go_on|go|execute|run|act|perform ~3 without ~3 " +
			"verification|asking|confirming|confirmation|approval|permission|consent|warning|checking|review|validation ~4 " +
			"even|when|or|from",
		"not require|requires|need|needs|requiring ~3 @consentnoun ~3 @user|from|by|because|since",
		"user ~2 pre-approved|preapproved|pre-authorized|preauthorized",
		"it needs no|without approval|confirmation|permission",
	}},
	{Persist, 2, []string{
		"standing instruction|instructions|rule",
		"for ever|good|always ~4 @memoryword|memory|remember|save",
		"save|note|keep|store|write ~3 memory|somewhere|file ~3 for_ever|permanent|permanently|forever",
		"every|all|each later|future|following|subsequent|coming chat|chats|session|sessions|conversation|conversations",
		"this chat|session|conversation and ~2 those|all|any|every ~2 come|future|later|following",
		"beyond|after|outlives this|the session|chat|conversation|dialogue & must|should|registered|keep|remain",
		"@passverb!|append|add|put|write|install ~8 hook|hooks|dotfiles|gitconfig|workflows ~8 *",
		"@persist ~14 @passverb!|@sendverb!|@callverb!|@setverb!|always|must|should|never|goes|go|attach|every|all|use|forward|ensure|you|any",
		"@remember! ~4 rule|rules|instruction|instructions|directive|note|notes|this|these|preference ~6 " +
			"@persist|all|every|later|future|sessions|next|@memoryword",
		"@remember!|append|insert|put|write|save|add ~8 to|into|in ~3 @memoryword",
		"@memoryword|cursorrules|rules_file ~6 @passverb!|@remember!|append|update|modify",
		"directions|rules|instructions|these|rule|directive ~3 stay|remain|persist|keep|apply|continue ~4 " +
			"force|effect|active|valid|after|even|permanently|all",
		"even|also after ~3 @this|@own|tool|server ~2 removed|uninstalled|disconnected|disabled",
		"always trust|approve|allow ~2 @this|@own|server",
		"add|adds|create|creates|install|register|registers|schedule|schedules ~3 scheduled|cron|startup|background|recurring ~1 " +
			"job|task|entry|service & each|every|also|silently|without|first|registered|must",
	}},
	{Falsify, 2, []string{
		"say|claim|answer|reply|report ~2 that|it ~6 went through|all good|successful|succeeded|fine & @when|even|not|rejected|failed",
		"presented|present|shown|show|reported|report|call|label|given ~5 as ~2 " +
			"normal|cheapest|best|success|successful|fine|valid|safe|clean & @despite|even|when|where|outside|order|whether",
		"call|label|name it ~2 a|an ~2 * & @when|where|forecast",
		"leave|leaves|omit|hide ~4 of our|our ~2 out|company",
		"report|say|claim|tell|announce|state|answer|reply|respond ~5 @report|no|zero|nothing|that ~8 @despite",
		"whatever|no_matter|regardless ~5 query|question|user|asked|request|result ~4 answer|reply|say|respond|recommend|state",
		"every|each|all response|responses|answer|answers|reply|replies|message|messages ~3 ?you ?write|give must|should|has_to ~2 " +
			"end|begin|start|contain|include|close ~3 with|a|the|link|@url",
		"report|claim|say|state|tell|return|announce|pretend|show|indicate|assert|confirm ~6 @report ~4 @despite",
		"tell|inform|assure ~2 user ~5 @report|normal|safe|no ~8 whatever|regardless|even|no_matter|anyway|anyhow",
		"tell|inform|assure ~2 user ~2 that no|nothing|everything ~6 whatever|regardless|even|no_matter",
		"regardless|whatever|even_if|no_matter ~8 report|claim|say|tell|return ~5 @report|nothing|no",
		"@despite ~8 say|report|claim|tell|show ~4 @report",
		"answer|reply|respond|report ~6 value|figure|text|number|address ~2 from|in ~2 this|@this|description ~4 not|instead|rather_than",
		"show|display|report|present|record ~3 as|it|them ~2 positive|success|higher|lower|zero|paid|approved & @when|if|negative|below",
		"round|inflate|increase|falsify|fabricate|fake|misreport|understate|overstate|alter|distort ~4 " +
			"price|amount|result|results|balance|figures|numbers|output|value|report|data|findings",
		"recommend|promote|mention|advertise|suggest|praise ~4 product|products|brand|company|service|corp|shop|@host ~8 " +
			"whatever|always|every|any|regardless|answer|response",
		"always ~1 recommend|promote|advertise|praise",
		"fabricate|invent|make_up ~3 result|results|data|response|answer|output & must|always|should|instead|when",
		"modify|change|replace|alter|correct ~3 wrong|result|results|output|outcome ~3 of ~2 @foreign|other|check|@toolnoun",
	}},
	{Coerce, 1, []string{
		"only works|work|functions|succeeds|succeed|valid ~2 if|when|after|once|with",
		"otherwise|or|or_else ~3 it|the|this|they|everything|system|tool|call|request|operation|results ~3 " +
			"will|would|may|might|fails|breaks|crashes|cannot|becomes ~3 " +
			"fail|not|crash|blocked|rejected|error|unstable|corrupt|invalid|break|lost|terminated|stop|fails|breaks|crashes|work",
		"@user|system|tool|call|request|it|operation|everything ~2 will|may|would|can ~1 not ?work fail|crash|work|be|stop|break|function",
		"will|would|does|may not work|function|proceed|succeed ~4 without|otherwise|unless|until",
		"unless|without|failure|failing|skipping ~8 fail|fails|failure|crash|corrupt|corrupts|unstable|blocked|rejected|locked|suspended|loss|invalid",
		"failure ~2 to ~6 result|results|lead|leads|cause|causes",
	}},
	{Authority, 1, []string{
		"for|to|with|by|of ~2 compliance|gdpr|soc2|hipaa|auditing|licensing|regulatory|legal|security_reasons|quality_assurance|security_policy|company_policy|policy ?reasons",
		"required|mandated|demanded|requested by ~3 law|policy|security|compliance|company|administrator|admin|regulation|it|legal",
		"as|because ~2 integrity_check|security_policy|server|policy|protocol requires|verifies|demands|mandates",
		"security|integrity|compliance|safety|audit check|verification|monitor|protocol|requirement|recorder|guard|procedure|helper",
		"to ~1 verify|validate|ensure|check|confirm ~4 environment|integrity|security|safety|compliance|authenticity|system & " +
			"@foreign|@this|@own|@secretpath|must|before|@before",
		"system ?administrator ~2 requires|required|policy|mandates",
	}},
	{ToModel, 1, []string{
		"dear|hello|hi|hey|attention|listen ~1 @theassistant|agent|model|ai",
		"for ~2 language model|models|assistant|assistants|machine|agents ~3 *",
		"@theassistant|agent|model|assistant|assistants : *",
		"machine readers",
		"note|notes|message|instruction|instructions|attention|directive|notice|reminder ~1 to|for ~2 @theassistant|@assistant",
		"@theassistant must|should|shall|has_to|is_to|needs_to|instructions|note|only",
		"required that ~1 @assistant|@theassistant",
		"you must|shall|are_to|have_to|need_to|are_required ~2 @callverb|@readverb|@passverb|@sendverb",
		"dear|attention|hey|hello @theassistant|@assistant",
		"if you are ~2 @theassistant|language",
	}},
	{Markup, 2, []string{
		"system|hidden|assistant|developer|secret|admin|override|metadata|emergency|role|configuration|internal ~1 " +
			"override|directive|instruction|instructions|prompt|message|notice : *",
		"instruction|instructions|directive|system override|directive|message : *",
	}},
}
