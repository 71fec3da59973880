/** The lexicon of moves: verbs, nouns and phrases by which headlines report them, in classes. */
import { stem } from './words.ts';

// The verbs and nouns by which headlines report a move, folded; every inflection is listed.

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

export const OPEN = words('open opens opened opening inaugurates inaugurated inaugurate unveils unveil unveiled');
export const LAUNCH = words(
  'launch launches launched launching introduces introduce introduced introducing debuts debut unveils unveil unveiled unveiling brings bring rolls roll drops releases release reveals relaunches refreshes presents showcases',
);
export const RAISE = words(
  'raise raises raised raising bags bag bagged secures secure secured nets net netted gets get closes mops garners receives attracts snags',
);
export const BUY = words(
  'acquire acquires acquired acquiring buys buy bought buying picks takes snaps merges merge acquisition takeover',
);
export const SELL = words(
  'sell sells sold selling offloads offload offloaded divests divest divested exits exit parts pares dilutes trims dumps',
);
export const INVEST = words('invests invest invested investing backs back backed pumps infuses infuse injects commits');
export const APPOINT = words(
  'appoints appoint appointed names name named hires hire hired ropes onboards onboard elevates elevate elevated promotes promote promoted welcomes inducts reappoints designates taps brings',
);
export const LEAVE = words(
  'resigns resign resigned quits quit steps step stepped stepping exits exit exiting leaves leave left departs depart retires retire retired relinquishes',
);
export const REPORT = words(
  'reports report reported posts post posted records record recorded logs clocks clock clocked rises rise rose jumps jump jumped surges surge surged zooms grows grow grew falls fall fell drops drop declines decline declined slips slip slides slumps slump plunges soars soar narrows narrow widens widen crosses cross crossed doubles double doubled triples triple tripled expects expect projects project sees see turns swings tops hits touches generates flags beats misses climbs gains gain dips shrinks halves sold sells',
);
export const GROW = words(
  'expands expand expanded expanding strengthens strengthen strengthened enters enter entered forays foray plans plan planned planning eyes eye eyeing targets target targeting aims aim aiming bets bet betting invests invest partners partner partnered ties tie joins join teams extends extend scales scale scaling ramps ramp boosts boost accelerates accelerate adds add added sets set setting builds build cuts cut lays lay shuts shut closes moves move shifts shift pivots pivot focuses focus deepens deepen doubles explores explore considers consider mulls mull weighs weigh looks look seeks seek signs sign signed collaborates collaborate integrates implements adopts taps tap commissions commission commits commit outlines outline charts chart gears gear prepares prepare goes go reaches reach completes complete crosses hikes hike raises revamps revamp renovates transforms transform restructures offers offer allows allow enables enable lowers lower slashes slash reduces reduce pays pay makes make wins win becomes become gets get says say said tells vows vow keeps keep leans lean readies revises revise resumes resume pauses pause delays delay postpones postpone defers halts halt suspends suspend relocates celebrates celebrate hosts host honours honors leads lead stays remains remain unlocks drives drive spends spend cashes greenlights approves approve sharpens rejigs consolidates merges spins spin demerges rebrands rebrand renames anchors refuels reinforces reimagines redefines diversifies diversify broadens broaden widens ventures kicks begins begin starts start commences commence debuts marks mark selects choose chooses crosses maintains retains retain offers honours clarifies denies deny faces face agrees agree settles settle challenges challenge alleges allege accuses accuse sues sue moves recalls recall withdraws withdraw warns warn files file filed lists list listed takes take took puts put meets meet announces announce announced unveils declares shares reveals outperforms overtakes overtake trails beats promotes intensifies spark sparks forge forges dominates tops ends end emerges tries wants want needs need may might could will would can is are was were has have had to',
);
export const RULE = words(
  'fines fine fined penalises slaps issues bans ban banned probes probe notices quashes rejects reject directs orders order upholds stays summons raids seizes clears asks extends notifies mandates comes come leases lease shelves reopens relocates leads searches seals restrains bars slows rethinks backs adopts trains teases shelves hikes scraps dials nudges counts sweetens readies recalls outlines inks secures pushes pips sees logs weighs returns marks doubles pays faces drives turns crosses ropes unites rejigs reshuffles signals pulls opts opt contributes contribute rides heats faces booms fuels fuel cracks crack fold folds drags drag slaps nears touches eases ease earmarks earmark chalks pours pour fetches fetch ticks switches walks picks hands promises prunes lifts lift nods loses lose lands nabs scoops lists writes leads joins brings gives puts expects welcomes swaps exits tests trials retails doubles spreads takes throws hopes mops reclaims earns bleeds swings halts inaugurates operationalises commissions shortlists drags edges retires elevates onboards funded named hired sets lines gears climbs weigh turns helps help keeps offers proposes propose ropes elevates',
);
/** Verbs that say nothing of the kind of move, and are no part of a name. */
const OTHER_VERBS = words(
  'accelerates achieves achieve addresses address advances advance aligns align allocates allocate allots allot amplifies anticipates appeals appeal appreciates argues arrives arrive asserts assures attains authorises awaits awarded axes battles battle becomes bids bolsters bolster books braces brace breaches breach breaks break bridges broadens bundles calls cancels cancel captures capture carves caters cautions champions clinches claims claim competes compete concludes conclude confirms confirm connects continues continue converts convert counters courts court covers creates create criticises curates curbs curb debunks decides decide declares decries dedicates defends defend delivers deliver demands deploys deploy details develops develop discloses disclose discontinues discontinue discusses dismisses disputes dispute donates downplays draws draw earned elects embarks embark embraces embrace empowers enhances enhance enlists enriches ensures enrols entices envisions envisages equips establishes establish estimates estimate evaluates evaluate evolves examines examine exceeds exceed exhausts explains facilitates fails fail fights fight finalises finalise finds find fires fixes flies floats float follows forecasts forecast foresees forms fosters freezes freeze fulfils gathers grabs grab grants grapples guides halved hails handles heads helms hires holds hold identifies ignites imports imposes impose improves improve increases increase incorporates incurs infringes initiates initiate innovates insists inspires installs intends intensify introduces investigates investigate invites issued joined justifies kickstarts kickstart lacks lashes lauds leased leverages leverage licenses liquidates localises localise locks locked lures manages manage migrates misled mobilises modernises monetises mourns moved navigates negotiates negotiate notches notched notes obtains obtain offset offsets onboarded operates operate opposes oppose optimises organises outlined outpaces outpace outshines overhauls overhaul oversees overturns owes owns paces packs parts partners pauses pegs penalised permits pilots pilot pitches pitch plots plugs plunge poaches poach positions praises predicts predict preps prep pressures prioritises procures produces produce prohibits promised provides publishes purchases purchase pursues pursue questions rakes ranks reacts reaffirms realigns rebounds rebuts recast recasts recognises recommends recommences recovers recover recruits redeems redesigns refiles refinances reflects refunds refund refutes refuses regains regain registers register reiterates relies remodels renews renew reorganises repays repay replaces replace replies replicates repositions reposition requests rescues resets reset reshapes resists resolves responds respond restarts restart restores restore restricts restrict rethink retools retracts reveals reverses reviews review revives revive revolutionises rewrites rolled rules sacks salutes scores scouts scout seals serves serve sheds shed shelve shines shutters shutter simplifies skips slapped slashes slated slipped smashes snapped solicits solves sources spars speeds speed splits split sponsors spotlights squeezes stabilises stages stakes stands steers stems stops stop storms streamlines streamline stretches strikes strike struggles struggle stuns submits submit subscribes succeeds sued supports support surpasses surpass surrenders survives suspended sustains sweeps swells swell tackles targeted terminates terminate thrives tightens tighten tops totals transfers transfer transitions trebles triggers trigger tumbles tumble tweaks tweak undergoes undercuts underlines underscores undertakes unleashes unifies unseats unwinds unwind upgrades upgrade urges urge uses utilises vacates vacate validates vies violates violate visits waives waive weakens weathers withholds withstands witnesses witness woos woo wraps wrap yields zeroes',
);

