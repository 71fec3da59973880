/** Turns of phrase that indicate a kind of move, or noise. They are features, not verdicts: the models weigh them. */

const STORE =
  '(?:stores?|outlets?|showrooms?|salons?|restaurants?|caf[eé]s?|kiosks?|boutiques?|clinics?|(?:experience|experiential|fulfil?ment|retail) cent(?:re|er)s?|flagship|dark stores?|multiplex|food court|(?:store|retail|offline|omnichannel) (?:count|footprint|network|presence|expansion|space|format|destination)|footprint|ebos?|shop-in-shop|store-in-store|malls?|gyms?|studios?|lounge|bakery|brewpub|taproom|galerie|gallery)';
const METRIC =
  '(?:revenues?|profits?|net loss(?:es)?|loss(?:es)?|pat|ebitda|sales|turnover|gmv|arr|margins?|volumes?|topline|top line|bottom ?line|net income|income|earnings|order value|consumption|results?)';
const CHANGE =
  '(?:ris(?:es?|ing)|rose|jumps?|jumped|surges?|surged|zooms?|grows?|grew|growth|falls?|fell|drops?|dropped|declines?|slips?|slides?|plunges?|soars?|narrows?|widens?|crosses|crossed|doubles?|doubled|triples?|tripled|up|down|climbs?|gains?|dips?|shrinks?|halves|trims?|tops|hits|posts?|posted|reports?|reported|records?|recorded|logs|clocks?|expects?|projects?|sees|misses|beats|turns?|swings|flat|halved|tumbles|sinks|rallies|eases|spikes|at|reaches|touches|generates|estimates?|guides|likely)';
const ROLE =
  '(?:ceo|cfo|coo|cmo|cto|cbo|chro|cpo|cro|cio|cdo|chief|md|managing director|director|president|vice president|vp|avp|svp|head|chair(?:man|person|woman)?|co-?founders?|founder|executive|leadership|general manager|gm|country head|business head|board|advisor|officer|partner|brand head|top deck|rejig)';

/** For text in lower case. */
const form = (pattern: string): RegExp => new RegExp(pattern);
/** For text as written, with its capitals. */
const cased = (pattern: string): RegExp => new RegExp(pattern, 'u');

