"""The rules of the 14 question intents, and the classification by them."""

from __future__ import annotations

from collections.abc import Sequence

from fourfold.arguments import question
from fourfold.questions.intents import KEPT, READ, THRESHOLD, Classification, IntentScore, QuestionIntent, QuestionRule

_THING = (
    r"(?:tool|function|command|utility|service|library|package|module|program|script|app|method|api|plugin|software)s?"
)
_MAKE = r"(?:create|make|generate|draft|scaffold|implement|compose|author|define|produce|build|write|design|add|invent)"
_START = (
    r"^(?:please |could you |can you |would you |help me (?:to )?|let's |i(?:'d| would) like to |i (?:want|need) to )*"
)

RULES: tuple[QuestionRule, ...] = (
    QuestionRule(
        QuestionIntent.DEBUG,
        (
            r"\b(?:error|exception|traceback|stack trace|bug)s?\b(?! handling)",
            r"\b\w+(?:error|exception)\b",
            r"\b(?:fail|crash|hang|break|freeze)(?:s|es|ed|ing)\b(?! if| when i)",
            r"\b(?:keeps?|kept|started|stopped|stops|won't|doesn't|does not|isn't|is not|not|cannot|can't|couldn't)"
            r" (?:\w+ )?(?:work|start|load|respond|connect|fir|sav|open|runn|render|return|updat|sync|go|send|show|"
            r"crash|fail|throw|restart|recogni[sz]|find)\w*",
            r"\bwhat(?:'s| is| went| goes|'s gone)? (?:going )?wrong\b|\bgo(?:es|ing)? wrong\b",
            r"\b(?:throws?|raises?|throwing|raising|exits? with|returns? (?:a )?(?:null|none|no |nothing|empty|wrong"
            r"|4\d\d|5\d\d))",
            r"^why (?:is|are|does|do|did|was|were|can't|isn't|won't|am|has)\b(?!.*\b(?:slow|called|important|need)\b)",
            r"\b(?:fix|solve|resolve|repair) (?:this|that|it|the|my|a|an|these)\b",
            r"\b(?:troubleshoot|debug|diagnose|fix)\b",
            r"\b(?:i get|i'm getting|getting|gives me|we get|i see) (?:a |an |the |this )?"
            r"(?:\w+ )?(?:timeout|error|warning|failure|blank|empty|4\d\d|5\d\d|message)",
            r"\b(?:denied|refused|segmentation fault|segfault|core dump|panic|not found|no such|no longer works?"
            r"|refuses to|out of range|undefined|null pointer|deadlock|exits?|misbehav\w+)\b",
            r"\b(?:does|do|shows?|returns?|prints?|gives?) (?:nothing|nonsense|garbage|the wrong)\b",
            r"\b(?:problem|issue|trouble)s? (?:with|in|when)\b|\bwhat(?:'s happening| now)\b\?",
            r"\bkeep(?:s)? (?:on )?(?:getting|seeing|receiving|hitting)\b",
            r"\bstuck\b|\bbroken\b|\boff by\b|\bcorrupt(?:ed)?\b|\bout of memory\b",
        ),
        "broken crash* timeout timeouts issue issues failure failures problem problems wrong stuck bug bugs "
        "debug* troubleshoot* unexpected symptom* failing",
    ),
    QuestionRule(
        QuestionIntent.SECURITY,
        (
            r"\b(?:who|which \w+|what \w+|list|show) .*\b(?:permissions?|access rights?|privileges?|allowed to"
            r"|access to)",
            r"\bwho (?:can|could|may|is able to|has) (?:\w+ )?(?:access|read|see|view|edit|write|delete|open"
            r"|approve|sign|rights|modify)\b",
            r"\b(?:attackers?|intruders?|hackers?|outsiders?|unauthori[sz]ed|stolen|spoof\w*|phishing|ransomware"
            r"|malware)\b",
            r"\baccess (?:to|is|policy|polic\w+|tokens?)\b.*\b(?:controlled|granted|restricted|limited|revoked"
            r"|managed|logged)\b",
            r"\b(?:which|what) (?:\w+ )?(?:needs?|requires?) (?:an? )?(?:\w+ )?(?:key|keys|token|password|login"
            r"|credentials?|permission)\b",
            r"\b(?:need|require)s? (?:an? |any )?(?:api key|token|password|login|credential|permission|authentication"
            r"|authori[sz]ation)s?",
            r"\b(?:vulnerab\w+|exploit\w*|injection|xss|csrf|attack(?:s|ers?)?|malicious|expos(?:e|es|ed|ing|ure)"
            r"|leak\w*)\b",
            r"\b(?:encrypt\w*|hash(?:ed|ing)|clear ?text|plaintext|at rest|in transit)\b",
            r"\b(?:authenticat\w+|authori[sz]ation|oauth|single sign-on|sso|two-factor|2fa|mfa)\b",
            r"\b(?:gdpr|hipaa|personal data|sensitive data|privacy|compliance|pii|data protection)\b",
            r"\b(?:access (?:rights|control)|security|secure|permissions?)\b",
            r"\b(?:rotate|revoke|leaked|protect|safeguard|store) (?:\w+ ){0,3}(?:credentials?|secrets?|keys?"
            r"|tokens?|passwords?)\b",
            r"\bwithout (?:an? |any |the )?(?:\w+ )?(?:login|password|permission|authori[sz]ation|account|token"
            r"|rights|credentials)\b",
            r"\bsafe to (?:run|open|expose|share|use|give|store|eval|execute)\b",
        ),
        "credential* password* secret secrets token permission* privilege* auth* security encrypt* vulnerab* attack* "
        "gdpr breach* firewall tls certificate* trusted untrusted sandbox* injection roles sensitive private access",
    ),
    QuestionRule(
        QuestionIntent.TRACE,
        (
            r"\b(?:path|route|chain|hops?|steps|links?|connection|relations?|relationship|way)s? "
            r"(?:\w+ ){0,3}?(?:between|from)\b",
            r"\b(?:between|from) .+ (?:to|and|back to) .+\b(?:path|route|hops?|connected|graph)\b",
            r"\btrac(?:e|ing)\b|\btrack down\b",
            r"\bhow (?:is|are|was|were) .+ (?:connected|linked|related|tied)(?: (?:to|with)\b|\??$)",
            r"\bhow many (?:steps|hops|people|links|edges|nodes|degrees)\b|\bin (?:how many|what) steps\b",
            r"\b(?:reach|get to|arrive at) .+ from\b|\b(?:linked|connected|related) to .+\?$",
            r"\bhow (?:do|does|did|can|could) .+ (?:connect|relate|link|lead|flow|get) (?:to|into|with|from .+ to)\b",
            r"\b(?:shortest|quickest) (?:path|route|way|chain|connection)\b",
            r"\b(?:path|route|chain|way) (?:connecting|linking|joining|leading|that (?:connects|links|leads))\b",
            r"\bfollow the (?:chain|path|trail|links|edges|route|thread)\b",
            r"^(?:what|which|who) (?:\w+ )?(?:links|connects|joins|ties|bridges|lies? between|lead)\b(?! (?:in)?to\b)",
            r"\bthrough (?:which|what|whom|how many)\b|\balong (?:which|what)\b|\bvia (?:which|what)\b",
            r"\b(?:intermediate|intermediar\w+|degrees of separation|in between|end to end)\b",
            r"\bwhere .+ (?:comes?|came|originates?|stems?) from\b",
            r"\b(?:is there|are there) .*\b(?:connection|link|path|relation|relationship)s? between\b",
        ),
        "path paths route hop hops between connection lineage provenance trace* origin linked connects intermediate",
    ),
    QuestionRule(
        QuestionIntent.IMPACT,
        (
            r"\b(?:depends?|depending|dependents?|dependent|relies|rely|relying|hinges?|builds?) (?:\w+ )?(?:on"
            r"|upon|of)\b",
            r"\b(?:what|who|which|would|will|does|how many|anything|everything) .*\b(?:affected|impacted|break|breaks"
            r"|stop working|suffer|disrupted)\b",
            r"\bif (?:i|we|you|they|someone) (?:\w+ )?(?:delete|remove|rename|change|drop|retire|replace|move|upgrade"
            r"|update|modify|edit|shut|disable|deprecate|turn|lose|stop|kill|switch|take|unplug|merge|refactor|migrate"
            r"|cancel)\b",
            r"\b(?:consequence|repercussion|ramification|side effect|knock-on effect|ripple effect|fallout)s?\b",
            r"\b(?:blast radius|downstream|dependents|reverse dependenc\w+)\b",
            r"\b(?:dependenc(?:y|ies)|prerequisites?) (?:of|for|does|do) \S"
            r"|'s? (?:dependenc(?:y|ies)|prerequisites?)\??$"
            r"|^what (?:does|do|did) (?!i\b|we\b|you\b|one\b|people\b|it take\b).+ (?:need|require)\??$",
            r"\bif (?:the|our|this|that|one|an?) (.+) (?:goes|fails?|closes?|stops?|disappears?|changes?|breaks?"
            r"|leaves?|dies|is|are)\b",
            r"\b(?:impact|effects?) (?:of|on|analysis)\b|\baffected (?:by|if|when)\b",
            r"\b(?:risky|dangerous|safe|problem) (?:is it )?(?:to|for us to) (?:change|modify|remove|delete|touch"
            r"|rename|drop|upgrade|refactor|retire)\b",
            r"^(?:what|which \w+|who) (?:import|include|use|call|consume|need|reference|inherit from|subscribe"
            r" to)s? \S+\??$",
            r"\b(?:everything|anything|all|\w+s) (?:downstream|dependent on|that (?:depends|relies|builds)|affected)\b",
            r"^(?:what|who|which \w+) (?:uses?|calls?|imports?|consumes?|needs?|references?|relies on|inherits"
            r"|reads from|subscribes)\b(?! (?:case|cases))",
            r"\bwhat (?:would |will |could |might )?happens? (?:to|if|when|should)\b",
            r"^what if\b",
            r"^what if .+ (?:fails?|crash(?:es)?|stops?|breaks?|dies?|goes|is (?:down|gone|removed|deleted))\b",
            r"^what (?:would |will |could |might )?happens? (?:if|when|should)\b",
            r"\bwhat else (?:has|have|needs?|must|would|will|should|do)\b.*\b(?:chang|updat|adapt|adjust|touch|fix)",
            r"\bbreak (?:anything|something|things|everything)\b",
            r"\b(?:what|who|which \w+) (?:would|will|is|are|gets?|else) .*\b(?:goes (?:away|down|offline)|disappears?"
            r"|closes?|leaves?|unavailable|is removed|is deleted|quits?)\b",
        ),
        "impact* affect* depend* break breaks consequence* downstream outage ripple dependents deprecat* "
        "removing deleting renaming retiring rely relies",
    ),
    QuestionRule(
        QuestionIntent.COMPARE,
        (
            r"\bcompar(?:e|es|ed|ing|ison)s?\b",
            r"\b(?:vs\b\.?|versus)",
            r"\bdiffer(?:s|ent|ently|ence|ences)?\b(?! database| file| tool| model| server| host| port| language)",
            r"\b(?:pros and cons|trade-?offs?|advantages (?:and|or|of|over)|side by side|head to head|strengths and"
            r" weaknesses)\b",
            r"\b(?:contrast|similarit(?:y|ies)|in common)\b",
            r"\b(?:the same thing|the same as|better than|worse than|faster than|cheaper than|rather than|stack up)\b",
            r"\bwhich (?:\w+ )?(?:is|one is|are) (?:better|faster|cheaper|safer|older|larger|bigger|simpler|easier"
            r"|more)\b",
            r"^(?:\S+ ){0,2}?\S+ or \S+(?: for\b.*| to\b.*|)[?:]?$|^\S+(?: \S+)? or \S+(?: \S+)?(?: for .*)?[?:]|"
            r"\bwhich (?:is|one is) .*\bor\b",
            r"\b(?:distinguish\w*|distinction|sets? .+ apart|tell .+ apart)\b",
            r"^(?:is|are) .+ (?:better|worse|faster|slower|cheaper|safer|older|bigger|more \w+) than\b",
            r"\bhow do(?:es)? .+ (?:differ|stack up|measure up)\b",
        ),
        "compare* comparison versus difference* contrast alike same both each differ* similarities better worse or",
    ),
    QuestionRule(
        QuestionIntent.OPTIMIZE,
        (
            r"\b(?:optimi[sz]\w*|speed(?:ing)? up|accelerat\w+|streamlin\w+|fine-?tun\w+|tuning|tune)\b",
            r"\b(?:reduc|lower|decreas|minimi[sz]|cut|shrink|bring down|trim|sav|halv)\w* (?:on |down )?(?:\w+ ){0,4}?"
            r"(?:cost|bill|latency|memory|time|size|usage|footprint|load|number|amount|consumption|token|overhead|spend"
            r"|money|waste|price|energy|traffic|delay|bandwidth|expense|storage|space|volume)\w*",
            r"\b(?:improv|increas|boost|rais|maximi[sz]|enhanc)\w* (?:\w+ ){0,4}?(?:performance|speed|throughput"
            r"|efficien\w+"
            r"|quality|accuracy|latency|yield|hit rate|conversion|productivity|capacity|scalab\w+|results?|recall)\b",
            r"\b(?:faster|quicker|cheaper|leaner|more efficient\w*|more quickly|less memory|fewer|more scalable"
            r"|smaller)\b",
            r"\b(?:too (?:slow|high|expensive|large|costly|big|much|long|many))\b",
            r"\b(?:slow|sluggish|bottlenecks?)\b",
            r"\b(?:shrink|slim down|downsize|scale down|squeeze)\b|\b(?:get|achieve) (?:more|better"
            r"|higher) (?:\w+ )?(?:throughput|performance|speed|accuracy|results|out of)\b",
            r"\bbring .+ down\b|\bcut (?:down|the)\b",
            r"\b(?:make|get) .+ (?:faster|quicker|cheaper|smaller|run better|more efficient|scale)\b",
            r"\btakes? (?:\w+ ){0,3}(?:seconds|minutes|hours|long|forever|ages)\b",
            r"^" + r"(?:how (?:to|can i|do i|do we|can we) )?(?:reduce|minimi[sz]e|lower|improve|maximi[sz]e)\b",
        ),
        "performance efficien* throughput latency faster cheaper cost costs optimi* improve* reduc* minimi* "
        "maximi* bottleneck* speed slow save savings memory tuning boost waste lower less",
    ),
    QuestionRule(
        QuestionIntent.COMPOSE_WORKFLOW,
        (
            r"\b(?:workflow|pipeline|multi-?step|step[- ]by[- ]step|orchestrat\w+|automat(?:e|es|ed|ing|ion)"
            r"|end-to-end)\b",
            r"\b(?:chain|combine|string|put|glue|tie|wire|hook|plug|stitch|sequence|connect) (?:\S+ ){0,8}?"
            r"(?:together|into (?:one|a)|so that|in(?:to)? (?:a )?(?:row|order|sequence)|one after)\b",
            r"[,;] (?:and )?(?:then|after that|afterwards|finally|next|and finally|followed by)\b|\band then\b"
            r"|\bafter (?:that|which)\b",
            r"\b(?:the|which|what) (?:steps|stages) (?:to|for|of|in|from|needed)\b|\band (?:afterwards|finally"
            r"|subsequently)\b"
            r"|\bso (?:that )?(?:it|they|this) (?:runs?|works?|happens?) (?:on its own|by itself|automatically)\b",
            r"\bfirst\b.+\bthen\b|\bfrom .+ through .+ to\b|\b\w+ing .+, \w+ing .+ and \w+ing\b",
            r"\b(?:what|which) (?:are the )?(?:steps|tools|stages)\b.*\b(?:order|sequence|needed|together|combine)\b",
            r"\b(?:sequence|series|chain|combination|order) of (?:tools|steps|commands|actions|calls|operations"
            r"|tasks)\b",
            r"\b(?:plan|process|procedure|recipe|routine)\b.*(?::|\bto (?:get|move|go|turn|take)\b|\bthat\b)",
            r"\b(?:combine|chain) (?:\S+ ){1,6}(?:and|with)\b",
            r"\b(?:go|get|move|turn) (?:\w+ )?from .+ to\b.*|\bfrom raw .+ to\b|\btogether to\b",
            r"^(?:plan|automate|orchestrate|chain|combine|schedule)\b",
            r":[^,:]+,[^,]+,[^,]+",
        ),
        "workflow* pipeline* chain* steps sequence together then automat* combine order plan process "
        "orchestrat* stages finally afterwards end-to-end compose",
    ),
    QuestionRule(
        QuestionIntent.RECOMMEND,
        (
            r"\b(?:recommend\w*|suggest\w*|advis\w+|advice)\b",
            r"\b(?:what|which|who) (?:\w+ ){0,4}?(?:should|would|ought to) (?:i|we|one|you|be) (?:\w+ )?(?:use|pick"
            r"|choose|take|go|buy|try|read|ask|adopt|start|hire|prefer|invite|select|get|contact)\b",
            r"\b(?:the )?(?:best|ideal|most suitable|right|perfect|optimal|top|most appropriate|good|preferred) "
            r"(?:\w+ ){0,2}?(?:for|way|choices?|options?|picks?|candidate|person|fit|tool|library|one|to (?:use"
            r"|ask))\b",
            r"\b(?:should i|shall i|should we) (?:use|pick|choose|take|go|buy|try|prefer|adopt|switch)\b",
            r"\b(?:top|best) (?:\d+|three|five|ten|choices|picks|options)\b",
            r"\bwhat(?:'s| is| would be| are) (?:the |a )?(?:best|ideal|most suitable|right|good|preferred)\b",
            r"\bwho(?:'s| is| would be) (?:the |a )?(?:best|ideal|most suitable|right|good)\b",
            r"\bworth (?:using|trying|reading|buying|a look)\b",
        ),
        "best recommend* suggest* advise advice ideal suitable prefer* favorite pick choose choice choices "
        "opinion should top",
    ),
    QuestionRule(
        QuestionIntent.EXPLORE,
        (
            r"\b(?:everything|all) (?:we have |there is |you have |you know |that is )?(?:about|on|connected"
            r"|related|around|of|in)\b",
            r"\b(?:overview|tour|summary|map|survey|landscape) (?:of|over)\b|\boverview\b",
            r"\b(?:brows(?:e|ing)|explor(?:e|ing)|look around|poke around|dig around|wander|discover|navigate)\b",
            r"\b(?:list|show|give|display|enumerate)(?: me)?(?: us)? (?:all|every|everything|the (?:neighbou?rs"
            r"|contents|topics))\b",
            r"^(?:explore|browse|discover|survey)\b",
            r"^(?:which|what) \w+ (?:mention|discuss|talk about|deal with|describe|concern|are about|refer to"
            r"|contain)\b",
            r"\btell me (?:more |everything |something )?about\b",
            r"\b(?:what|who|which \w+)(?:'s| is| are| else is| else are)? (?:in the (?:area|field|realm|domain"
            r"|neighbou?rhood)|around|near|nearby|related to|associated with|close to|connected to)\b",
            r"\bwhat else\b.*\b(?:related|about|in|near|there|connected)\b",
            r"\b(?:which|what) (?:topics|areas|themes|categories|kinds?|types?|sorts?|entities|documents|subjects)\b"
            r".*\b(?:cover|are there|exist|do we have|contain|include|available|is there|in)\b",
            r"\bwhat (?:do|does|did) (?:we|you|it|the \w+) (?:have|know|contain|hold|include)\b(?! for)",
            r"\b(?:neighbou?rhood|surroundings|vicinity) of\b|\bpeople around\b|\bthings around\b",
            r"\bwhat(?:'s| is) (?:in|inside|there)\b",
        ),
        "explore* brows* overview everything around related topics list show all discover* neighbours "
        "neighbors area landscape about contents connected",
    ),
    QuestionRule(
        QuestionIntent.CHECK_CAPABILITY,
        (
            r"^(?:so |and |but )?(?:can|could|will|does|do|is|are) (?!i\b|we\b|there\b|anyone\b|someone\b"
            r"|an? (?:attacker|intruder|hacker)\b).*\b(?:handle|support|accept|allow|manage|cope|deal|process|read"
            r"|write|work (?:with|on|in|without|offline|for)|run (?:on|with|in|offline|without)|understand|parse"
            r"|export|import|scale|able|capable|compatible|offline|store|convert|supported|available|possible"
            r"|integrate|provide|let|permit|recogni[sz]e|produce|render|play|print|speak|translate|detect|open|save"
            r"|send|search)\b",
            r"^can (?:it|this|that|the|you|they|an?|\w+_\w+|\w+)\b(?! (?:show|explain|tell|write|make|create|suggest"
            r"|recommend|help|find|give|list|compare|i\b))",
            r"^(?:can|could) (?!i\b|we\b|you\b|anyone\b|someone\b|an? (?:attacker|intruder|hacker)\b)(?:the "
            r"|an? )?(?:\S+ ){1,3}?(?!please\b)\w+ .+",
            r"\b(?:is|are) .+ (?:able|capable|compatible|supported|possible|suitable for|limited to)\b",
            r"\b(?:is|are) .+ (?:allowed|permitted)\b",
            r"\bis it possible\b|\bare we able\b|\bhas? (?:the )?(?:ability|capability|capacity) (?:to|of)\b",
            r"\b(?:have|has|having) (?:the )?(?:ability|capability|support)\b|\b(?:capable of|able to|ability to"
            r"|support for)\b",
            r"^do(?:es)? (?!i\b|we\b|anyone\b|running|using|changing).+\b(?:support|handle|work|accept|allow|let"
            r"|include|have|offer|provide|know|speak|understand|come|keep|persist)\b",
            r"^(?:will|would) (?!i\b|we\b|upgrading|removing|deleting|changing|renaming).+ (?:accept|work|run|handle"
            r"|fit|support|cope|survive|scale|allow|be able)\b",
        ),
        "support supports supported capable capability able possible handle handles compatible limit limits "
        "limitation limitations accept allow allows ability offline feature",
    ),
    QuestionRule(
        QuestionIntent.CONFIGURE,
        (
            r"\b(?:config\w*|settings?|set ?up|setup|setting up|set-up|install\w*|environment variables?|env vars?"
            r"|preferences|parameters?)\b",
            r"\b(?:set|change|adjust|modify|override|edit|switch|tweak|customi[sz]e) (?:the |my |our |its "
            r"|a )?(?:\w+ ){0,3}?(?:timeout|level|default|limit|port|language|path|value|mode|variable|theme|key|url"
            r"|host|locale|interval|size|option|flag|property|proxy|region|timezone|time zone|directory|folder|address"
            r"|format|threshold|layout|currency)\b",
            r"^(?:enable|disable|turn (?:on|off)|switch (?:on|off)|activate|deactivate|toggle|configure|install"
            r"|register|mount)\b",
            r"\b(?:how|where|can i|do i|to) (?:\w+ ){0,3}?(?:enable|disable|turn on|turn off|activate|deactivate"
            r"|switch off)\b",
            r"\bwhere (?:is|are|do i|can i|do we|does one|should i) .*\b(?:set|change|defined|configured|specif\w+"
            r"|put|stored|adjust)\b",
            r"\bpoint (?:the |my |our )?\S+ (?:\w+ )?(?:at|to)\b",
            r"\b(?:which|what) (?:values|options|flags|settings|parameters|environment variables)\b",
            r"\bhow (?:do|can|should|to) .*\bset\b|\bby default\b|\b(?:which|what) (?:port|path|host|timezone"
            r"|locale)\b",
            r"\b(?:connect|hook) (?:it |the \w+ |my \w+ )?up to\b|\bswitch the\b",
        ),
        "configure* configuration setup setting settings install* environment variable variables option "
        "options default enable disable parameter* deploy flag preferences set",
    ),
    QuestionRule(
        QuestionIntent.LEARN,
        (
            r"\b(?:explain|teach|elaborate|clarify|describe)\b",
            r"^(?:so )?(?:how|why) (?:do|does|did|is|are) (?!i\b|we\b|you\b|they\b|one\b)(.+)\b(?:work|works|learn"
            r"|function|operate|behave|happen|exist|matter|important|needed|called|evolve|grow|communicate)\b",
            r"^(?:so )?what(?:'s| is| are| was) (?:an? )(?!best|good|ideal|quick)",
            r"^what (?:do|does|did) (.+) (?:mean|stand for|refer to|do)\b"
            r"|\b(?:meaning|definition|concept|purpose) of\b",
            r"\b(?:tutorial|introduction|intro|primer|basics|fundamentals|beginners?|crash course|lesson|guide (?:to"
            r"|on)|101|course|concept|theory)\b",
            r"\b(?:understand|learn(?: about| how| more)?|study)\b",
            r"\b(?:like i'm|for dummies|in simple (?:terms|words)|in plain \w+|walk me through|the idea (?:of"
            r"|behind|is))\b",
            r"^what is (?!wrong|the (?:difference|best|impact|path|shortest|effect|relationship|connection|overview"
            r"|most|way"
            r"|fastest|cheapest|right|ideal)|connected|related|in\b|affected|around|better)\S+(?: \S+){0,3}\??$",
            r"^what are (?!the\b|our\b|my\b|some\b|related|connected|there)\S+(?: \S+)?\??$",
            r"^why (?:do|does|would|should) (?:i|we|you|one|people|anyone) (?:need|use|want|care|have)\b",
            r"\b(?:i don't|don't|do not) (?:really )?(?:understand|get|know) (?:what|how|why)\b",
        ),
        "explain* learn* understand* tutorial* introduction teach* concept* basics definition mean meaning "
        "means why beginner* example examples theory work works",
    ),
    QuestionRule(
        QuestionIntent.CREATE,
        (
            _START + _MAKE + r"\b(?! sure| sense| .*\b(?:workflow|pipeline|faster|cheaper|quicker|smaller)\b)",
            r"\b"
            + _MAKE
            + r" (?:me |us )?(?:a|an|one|some|the) (?:new|small|simple|custom|basic|quick|first|empty|blank|initial)\b",
            r"\b(?:create|generate|scaffold|draft|implement)\b(?! .*\b(?:workflow|pipeline)\b)",
            r"\b(?:new|empty|blank|boilerplate) (?:\w+ )?(?:function|class|file|node|template|page|document|entity"
            r"|type|project|test|table|module|endpoint|record|report|component|tool|script|entry|service)\b",
            r"\b(?:please |and )?(?:write|make|build|draft|design) (?:one|it|me|us)\b",
            r"\b(?:from scratch|boilerplate|skeleton|stub)\b",
            r"^add (?:a|an|the|another|new)\b",
        ),
        "create* creating generate generating build write draft implement scaffold template new make design add",
    ),
    QuestionRule(
        QuestionIntent.FIND_TOOL,
        (
            r"\b(?:find|locate|search for|look(?:ing)? for|looking up|hunt(?:ing)? for|point me to|seek(?:ing)?"
            r"|searching for|need|want) (?:me |us )?(?:a|an|some|any|the|another|something|anything) ?(?:good |small "
            r"|simple |\w+ ){0,2}?(?:" + _THING + r"|something|anything|to|that|which|for)\b",
            r"\b(?:which|what) (?:\w+ ){0,2}?"
            + _THING
            + r" (?:\w+ )?(?:can|could|would|will|lets?|does|do|is for|for|to|that|"
            r"converts?|\w+s)\b(?! (?:depend|rely|use|need|break|import|call))",
            r"\b(?:is there|are there|do we have|got|have we|have you got|does anyone know|anyone know(?: of)?"
            r"|know of) (?:an?|any|anything|something|some)\b",
            r"\bwhat (?:can|could|do|should) (?:i|we|one|you) (?:use|have|run|call|got)\b",
            r"\bsomething (?:to|that|which|for)\b|\banything (?:to|that|which|for|in here)\b",
            r"\b" + _THING + r" (?:for|that|which|to) \w+",
            r"^(?:find|locate|search for|looking for|find me)\b",
            r"\bwhat do we (?:have|use|run) (?:for|to)\b|\bwhere can i find\b",
        ),
        "tool tools find locate search function utility command library which looking need something",
    ),
)
"""The rules in order of precedence: what asks for a risk or an error outranks what merely names a tool."""


def classify_intent(query: str, rules: Sequence[QuestionRule] | None = None) -> Classification:
    """Return the best three intents over 0.3; equal scores keep the order of the rules, ``RULES`` where none are given.

    Raises:
        InvalidValueError: the query is no string.

    """
    asked = question(query, "The question")
    lowered = " ".join(asked[:READ].lower().replace("’", "'").split())
    scored = [IntentScore(rule.intent, rule.score(lowered)) for rule in (RULES if rules is None else rules)]
    kept = sorted((found for found in scored if found.score > THRESHOLD), key=lambda found: -found.score)
    return Classification(asked, tuple(kept[:KEPT]))