/** Any of these verbs ends the name of the company that a headline is about. */
export const MOVE_VERBS: ReadonlySet<string> = new Set([
  ...OPEN,
  ...LAUNCH,
  ...RAISE,
  ...BUY,
  ...SELL,
  ...INVEST,
  ...APPOINT,
  ...LEAVE,
  ...REPORT,
  ...GROW,
  ...RULE,
  ...OTHER_VERBS,
]);

/** Nouns and adverbs that end a name too: `FirstCry Q4: Loss Narrows`, `Carlsberg India Confidentially Files`. */
export const NAME_ENDS = words(
  'q1 q2 q3 q4 h1 h2 9m fy24 fy25 fy26 fy27 fy28 fy29 fy30 fy31 ipo drhp agm share shares stock stocks net revenue profit loss losses sales pat ebitda ceo cfo coo cmo cbo cto chro cxo cpo cio ciso svp evp avp md chairman chairperson chief founder founders cofounder cofounders president executive exec director boss veteran investors customers users subscribers employees stores outlets plant unit confidentially reportedly likely set said nears near all now too also again finally officially quietly aggressively in on at for with from by as amid after before ahead via through against under into across vs versus or but while when where why how what who that which than despite its their his her board update results earnings may promoter promoters backer backers investor stake arm business operations probe case notices s valuation gmv order orders fundraise funding acquisition merger listing deal bid workforce price prices app creator event seller delivery prime growth not still no isn isnt hasn about up down off out june july september december quarter',
);