const CUES: Readonly<Record<string, RegExp>> = {
  'stores:open': form(
    `\\b(?:opens?|opened|opening|inaugurat\\w+|unveils?|launch(?:es|ed)?|adds?|introduces|debuts|sets up|to open|plans?|eyes|targets?|reaches|rolls out|revamps?|relocates|renovates|enters?|crosses|operationalises)\\b.{0,70}\\b${STORE}\\b`,
  ),
  'stores:footprint': form(
    `\\b(?:expands?|strengthens?|grows?|deepens?|scales?|bolsters|widens|extends|doubles)\\b.{0,50}\\b(?:retail|offline|store|omnichannel|physical|brick)\\b.{0,20}\\b(?:footprint|presence|network|reach|count|expansion)\\b`,
  ),
  'stores:footprint-city': form(
    '\\b(?:expands?|strengthens?|grows?|deepens?|bolsters)\\b.{0,40}\\b(?:footprint|presence|expansion)\\b.{0,30}\\b(?:with|in)\\b',
  ),
  'stores:first': form(
    `\\b(?:first|second|third|fourth|fifth|sixth|seventh|\\d+(?:st|nd|rd|th)|largest|biggest|new|standalone|flagship)\\b.{0,40}\\b(?:store|outlet|showroom|restaurant|salon|caf[eé]|boutique|kiosk|clinic|experience cent(?:re|er)|studio|flagship)\\b`,
  ),
  'stores:close': form(
    `\\b(?:clos(?:es|ed|ing)|shuts?|shutters?)\\b.{0,40}\\b(?:stores?|outlets?|restaurants?|showrooms?)\\b`,
  ),
  'stores:count': form(
    `\\b\\d[\\d,+-]*\\s?(?:new |more |additional |exclusive |dark |experiential |offline |retail |franchise |urban |micro )*(?:stores?|outlets?|showrooms?|restaurants?|caf[eé]s|salons?|kiosks?|(?:experience |fulfil?ment )?cent(?:re|er)s|cities|screens|dark stores|locations|doors)\\b`,
  ),
  'stores:operations': form(
    '\\b(?:begins?|starts?|commences?|launches)\\b.{0,20}\\boperations\\b|\\bleases?\\b|\\bsq\\.? ?ft\\b|\\bsquare feet\\b',
  ),
  'stores:count-planned': form(
    `\\b(?:plans?|targets?|eyes|aims?|adds?|to open|expan(?:d|ds|sion)|reach(?:es)?)\\b.{0,80}\\b\\d[\\d,+]*\\s?(?:\\w+ ){0,2}(?:stores|outlets|showrooms|restaurants|caf[eé]s|cent(?:re|er)s|salons|dark stores|kiosks)\\b`,
  ),
  'stores:brings-city': form(
    '\\b(?:brings|arrives|comes|lands|debuts)\\b.{0,60}\\b(?:to|in) (?:mumbai|delhi|bengaluru|hyderabad|chennai|pune|kolkata|ahmedabad|jaipur|lucknow|gurugram|noida|goa|kochi|chandigarh|indore|surat)\\b',
  ),
  'stores:on-cards': form(
    '\\bstores? on the cards\\b|\\bstore-in-store\\b|\\brevamped\\b.{0,40}\\bstore\\b|\\boutlets? in\\b|\\bdark stores\\b|\\bdelivery\\b.{0,30}\\bcities\\b|\\bto \\d+\\+? cities\\b',
  ),
  'deals:raise': form(
    '\\b(?:rais(?:es?|ed|ing)|bags?|bagged|secures?|secured|nets|nabs|mops up|garners|closes|snags|attracts|receives|lands|gets)\\b.{0,40}(?:₹|rs\\.?\\s?\\d|\\$|usd|\\bmn\\b|\\bcr\\b|crore|million|funding|capital|seed|series|debt|investment|round|bridge)',
  ),
  'deals:funding-words': form(
    '\\b(?:funding|fundraise|fundraising|series [a-h]\\b|seed (?:round|funding|investment)|pre-seed|pre-series|led by|debt round|angel round|bridge round|venture debt|term sheet|valuation|co-?led)',
  ),
  'deals:invest': form(
    '\\b(?:invests? (?:in|rs|₹|\\$)|backs|to invest in|infus\\w+|pumps|turns investor|strategic investor|picks up .{0,15}stake|onboards .{0,50}investor|brand ambassador and investor)\\b',
  ),
  'deals:acquire': form(
    '\\b(?:acqui(?:res?|red|ring|sition)|buys?|buyout|takeover|takes? (?:over|control)|majority stake|controlling stake|merg(?:es?|er|ing)|amalgamat\\w+|slump sale|to buy|buys control|stake to|bids? for|snaps up|demerg\\w+|divests?|for sale|up for grabs|open offer)\\b',
  ),
  'deals:stake': form(
    '\\b(?:stake|block deals?|bulk deals?|offloads?|sells? (?:its |shares|stake|\\S+ shares|\\d)|pares|exits? .{0,25}(?:return|stake|investment)|offer for sale|ofs|lock-in|secondary sale|share sale|rights issue|qip|preferential)\\b',
  ),
  'deals:ipo': form(
    '\\b(?:ipo|ipos|u?drhp|public issue|public company|listing|draft papers|red herring|pre-ipo|anchor investors?|price band|subscribed|gmp|confidential(?:ly)? fil\\w+|sebi (?:nod|approval|go-ahead|clearance)|go(?:es)? public|stock market debut|market debut|grey market)\\b',
  ),
  'deals:jv': form('\\b(?:joint venture|jv)\\b'),
  'people:appoint': form(
    `\\b(?:appoint(?:s|ed|ment)?|names|named|hires?|ropes? in|elevates?|promotes?|onboards?|inducts?|welcomes?|re-?appoints?|designates?|brings in|taps|picks|gets new)\\b.{0,70}\\b${ROLE}\\b`,
  ),
  'people:charge': form(
    `\\b(?:takes? (?:over|charge)|to take charge|joins?|moves? to|returns?|steps? in|to join|assumes?|succeeds?|replaces)\\b.{0,40}\\b(?:as|${ROLE})\\b`,
  ),
  'people:leave': form(
    '\\b(?:steps? (?:down|aside|back)|stepping down|resigns?|resignation|quits?|to exit .{0,20}chair\\w*|exits? as|exit as|to step down|moves? on|departs?|sacks|fires? ceo|retires?)\\b',
  ),
  'people:team': form(
    '\\b(?:leadership (?:team|changes?|rejig|reshuffle|transition|exits?)|top-level|senior leaders|senior management|executive roles|new ceo|cxo|appointments?)\\b',
  ),
  'people:exiting': form(
    '\\b(?:exiting|to lead|set to take charge|to head|new (?:india )?(?:head|ceo|md|cfo|chief)|joins? as|co-?founders?.{0,40}(?:exit|join)|appointment)\\b',
  ),
  'results:growth': form(
    '\\b(?:sees?|records?|logs?|reports?|posts?|registers?|clocks?)\\b.{0,25}\\b(?:strong|robust|record|double-digit|weakest|muted|flat|\\d+x)\\b.{0,25}\\b(?:growth|performance|sales|demand|quarter|year)\\b',
  ),
  'results:expects': form(
    '\\b(?:expects?|projects?|eyes|guides|sees|anticipates?|estimates?)\\b.{0,30}\\b(?:q[1-4]|quarter|fy\\d\\d|profit|revenue growth|margins?)\\b',
  ),
  'results:main-figure': form(
    '\\b(?:profit|loss|revenue|sales|pat|ebitda|turnover)\\b.{0,30}(?:%|\\bpc\\b|per cent|₹|\\brs\\b)|\\bto (?:rs\\.?|₹)\\s?\\d[\\d,.]* ?(?:cr|crore)',
  ),
  'results:metric-change': form(`\\b${METRIC}\\b.{0,25}\\b${CHANGE}\\b|\\b${CHANGE}\\b.{0,45}\\b${METRIC}\\b`),
  'results:period': form(
    '\\b(?:q[1-4]|h[12]|9m)\\b|\\b(?:first|second|third|fourth|june|march|september|december)[- ]quarter\\b|\\b(?:april|july|october|january)-(?:june|september|december|march)\\b',
  ),
  'results:year': form('\\bfy\\s?\\d\\d\\b|\\bfiscal\\b'),
  'results:update': form(
    '\\b(?:business update|quarterly update|q[1-4] update|preview|earnings|results|same-store|like-for-like|lfl|sss?g|results today|pat|yoy|y-o-y|year-on-year|quarterly)\\b',
  ),
  'results:sold': form(
    '\\b(?:sells|sold|sales|orders?|gmv|arr)\\b.{0,30}(?:\\bunits\\b|\\brecord\\b|\\bmillion\\b|\\bcr\\b|\\bcrosse[sd]\\b)|\\bcrosse[sd]\\b.{0,20}(?:₹|rs)',
  ),
  'launches:launch': form(
    '\\b(?:launch(?:es|ed|ing)?|introduc(?:es|ed|ing)|unveil(?:s|ed|ing)?|rolls? out|debuts?|releases?|brings?|presents?|drops?|reveals?|relaunch\\w*|forays? into|enters?|adds)\\b.{0,70}\\b(?:range|collection|line|edition|variant|flavou?rs?|series|product|products|portfolio|app|platform|service|feature|brand|drink|snacks?|whisky|gin|beer|perfume|fragrance|serum|cream|phone|smartphone|laptop|tv|menu|programme?|campaign|offers?|tool|assistant|segment|category|model|label|format|sub-brand|watch|sneakers?|wear|gifting|hampers?|subscription|membership|loyalty)\\b',
  ),
  'launches:portfolio': form(
    '\\b(?:expands?|strengthens?|enhances|extends?|diversifies|broadens?|bolsters|enriches)\\b.{0,40}\\b(?:portfolio|range|collection|line-?up|offerings?|menu|category|menu)\\b',
  ),
  'launches:plain': form('\\b(?:launch(?:es|ed)?|unveils?|introduces?|debuts?|relaunch\\w*|releases?|drops)\\b'),
  'launches:price': form(
    '\\b(?:price (?:hikes?|cuts?|rise|drop|increase)|hikes? prices?|cuts? prices?|raises? prices?|costlier|cheaper|slashes prices?|free delivery|platform fee|fees?)\\b',
  ),
  'launches:face': form(
    '\\b(?:brand ambassador|ambassador|campaign|signs .{0,40}(?:as|face)|collaborat\\w+ with|limited[- ]edition|collab)\\b',
  ),
  'launches:sale': form(
    '\\b(?:sale|prime day|big billion|offers?|festive offers?|independence day|rakhi|raksha bandhan|discounts?|deals)\\b.{0,40}\\b(?:begins?|starts?|returns?|kicks|live|announces?|from)\\b|\\bannounces?\\b.{0,30}\\b(?:sale|offers)\\b',
  ),
  'launches:brings': form(
    '\\bbrings?\\b.{0,70}\\bto india(?:n consumers)?\\b|\\bmakes? market debut\\b|\\benters? .{3,45}\\b(?:segment|category|services?|wear|market)\\b.{0,10}\\bwith\\b|\\bexperience\\b|\\bai-powered\\b|\\bloyalty (?:rewards|programme?)\\b',
  ),
  'strategy:plan': form(
    '\\b(?:plans? to|aims?|eyes|targets?|targeting|bets?|betting|doubles? down|roadmap|vision 20\\d\\d|strategy|growth (?:plan|engine|chapter|play)|ambition|pivots?|push|focus(?:es)?|overhaul|restructur\\w*|rejig|next growth|blueprint|outlook|long-term|turnaround)\\b',
  ),
  'strategy:capex': form(
    '\\b(?:plant|manufacturing|factory|facility|capacity|capex|production|warehouse|supply chain|r&d|sourcing|unit in|greenfield|foundation stone|solar|logistics|exports?|invest(?:s|ing|ment)?\\s(?:of\\s)?(?:around |over |up to )?(?:rs|₹|\\$))\\b',
  ),
  'strategy:partner': form(
    '\\b(?:partners?(?: with)?|partnership|ties up|tie-up|teams up|collaborat\\w+|joins hands|mou|alliance|integrates?|implements?|onboards|selects|signs (?:pact|mou|agreement|deal)|franchise rights|master franchise|licen[cs]ing)\\b',
  ),
  'strategy:entry': form(
    '\\b(?:enters? india|india entry|enters? (?:the )?(?:\\w+ ){0,2}market|india debut|forays? into|global expansion|international expansion|overseas|middle east|expands? (?:to|into)|ventures? into|comes to india|exit india|exits india)\\b',
  ),
  'strategy:cut': form(
    '\\b(?:lays? off|layoffs?|job cuts|cuts? \\d+ jobs|cut \\d+ jobs|shuts? (?:down|shop)|winds? (?:up|down)|workforce|pauses?|suspends?|halts?|fires \\d|shutdown|ceases|scales back|rebrands?|renames?|hiv(?:es|ing) off|spins? off|debt-free|cost[- ]cutting)\\b',
  ),
  'strategy:target-money': form(
    '\\b(?:targets?|eyes|aims?|bets?)\\b.{0,40}(?:₹|rs\\.?\\s?\\d|\\$|\\d+x|\\d+ ?%|\\d+ pc)',
  ),
  'rules:safety': form(
    '\\b(?:lapses|food safety|unsafe|adulterat\\w+|contaminat\\w+|bis norms|prohibition order|licen[cs]e|antitrust case|regulator flags|taken action|crackdown|dues)\\b',
  ),
  'rules:action': form(
    '\\b(?:fin(?:es?|ed)|penalt(?:y|ies)|notices?|show-?cause|probe[sd]?|raids?|bans?|banned|recalls?|lawsuit|sues?|sued|petition|plea|verdict|relief|quash\\w*|trademark|infring\\w+|insolvency|bankruptcy|violations?|misleading|complaint|legal (?:notice|threat|battle|action|row)|dispute|settles?|stays?|summons|seizes?|cancels? licen[cs]e|licen[cs]e (?:suspended|cancelled)|fir|fema|antitrust|fraud|challenges?|moves (?:high court|hc|sc|court))\\b',
  ),
  'rules:policy': form(
    '\\b(?:gst|tax|duty|duties|tariffs?|quality control orders?|qco|pli|policy|norms|guidelines|rules?|regulations?|bill|law|draft|excise|mrp|licen[cs]e|mandat\\w+|labelling|label|fdi|e-?commerce policy|bis certification|import curbs|amend\\w*|labour codes?|gig workers?)\\b',
  ),
  'rules:government': form(
    '\\b(?:govt|government|centre|ministry|minister|cabinet|state|states|parliament|regulator)\\b',
  ),
  'other:sector': form(
    '\\b(?:sector|industry|market|consumers?|shoppers|companies|firms|brands|makers|retailers|demand|households|e-?commerce|quick commerce|fmcg|d2c)\\b.{0,60}\\b(?:to (?:grow|post|reach|touch|see|hit|double|face|outpace|moderate)|grow(?:s|ing|th)?|ris(?:e|es|ing)|fall(?:s|ing)?|drop(?:s)?|slow(?:s|down)?|surge[sd]?|boom(?:s|ing)?|pick(?:s)? up|likely|expected|record|costlier|shift(?:s|ing)?|at)\\b',
  ),
  'other:sector-subject': form(
    "^(?:'|‘)?(?:[\\w&-]+\\s){0,4}(?:companies|firms|makers|majors|brands|sector|industry|consumers|shoppers|buyers|retailers|demand|sales|prices|manufacturers|imports|exports|loans|market|ecommerce|e-commerce|commerce|diamonds|packs|spending|volumes|shipments|eateries|restaurants|traders|jewellers)\\b(?!\\s(?:brand|startup|firm|platform|company|major|player|maker)\\b)",
  ),
  'other:counts': form(
    '\\b(?:weekly active users|orders per minute|esops?|stock options|shareholding|market share|adoption|record \\d+|most[- ]ordered|remuneration|pay cut|salary)\\b',
  ),
  'other:report': form(
    '\\b(?:report|survey|study|data|crisil|icra|nielsen\\w*|kantar|redseer|bain|bcg|deloitte|ey|kpmg|pwc|rai|ficci|cii|assocham|icai|anarock|jll|cbre|knight frank|colliers|systematix|equirus|nuvama|jefferies|analysts?|economists?|ratings|world gold council|analysis)\\b',
  ),
  'other:demand': form(
    '\\b(?:demand|consumption|footfalls?|imports?|exports|prices?|shipments|inflation|sentiment|spending|sales of|shortage|supply crunch|heatwave|monsoon|festive (?:season|demand)|wedding season|gold)\\b',
  ),
  'noise:explainer': form(
    "^(?:how|why|what|who|meet|inside|can|is|are|will|should|does|decoding|understanding|from|the story|explained)\\b|\\bexplain(?:ed|er)\\b|\\bhere(?:'|’)?s (?:how|why|what|all)\\b|\\bthings to know\\b|\\bword of the day\\b|\\?$",
  ),
  'noise:list': form(
    '^(?:top |best )?\\d+ (?:\\w+ ){0,3}(?:ways|tips|lessons|teachings|things|startups|books|reasons|ideas|trends|brands|founders|places|hidden|powerful|must)\\b|\\bto watch\\b',
  ),
  'noise:market': form(
    '\\b(?:shares? (?:jump|rise|fall|surge|slump|tumble|hit|rally|drop|gain|soar|tank|zoom|dip|slip|in focus|end|close|trade|crash)\\w*|stocks?|target price|52-week|buy rating|brokerages?|dalal street|sensex|nifty|multibagger|rall(?:y|ies)|all-time high|upper circuit|bullish|investors lose|share price|tumbles \\d|jumps \\d)\\b',
  ),
  'noise:voice': form(
    '^[\'"‘“]|\\b(?:says?|on why|on how|on the|interview|speaks|shares (?:insights|his|her)|believes)\\b',
  ),
  'noise:profile': form(
    '\\b(?:journey|built|building|story|success|lessons|founder who|legacy|secret|rise and fall|playbook|future of|age of|era of|next phase|reshap\\w+|transform\\w+|redefin\\w+|rethink\\w*|behind|is solving|aims to simplify|is building|wants to)\\b',
  ),
  'noise:promo': form(
    '\\b(?:deals on|best deals|gift ideas?|shop now|offer zone|grab|gifts? for|styling tips|summit|conclave|conference|award(?:s|ed)?|webinar|masterclass|edition of|hackathon|devsparks|techsparks|anniversary|felicitat\\w+)\\b',
  ),
  'noise:person': form(
    '\\b(?:net worth|salary|remuneration|who is|padma|dies|passes away|passing|birthday|viral|heir|fortune|wife|son|daughter)\\b',
  ),
  'noise:fund': form(
    '\\b(?:vc (?:firm|fund)|first close|final close|closes (?:maiden|first|second|third)? ?fund|launches .{0,20}(?:fund)\\b|fund [iv]+\\b|aif|lp\\b|gp\\b|family office|crore fund|cr fund)',
  ),
};

