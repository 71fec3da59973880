/**
 * What a headline shows in addition to its words: the kind of act, the stage, the direction, the angle, and whether it is
 * a digest of several stories.
 */
import { cleanHeadline } from '../../facts/text/item-reading.ts';
import { plainText } from '../../language/tokens.ts';

/** The kinds of act of a headline, finer than its kind of move, as a set of bits: two headlines that share none differ. */

const ACTIONS = [
  [
    'funding',
    /\b(?:rais|bags?\b|secur|nets?\b|fund(?:ing|rais)|seed|series [a-h]\b|pre-series|investment|invests?\b|backs?\b|infus|fresh capital)/,
  ],
  ['acquisition', /\b(?:acqui|buys?\b|bought|takeover|takes? (?:over|control)|majority stake|merg|controlling)/],
  [
    'stake sale',
    /\b(?:block deal|stake sale|sells?\b.{0,30}\b(?:stake|shares)|offload|sheds?\b|divest|pares?\b|lock-in)/,
  ],
  [
    'listing',
    /\b(?:ipo|drhp|udrhp|rhp|public issue|draft papers|prospectus|public (?:company|entity)|price band|listing)/,
  ],
  [
    'appointment',
    /\b(?:appoint|names?\b|named|hires?\b|elevat|promot|joins?\b|to lead|to head|ropes? in|onboards?|new (?:ceo|md|cfo|coo|chief|boss)|as (?:ceo|md|cfo|coo|cto|cbo|president|chief)|takes? charge|succeed)/,
  ],
  ['exit', /\b(?:quits?\b|resign|steps? down|stepp|exits?\b|depart|retire|leaves?\b|moves on|outgoing|relinquish)/],
  ['results', /\b(?:q[1-4]\b|quarter|fy\d\d|net (?:profit|loss)|profit|revenue|ebitda|earnings|results|losses)/],
  [
    'opening',
    /\b(?:opens?\b|opened|opening|inaugurat|new (?:store|outlet)|(?:first|\d+(?:st|nd|rd|th)) (?:store|outlet|restaurant)|flagship|footprint)/,
  ],
  [
    'closing',
    /\b(?:shuts?\b|shut down|closes? (?:store|outlet|down)|wind(?:s|ing) (?:up|down)|cease|pauses? .{0,20}operations)/,
  ],
  ['launch', /\b(?:launch|unveil|introduc|debuts?\b|rolls? out|foray|enters?\b|collection|range|variant)/],
  [
    'law',
    /\b(?:court|cci|sebi|rbi|nclt|fssai|tribunal|notice|penalt|fine[ds]?\b|probe|antitrust|case|petition|order(?:s|ed)?\b|ban|gst|tax|law|licen[cs]e|govt|government|centre|ministry)/,
  ],
  ['partnership', /\b(?:partner|ties? up|tie-up|collaborat|joint venture|jv|pact|coalition|alliance|mou)/],
  ['layoff', /\b(?:lay(?:s|ing)? ?offs?|laid off|job cuts|fires? \d|sack)/],
  [
    'expansion plan',
    /\b(?:to (?:open|expand|invest|enter|add|double)|plans?\b|targets?\b|eyes?\b|aims?\b|by (?:fy|20)\d\d)/,
  ],
] as const;

/** The acts of a text as bits. */
export function actionsOf(text: string): number {
  const folded = text.slice(0, 600).toLowerCase();
  let bits = 0;
  for (const [index, [, pattern]] of ACTIONS.entries()) if (pattern.test(folded)) bits |= 1 << index;
  return bits;
}

export const LISTING_ACT = actionsOf('ipo');
/** What one partner calls a launch is a partnership to the other. */
export const JOINT_ACTS = actionsOf('launches partners');

const UP =
  /\b(?:rises?|rose|jumps?|surges?|soars?|grows?|grew|up|hikes?|hiked|increases?|climbs?|gains?|dearer|raises? prices?)\b/i;
const DOWN = /\b(?:falls?|fell|drops?|slips?|declines?|down|cuts?|slashes|lowers?|lowered|slumps?|tumbles?|cheaper)\b/i;