/** Descriptions of a company in front of its name: `D2C Dairy Brand Doodhvale Farms`. */
export const DESCRIPTORS = words(
  'brand brands startup startups platform maker retailer major giant firm chain marketplace company pioneer provider operator enabler label player specialist unicorn soonicorn band importer distributor manufacturer conglomerate producer bottler jeweller grocer etailer rival actor actress designer chef cricketer network boutique aggregator group venture studio app portal house regulator regulators agency agencies leader behemoth heavyweight bellwether brewer distiller developer entity subsidiary arm parent owner business',
);

export const INSTITUTIONS = words(
  'fssai ccpa cci sebi rbi ed cbi gst gstn dgft bis cdsco government govt centre center ministry court hc sc nclt nclat tribunal watchdog department parliament cabinet fda dpiit cbic npci meity income customs police trai',
);

/** Descriptors that are rarely part of a name: the words after one are the name. */
export const STRONG = words(
  'brand startup chain maker platform firm operator importer portal marketplace app retailer rival actor actress designer chef cricketer label startups distributor network pioneer major giant unicorn soonicorn provider manufacturer distiller brewer jeweller grocer etailer bottler supplier company parent owner franchisee licensee',
);

// Word classes: verbs by what they do, nouns by what they name. A class represents all its words, so a headline with a
// word that no labelled text has is still understood. Written as stems (see `stem` in words.ts).

const VERBS: Readonly<Record<string, string>> = {
  open: 'open inaugurate unveil debut arrive land reach enter welcome establish commence operationalise foray host occupy lease anchor add expand throw',
  close: 'close shut shutter wind curtain curtains vacate prune exit pull cease discontinue wrap closure downs',
  launch:
    'launch introduce debut unveil roll release drop present showcase relaunch reveal bring premiere introduce start stock refresh extend forays hit sell serve offer',
  raise: 'raise bag secure net mop garner fetch attract receive snag close nab pocket land collect clinch seek',
  invest: 'invest back infuse inject pump pour put write lead co-lead fund funded finance bankroll',
  buy: 'acquire buy merge snap absorb pick gobble purchase take amalgamate union become consolidate bid own scoop grab',
  sell: 'sell offload divest dilute trim dump pare hive part shed monetise cash demerge spin',
  list: 'list file debut subscribe float',
  appoint:
    'appoint name hire rope onboard elevate promote welcome induct reappoint designate tap bring pick poach recruit join succeed replace head helm run lead anoint assign entrust hand return charge take',
  leave:
    'resign quit step exit leave depart retire relinquish lose bow sack fire oust paper papers departure resignation move vacate goodbye farewell part',
  up: 'rise jump surge zoom grow soar climb gain double triple increase swell rally expand quadruple boom spike lift widen treble widen cross top accelerate',
  down: 'fall drop decline slip slide slump plunge dip shrink halve narrow tumble sink ease slow shed contract moderate weaken crash',
  report:
    'report post record log clock register generate hit touch swing return deliver beat miss state net book see tick',
  expect: 'expect project see guide forecast estimate anticipate foresee predict likely may could might outlook',
  plan: 'plan eye target aim bet mull weigh consider explore look seek intend prepare gear ready chart outline earmark want hope draw propose set line chalk map',
  partner:
    'partner tie team collaborate ally sign join associate integrate license pact together hand onboard tap select',
  build: 'build invest expand set construct commission add ramp scale localise manufacture make produce source',
  cut: 'cut lay fire sack slash trim reduce pause suspend halt freeze restructure rejig reorganise revamp rebrand rename pivot shift overhaul transform repaint rework split simplify merge scale',
  rule: 'fine penalise slap ban probe notice quash reject order direct uphold stay summon raid seize seal restrain bar sue allege accuse challenge recall withdraw mandate notify approve clear nod permit let allow rule hear dismiss petition appeal flag warn pull settle amend hike exempt levy impose tell must comply',
  price: 'hike raise lift cut slash lower reduce increase cost costlier dearer cheaper',
  say: 'say tell believe think feel speak share explain caution warn note reveal talk urge call',
};

