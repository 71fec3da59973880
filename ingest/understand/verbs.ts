/** The verbs and nouns by which headlines tell a move, folded; every inflection stands by itself. */

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

/** Any of these ends the name of whom a headline is about. */
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
]);

/** Nouns and adverbs that end a name too: `FirstCry Q4: Loss Narrows`, `Carlsberg India Confidentially Files`. */
export const NAME_ENDS = words(
  'q1 q2 q3 q4 h1 h2 9m fy24 fy25 fy26 fy27 fy28 fy29 fy30 fy31 ipo drhp agm share shares stock stocks net revenue profit loss losses sales pat ebitda ceo cfo coo cmo cbo cto chro md chairman chairperson chief founder founders cofounder cofounders president executive exec director boss veteran investors customers users subscribers employees stores outlets plant unit confidentially reportedly likely set said nears near all now too also again finally officially quietly aggressively in on at for with from by as amid after before ahead via through against under into across vs versus or but while when where why how what who that which than despite its their his her board update results earnings may promoter promoters backer backers investor stake arm business operations probe case notices s valuation gmv order orders fundraise funding acquisition merger listing deal bid workforce price prices app creator event seller delivery prime growth not still no isn isnt hasn about up down off out june july september december quarter',
);

/** What a company is, in front of its name: `D2C Dairy Brand Doodhvale Farms`. */
export const DESCRIPTORS = words(
  'brand brands startup startups platform maker retailer major giant firm chain marketplace company pioneer provider operator enabler label player specialist unicorn soonicorn band importer distributor manufacturer conglomerate producer bottler jeweller grocer etailer rival actor actress designer chef cricketer network boutique aggregator group venture studio app portal house regulator regulators agency agencies leader behemoth heavyweight bellwether brewer distiller developer entity subsidiary arm parent owner business',
);

export const INSTITUTIONS = words(
  'fssai ccpa cci sebi rbi ed cbi gst gstn dgft bis cdsco government govt centre center ministry court hc sc nclt nclat tribunal watchdog department parliament cabinet fda dpiit cbic npci meity income customs police trai',
);

/** Descriptors that hardly ever stand inside a name: what follows one is the name. */
export const STRONG = words(
  'brand startup chain maker platform firm operator importer portal marketplace app retailer rival actor actress designer chef cricketer label startups distributor network pioneer major giant unicorn soonicorn provider manufacturer distiller brewer jeweller grocer etailer bottler company',
);