/** The direction of a change in a headline: 1 up, 2 down, 3 both, 0 none. */
export const directionsOf = (title: string): number => (UP.test(title) ? 1 : 0) | (DOWN.test(title) ? 2 : 0);

const ANGLE =
  /^(?:who is|why|how|what|inside|can|will|meet|is|are|should|explained|explainer|interview|opinion)\b|\?|\bexplainer\b|\ba look at\b|\bdeep ?dive\b|\binterview\b|\bhere(?:'|’)?s\b|\bwhat it means\b|\brise and fall\b|\bdebate\b|\bquiz\b/i;

/** True for a headline that comments on an event (a profile, an explainer) and does not report it. */
export const isAngle = (title: string): boolean => ANGLE.test(title);

const STAGES = [
  [
    'talk',
    /\b(?:in talks|mulls?|may|likely|eyes|aims|weighs?(?! on)|considers?|explor|looking to|looks to|prepar|gears? (?:up|for)|said to|plans? to|soon|reportedly in|expected to)\b/i,
  ],
  [
    'file',
    /\b(?:files?|filed|applies|applied|submits?|seeks? (?:approval|nod)|challenges? (?:the|an?|order|ban|law|rules?|in|before))\b/i,
  ],
  ['approve', /\b(?:nod|approv\w+|clears?|cleared|go-ahead|okays?|gets? sebi|upholds?|dismisses|quashes)\b/i],
  ['regulator', /\b(?:cci|sebi|nclt|rbi|court|competition (?:commission|regulator)|high court)\b/i],
  ['open', /\b(?:to open on|opens? on|price band|subscri\w+|day [1-4])\b/i],
  [
    'done',
    /\b(?:completes?|completed|clos(?:es|ed)(?! (?:\d|at|up|down|higher|lower|flat|above|below|store|outlet))|concludes?|list(?:s|ed) (?:at|on)|debuts? at|takes control)\b/i,
  ],
] as const;

/** How far the event is (rumoured, filed, approved, before a regulator, open, done) as bits; a step further is a new fact. */
export function stagesOf(title: string): number {
  let bits = 0;
  for (const [index, [, pattern]] of STAGES.entries()) if (pattern.test(title)) bits |= 1 << index;
  return bits;
}

/** All but talk: what turns a plan into something that was done. */
const DECISIVE = stagesOf('files gets nod sebi day 1 completes');
/** Of these what is done, not by whom: one outlet names the regulator where another does not. */
const ACTED = stagesOf('files gets nod day 1 completes');

/** True when the later headline mentions a decisive stage that the earlier one did not. */
export const isFurther = (later: number, earlier: number): boolean => (later & ~earlier & DECISIVE) !== 0;

/** True when the later headline mentions an act that the earlier one did not: a filing, a nod, an opening to the public, an end. */
export const isLaterAct = (later: number, earlier: number): boolean => (later & ~earlier & ACTED) !== 0;

const TALK = stagesOf('in talks');

/** True for a headline about what may come. */
export const isTalk = (stages: number): boolean => (stages & TALK) !== 0;

const PREVIEW =
  /\b(?:preview|set to (?:show|report|post)|what to expect|ahead of (?:its )?(?:q[1-4]|results|earnings))\b/i;

/** True for a headline about results before they are reported. */
export const isPreview = (title: string): boolean => PREVIEW.test(title);

const LEGAL_STEPS = [
  ['notice', /\b(?:notices?|summon\w*|probe[ds]?|investigat\w+|raid(?:s|ed)?|asks?|directs|directed)\b/i],
  [
    'suit',
    /\b(?:sues?|sued|suits?|lawsuits?|petitions?|moves? (?:the )?(?:high |supreme )?court|appeals?|challenges?)\b/i,
  ],
  ['order', /\b(?:orders?|ordered|fine[ds]?|penal\w+|directs?|directed|bans?|banned|rules?|ruled|ruling|verdict)\b/i],
  [
    'relief',
    /\b(?:stay(?:s|ed)?|quash\w*|relief|sets? aside|overturn\w*|dismiss\w*|rejects?|rejected|upholds?|upheld)\b/i,
  ],
  ['answer', /\b(?:repl(?:y|ies|ied)|respon(?:ds?|ded|se)|denies|denied|defends?|refutes?|affidavit)\b/i],
] as const;

/** The steps of a legal matter (notice, suit, order, relief, answer) that a headline names, as bits. */
export function legalStepsOf(title: string): number {
  let bits = 0;
  for (const [index, [, pattern]] of LEGAL_STEPS.entries()) if (pattern.test(title)) bits |= 1 << index;
  return bits;
}

const ANSWERS = legalStepsOf('stays replies');

/** True when the later headline reports the relief or the answer that follows on what the earlier one reported. */
export const isAnswer = (later: number, earlier: number): boolean => (later & ~earlier & ANSWERS) !== 0;

const LISTING_STEPS = [
  ['board', /\bboard(?:'s|’s)? (?:nod|approv\w+|clears?|okays?)|\bboard nod\b/i],
  ['filing', /\b(?:files?|filed|filing|refiles|u?drhp|draft (?:papers|prospectus)|seeks? (?:sebi|nod))\b/i],
  [
    'regulator',
    /(?<!\bseeks? )\bsebi(?:'s|’s)? (?:nod|approv\w+|clears?|okays?|go-ahead)|\b(?:nod|approval|go-ahead|clearance) (?:from|of|by) sebi\b|\bgets? sebi\b/i,
  ],
  ['price', /\bprice band\b|\banchor\b|\bopens? on\b/i],
  ['first day', /\bday (?:1|one)\b/i],
  ['second day', /\bday (?:2|two)\b/i],
  ['last day', /\bday (?:3|three)\b|\bfinal day\b|\bclose[sd] (?:with|at)\b/i],
  ['listed', /\blist(?:s|ed) (?:at|on)\b|\b(?:market|d-street|dalal street|nse|bse) debut\b|\bdebuts\b/i],
] as const;

/** The steps to a listing that a headline names, as bits. */
export function listingStepsOf(title: string): number {
  let bits = 0;
  for (const [index, [, pattern]] of LISTING_STEPS.entries()) if (pattern.test(title)) bits |= 1 << index;
  return bits;
}

/** So much of a summary is read, in characters. */
const MAX_SUMMARY = 1_600;
const DIGEST = /(?:&|and) more\s*$|\bround-?up\b|\bthis week\b|\bweek(?:ly)? (?:in|funding)\b|\bmorning brief\b/i;

const TALLY = /\bround-?up\b|\bthis week\b|\bweekly\b|\bthis month\b|\bweek in\b/i;

/** True for a tally of a week or month: it is about the sum of many events, and about none of them, even where it names one. */
export const isTally = (title: string): boolean => TALLY.test(title);

interface Lead {
  readonly title: string;
  readonly summary: string;
  /** True when the item contains several stories: only the first counts, the rest is dropped. */
  readonly digest: boolean;
}

/** Most of its words begin small: `A; B` then joins two stories, while in Title Case It Joins Two Facts of one. */
function isSentenceCase(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /^[a-z]{4,}|^[A-Z][a-z]{3,}/.test(word));
  return words.filter((word) => /^[a-z]/.test(word)).length * 2 >= words.length;
}

/**
 * What an item leads with. A digest (`A, B & More`, `A; B`) is about its first event only: matched on the others, it
 * would chain unrelated signals together.
 */
export function leadOf(title: string, summary: string | null): Lead {
  const clean = cleanHeadline(title);
  const text = plainText(summary ?? '', MAX_SUMMARY);
  const more = DIGEST.test(clean);
  const [first = clean, second = ''] = clean.split(more ? /;|,(?!\d)/ : /;\s+(?=[A-Z])/);
  const digest = more || (second.trim().split(/\s+/).length > 2 && isSentenceCase(first));
  if (!digest) return { title: clean, summary: text, digest };
  return { title: first, summary: text.split(/(?<=[.!?])\s/)[0] ?? '', digest };
}