const NOUNS: Readonly<Record<string, string>> = {
  store:
    'store outlet showroom shop restaurant cafe salon kiosk boutique clinic flagship counter door branch ebo mbo multiplex screen gym studio lounge bakery brewpub taproom supermarket hypermarket storefront dark-store drive-thru doorstep box pop-up popup footprint megastore superstore',
  estate:
    'mall address lease sq ft square feet space tenant anchor floor storey street centre center plaza complex opening openings high',
  first: 'first second third fourth fifth newest largest biggest debut milestone century another standalone new',
  goods:
    'range collection line edition variant flavour product series model portfolio menu label sub-brand lineup line-up assortment bottle pack kit formula combo pieces style piece sku wear design glasses earbuds diapers slice',
  service:
    'app platform service feature tool assistant subscription membership loyalty programme program delivery plan card chatbot marketplace experience pass rewards ai minute',
  face: 'ambassador campaign face actor actress cricketer endorse endorsement collab capsule film star star',
  price: 'price cost mrp fee tariff discount rupee',
  role: 'ceo cfo coo cmo cto cbo chro cpo cro cio cdo md chief officer director president head chairman chairperson chairwoman vp svp avp evp founder cofounder co-founder board executive manager leader boss helm charge successor veteran partner advisor independent managing seat role post',
  metric:
    'revenue profit loss pat ebitda sales turnover gmv nov arr margin topline bottomline income earning earnings result results order volume growth black red like-for-like ssg sssg business same-store',
  period: 'quarter quarterly q1 q2 q3 q4 h1 h2 9m fiscal year yoy annual half nine-month year-on-year',
  round:
    'series seed round funding fund capital debt bridge pre-seed pre-series angel valuation cheque investor backer venture fundraise fundraising raise round-led unicorn runway table',
  ipo: 'ipo drhp udrhp listing bourse issue offer ofs qip prospectus subscription anchor allotment gmp grey sebi draft debut shareholder share',
  stake:
    'stake majority minority acquisition buyout merger takeover ownership owner parent control holding deal controlling block bulk equity demerger jv venture',
  plant:
    'plant factory facility warehouse hub capacity unit manufacturing line capex centre park campus production kitchen office distribution logistics fleet supply sourcing dairy design innovation r&d',
  pact: 'partnership pact tie-up mou alliance agreement franchise licence license rights collaboration exclusive master',
  market:
    'market country overseas global abroad international india category segment entry exit foray expansion region state metro tier',
  goal: 'goal target vision roadmap strategy blueprint plan ambition push growth focus turnaround restructuring outlook overhaul identity logo rebrand',
  jobs: 'layoff layoffs job employee workforce staff esop hiring pay worker headcount role salary wage',
  legal:
    'notice penalty fine probe raid ban recall lawsuit petition plea verdict relief trademark infringement insolvency bankruptcy violation complaint dispute summon licence fir fraud order case appeal show-cause demand settlement default patent copyright injunction cartel antitrust hallmark stamp label labelling warning',
  authority:
    'fssai ccpa cci bis dgft cbic cdsco dpiit fda court hc sc nclt nclat tribunal regulator government govt centre ministry minister cabinet council parliament police customs watchdog commission legal metrology municipal corporation authority sebi rbi trai ed itat gstn cestat',
  tax: 'gst tax duty levy cess tariff excise customs qco norm norms rule rules policy law bill guideline regulation quota curb',
  survey:
    'survey study report data index analyst association body estimate ranking poll forecast crisil icra nielsen nielseniq kantar redseer bain deloitte pwc ey kpmg jll cbre anarock colliers cushman kearney bcg rai cait ficci cii assocham wazir wfp bernstein technopak euromonitor assochambers knight frank council',
  sector:
    'sector industry market consumers shopper household demand consumption footfall spending makers companies retailers brands majors inflation import export shipment sentiment monsoon season trade exporters jewellers traders volumes leasing',
  leak: 'leak breach cyberattack hack outage fire strike flood incident blaze disruption glitch protest boycott',
  opinion:
    'how why what who inside decoding meet can should is will lesson column diary opinion view essay myth dead reader letter editorial think ask',
  digest: 'digest wrap roundup round-up week weekly brief morning evening bulletin headlines today top must-read recap',
  guide:
    'guide tip ways thing places pick worth best list cafes work weekend gift horoscope recipe quiz coupon review coupon code nominations award summit conclave webinar photo charts explained explainer glossary words history nineties journey story profile memoir remember diary',
  shares:
    'share stock brokerage rally target sensex nifty buy hold rating bourse investor radar intraday multibagger index paise trader bulls bears',
};