const CASED: Readonly<Record<string, RegExp>> = {
  'stores:enters-place': cased(
    '\\b(?:[Ee]nters?|[Ee]xpands? (?:[Tt]o|[Ii]n|[Ii]nto)|[Dd]ebuts [Ii]n|[Ff]orays [Ii]nto|[Aa]rrives [Ii]n|[Cc]omes [Tt]o)\\s+\\p{Lu}',
  ),
  'people:appoint-name': cased(
    '\\b(?:[Aa]ppoints?|[Nn]ames|[Rr]opes [Ii]n|[Hh]ires|[Ee]levates)\\s+(?:[Ff]ormer\\s|[Ee]x-\\S+\\s|(?:\\S+ )?[Vv]eteran\\s)?\\p{Lu}\\p{Ll}+\\s\\p{Lu}',
  ),
  'noise:speaker': cased(':\\s+(?:\\S+ ){0,3}\\p{Lu}\\p{Ll}+(?:\\s\\p{Lu}\\p{Ll}+){1,3}(?:,\\s.{2,40})?$'),
  'rules:regulator': cased(
    '\\b(?:FSSAI|CCPA|CCI|FDA|BIS|DGFT|CBIC|CDSCO|DPIIT|NPCI|Enforcement Directorate|ED|GST Council|[Hh]igh [Cc]ourt|[Ss]upreme [Cc]ourt|HC|SC|NCLT|NCLAT|[Cc]ourt|[Tt]ribunal|[Dd]rug [Rr]egulator|[Ff]ood [Rr]egulator|[Aa]ntitrust|[Ww]atchdog)\\b',
  ),
};

const TAIL = /\s(?:amid|after|ahead of|despite|following|as|before|even as|while|but)\s/i;
const ADJECTIVE = /\b(?:ipo|funding)-bound\b/gi;

/** The main clause of a headline: without `IPO-bound` and without the clause that only gives the background (`… after IPO`). */
export function mainClause(title: string): string {
  const text = title.replace(ADJECTIVE, '');
  const tail = TAIL.exec(text.slice(20));
  return tail ? text.slice(0, 20 + tail.index) : text;
}

const FORMS = Object.entries(CUES);
const CASED_FORMS = Object.entries(CASED);

/** Finds the cues in a text, by name. */
export function findCues(text: string): string[] {
  const lower = text.toLowerCase();
  const cues: string[] = [];
  for (const [name, pattern] of FORMS) if (pattern.test(lower)) cues.push(name);
  for (const [name, pattern] of CASED_FORMS) if (pattern.test(text)) cues.push(name);
  return cues;
}