const table = (classes: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> => {
  const classesOf = new Map<string, string[]>();
  for (const [name, words] of Object.entries(classes))
    for (const word of words.split(' ')) {
      const key = stem(word);
      const held = classesOf.get(key) ?? [];
      if (!held.includes(name)) classesOf.set(key, [...held, name]);
    }
  return classesOf;
};

const VERB_OF = table(VERBS);
const NOUN_OF = table(NOUNS);
const NONE: readonly string[] = [];

/** The verb classes of a stem. */
export const verbClasses = (key: string): readonly string[] => VERB_OF.get(key) ?? NONE;
/** The noun classes of a stem. */
export const nounClasses = (key: string): readonly string[] => NOUN_OF.get(key) ?? NONE;

/** Verbs of two or more words, and nouns that name an action, by class; matched in folded text. */
export const PHRASES: readonly (readonly [string, RegExp])[] = [
  [
    'open',
    / (?:sets? up|comes? up|throws open|switch(?:es)? on|opens? (?:its )?doors|walks? into|lands? in|newest .{2,25} address|gets? (?:its|a|another|new|three|two|\d+) |makes? .{2,40} address|takes? (?:up )?(?:anchor )?space|foot on pedal|starts? operations|goes (?:live|south|north|east|west)|brings? .{2,30} to |signs? lease|first .{2,20} store|store of its own|shop of its own) /,
  ],
  [
    'close',
    / (?:pulls? down shutters|downs? shutters|shuts? shop|winds? (?:up|down)|curtains for|bids? (?:goodbye|adieu)|moves? out of|calls? time on|goes dark|last day|pulls? out of|vacates?|walks? away from|lets? go of) /,
  ],
  [
    'leave',
    / (?:steps? (?:down|aside|back|away)|stepping down|moves? on|calls? it (?:a day|quits)|puts? in (?:his |her |their )?papers|bows? out|hangs? up (?:his|her) boots|to leave|says? goodbye|parts? ways|calls? time|loses? (?:its )?(?:\w+ ){0,4}(?:head|chief|ceo|cfo|coo|cmo|director|officer|president)|(?:is|set|heads?) (?:out|on the way out)|end of (?:an )?(?:era|innings)|walks? out|leaves? months|founders? (?:to )?(?:exits?|leaves?|quits?|departs?)) /,
  ],
  [
    'appoint',
    / (?:ropes? in|brings? in|takes? (?:over|charge|the helm|the reins)|steps? (?:in|up)|moves? up|moves? to|to (?:head|run|lead|helm)|gets? (?:a )?new|hands? .{2,30} to |joins? .{2,40} (?:as|board)|adds? .{4,30} to board|picks? insider|new (?:ceo|cfo|coo|cmo|chief|head|md|boss)|named|is .{2,30} (?:ceo|cfo|coo|cmo|chief|head)|comes? in as|gets? the (?:top job|nod)|in the corner office) /,
  ],
  [
    'raise',
    / (?:mops? up|writes? (?:the )?(?:lead )?cheque|in the bank|joins? cap table|rounds? up|picks? up .{0,12}(?:mn|million|cr|crore)|closes? .{0,20}round|leads? .{0,14}(?:round|bet)|puts? (?:in|more|₹|rs|\d)|pours?|from (?:existing )?investors|lands? .{0,10}(?:mn|million|cr|crore)) /,
  ],
  [
    'buy',
    / (?:picks? up|takes? (?:over|control|full|\d+)|snaps? up|finds? (?:a )?new owner|becomes? part of|joins? (?:the )?.{2,20} (?:fold|pantry|stable|family|portfolio)|completes? .{0,40}(?:buyout|deal|acquisition|purchase)|on the block|up for sale|hands? over|changes? hands|agree to (?:merge|become)|become one|one company|to hold \d+|closes? .{2,30} deal|union of|walks? away with|nods? to (?:union|merger)) /,
  ],
  [
    'list',
    / (?:moves? towards (?:the )?bourses|hits? (?:the )?(?:bourses|street)|makes? .{0,10}debut|lists? at|debuts? at|issue price|goes? public|ipo|drhp|files? (?:draft|papers|for)|opens? for subscription|price band|gets? sebi|sebi nod) /,
  ],
  [
    'launch',
    / (?:rolls? out|brings? out|hits? (?:the )?(?:shelves|stores|market)|goes? on sale|on sale|puts? .{2,50} on sale|starts? selling|to start selling|comes? out with|adds? .{2,30} to (?:its )?(?:menu|range|line ?up|portfolio|beauty|shelf)|line up grows|gets? .{2,20} (?:wall|flavour|collection|edition)|makes? (?:its )?(?:debut|entry)|bets? on .{2,60} to pull in|goes? premium|now at (?:every|all)|now (?:sells|serves|offers|delivers)|prices? (?:start|from|begin)|nothing above|starting at|for (?:rs|₹) ?\d+|in \d+ minutes|promises .{2,40} in) /,
  ],
  [
    'price',
    / (?:costs? more|to cost|gets? (?:dearer|costlier|cheaper|expensive)|lifts? .{2,40}price|raises? .{0,40}price|hikes?|cuts? .{0,30}price|price (?:hike|cut|rise)s?|prices? (?:up|down)) /,
  ],
  [
    'face',
    / (?:signs? (?:for|up|on)|as (?:its|the|brand) (?:face|ambassador)|its (?:new )?face|brand ambassador|face of|endorses?|teams? up with (?:actor|actress|cricketer|designer)|in (?:new )?campaign) /,
  ],
  [
    'result',
    / (?:back in (?:the )?black|in the (?:black|red)|turns? (?:profitable|around)|breaks? even|ticks? up|profit of|loss of|in (?:june|september|december|march) quarter|for (?:the )?(?:june|september|december|march) quarter|same store|like for like|quarter (?:profit|revenue|loss)|volumes? by|in q[1-4]) /,
  ],
  [
    'rule',
    / (?:told to pay|gets? (?:a )?(?:\S+ ){0,3}notice|sends? notices?|has to|have to|must|called? back|calls? back|comes? under|nods? to|gets? (?:cci|nod|approval)|takes? .{2,30} to court|wins? (?:case|relief|trademark)|is not|becomes? mandatory|under (?:the )?(?:scanner|lens|probe)|lets? |falls? foul|asks? .{2,30} to (?:stop|remove|withdraw|explain)|made mandatory|loses? (?:case|appeal)|moves? (?:court|high court|hc|nclt|tribunal)) /,
  ],
  [
    'plan',
    / (?:lines? up|chalks? out|draws? up|sets? aside|sets? sights|earmarks?|maps? out|plans? to|wants? to|looks? to|aims? to|hopes? to|gears? up|in talks|keen on|may |to enter|to invest|to build|to set up|to double|gets? ₹|to get (?:₹|rs)|at heart of|gateway to|board approves) /,
  ],
  [
    'partner',
    / (?:ties? up|teams? up|joins? hands|tie up|by way of|come by|pact between|to power|co branded|signs? .{2,30} for|goes? live on|now on|together with|hand in hand) /,
  ],
  [
    'survey',
    / (?:data shows?|report says|survey (?:finds|says|shows)|study (?:finds|says|shows)|counts|pegs|clocks? \d+|expands? \d+|market in|more spent on|dearest street|costliest|says? (?:cait|rai|anarock|kearney|jll|cbre|icra|crisil|cushman)) /,
  ],
  [
    'digest',
    / (?:in focus|in the news|week that was|morning digest|evening wrap|must read|top stories|and more|in \d+ charts|in brief|newsletter|key highlights|all you need|ten things|five things) /,
  ],
  [
    'guide',
    / (?:to work from|best .{2,20} deals|deals under|our picks|worth it|up to \d+ off|what is worth|things to|places to|words? of (?:a|the)|photo essay|first job|long live|buy sell or hold|in focus today|target price|brokerage (?:view|radar)|is live here|coupon of|nominations open) /,
  ],
];
