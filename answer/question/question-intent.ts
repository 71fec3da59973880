/** What a question asks for: a list, a number, a comparison, a person or a result, and of which kind of move. */
import type { Move } from '../../schemas/scalar.ts';

/** What a question wants: a list, a number, a comparison, a person, a result. */

export type Measure =
  | { readonly of: 'stores'; readonly status: 'opened' | 'closed' | 'planned' }
  | { readonly of: 'moves' }
  | { readonly of: 'raised' }
  | { readonly of: 'spent' };

export interface Intent {
  /** Null for a question that wants no number. */
  readonly measure: Measure | null;
  /** True where the measure is to be compared between brands, named or not. */
  readonly compares: boolean;
  /** The result that is asked for, such as `profit`; null for none. */
  readonly metric: 'profit' | 'loss' | 'revenue' | null;
  /** Who: a person in a role. */
  readonly person: 'joined' | 'left' | 'promoted' | 'any' | null;
  /** Asks for advice, a forecast or a text of another kind: nothing that a record of moves can answer. */
  readonly outside: boolean;
  /** Asks for more than an answer holds: an overview, a landscape, a strategy. */
  readonly broad: boolean;
}

const COUNT = /\bhow many\b|\bnumber of\b|\bcount (?:of|the)\b|\btotal (?:number|count|openings|stores|deals)\b/i;
const AMOUNT = /\bhow much\b|\bwhat (?:amount|sum)\b|\btotal (?:funding|amount|raised)\b/i;
const COMPARE = /\b(?:vs\.?|versus|compare[sd]?|comparison|compared (?:to|with)|side by side)\b/i;
const MORE =
  /\b(?:who|which|what)\b.*\b(?:more|most|fewer|fewest|less|least|bigger|biggest|larger|largest|higher|highest)\b|\bmore .*\bthan\b/i;
const STORES = /\b(?:stores?|outlets?|showrooms?|shops?|cafes?|restaurants?|openings?|doors)\b|\bopen(?:ed|s|ing)?\b/i;
const CLOSED = /\b(?:clos(?:e|es|ed|ing|ures?)|shut(?:s|ting|tered)?|exit(?:s|ed)?)\b/i;
const PLANNED =
  /\b(?:plan(?:s|ned|ning)?|will|upcoming|going to|intend(?:s)?|announce[sd]?|target(?:s|ed|ing)?|aim(?:s|ed|ing)?|to open)\b/i;
const RAISED = /\b(?:rais(?:e|es|ed|ing)|fund(?:ing|raise|raised|ed)?|secured?|mop(?:ped)? up)\b/i;
const SPENT = /\b(?:paid|pay|spen[dt]|buy|bought|acqui(?:re|red|sitions?))\b/i;
const OUTSIDE =
  /\bshould (?:i|we|one) (?:buy|sell|invest|hold|open|start|apply|choose|go|shop|wear|eat|work)\b|\b(?:predict|forecast|guess|bet)\b|\bwill (?:the )?(?:\w+ ){0,4}(?:stock|shares?|price|sensex|nifty)\b|\b(?:stock|share) (?:price|target|tip)|\btarget price\b|\bwrite (?:me )?(?:a|an|some)\b|\b(?:poem|joke|song|recipe|essay|story about)\b|\bignore (?:all|any|the|your|previous|prior)\b|\bsystem prompt\b|\byour (?:instructions|prompt|rules)\b|\b(?:translate|pretend|act as|you are now|jailbreak)\b|\bwho are you\b/i;
const BROAD =
  /\b(?:overview|landscape|state of|outlook|trends?|deep dive|analysis|analyse|analyze|strategy|strategies|everything|how (?:is|are) .* (?:doing|changing|evolving)|what is happening (?:in|across)|competitive)\b/i;
const METRICS = [
  ['loss', /\blos(?:s|ses)\b/i],
  ['profit', /\b(?:profits?|net income|bottom ?line|pat|earn(?:ed|ings)?)\b/i],
  ['revenue', /\b(?:revenues?|turnover|sales|top ?line)\b/i],
] as const;
const ROLE =
  /\b(?:ceo|cfo|coo|cmo|cto|chro|chief|head|director|president|chairman|chairperson|boss|executive|founder|managing director)\b/i;

const personOf = (text: string): Intent['person'] => {
  if (!/\bwho\b|\bwhom\b|\bname the\b/i.test(text) && !/\bnew (?:ceo|cfo|coo|cmo|cto|chief|head)\b/i.test(text))
    return null;
  if (/\b(?:left|leav|quit|resign|step(?:s|ped)? down|exit|depart)/i.test(text)) return 'left';
  if (/\b(?:promot|elevat)/i.test(text)) return 'promoted';
  if (/\b(?:join|appoint|hire|took over|takes over|new)/i.test(text)) return 'joined';
  return ROLE.test(text) ? 'any' : null;
};

function measureOf(text: string): Measure | null {
  const [counts, amounts, more] = [COUNT.test(text), AMOUNT.test(text), MORE.test(text) || COMPARE.test(text)];
  if (!counts && !amounts && !more) return null;
  if (RAISED.test(text) && !(counts && !amounts)) return { of: 'raised' };
  if (amounts && SPENT.test(text)) return { of: 'spent' };
  if (amounts) return null;
  if (STORES.test(text) && !/\b(?:moves?|signals?|stories)\b/i.test(text)) {
    const status = CLOSED.test(text) ? 'closed' : PLANNED.test(text) ? 'planned' : 'opened';
    return { of: 'stores', status };
  }
  return counts || more ? { of: 'moves' } : null;
}

/** Reads what a question wants from its words alone. */
export function readIntent(text: string): Intent {
  const metric = METRICS.find(([, form]) => form.test(text))?.[0] ?? null;
  const measure = metric && !COUNT.test(text) ? null : measureOf(text);
  return {
    measure,
    compares: COMPARE.test(text) || MORE.test(text),
    metric: measure ? null : metric,
    person: personOf(text),
    outside: OUTSIDE.test(text),
    broad: BROAD.test(text),
  };
}

/** Words of each kind of move; a word may indicate several. Evidence need not contain them. */
const WORDS: readonly (readonly [Move, RegExp])[] = [
  [
    'stores',
    /\b(?:open(?:s|ed|ing|ings)?(?! to)|stores?|outlets?|showrooms?|shops?|shut(?:s|ting|ters|down)?|clos(?:e|es|ed|ing|ures?)|expan(?:d|ds|ded|ding|sion)|footprint|debut(?:s|ed)?)\b/gi,
  ],
  [
    'deals',
    /\b(?:deals?|rais(?:e|es|ed|ing)|fund(?:ing|s|ed|raise|raises|raising)?|invest(?:s|ed|ing|ment|ments|or|ors)?|acqui(?:re|res|red|ring|sition|sitions)|b(?:uys?|uying|ought)|takeovers?|takes? over|stakes?|merg(?:e|es|ed|er|ers)|ipos?|series [a-e]|rounds?|valuation|m&a|share sales?|stake sales?|rights issue|qip|public issue|price band|share swap)\b/gi,
  ],
  [
    'people',
    /\b(?:appoint(?:s|ed|ment|ments)?|hir(?:e|es|ed|ing)|join(?:s|ed|ing)?|resign(?:s|ed|ation|ations)?|quits?|left|leav(?:e|es|ing)|step(?:s|ped)? down|promot(?:ed|ion|ions)|elevated|ceos?|cfos?|coos?|cmos?|ctos?|chros?|chief \w+(?: \w+)? officer|chiefs?|managing director|leadership|executives?|people moves?|boss|heads?|who (?:leads|runs))\b/gi,
  ],
  [
    'results',
    /\b(?:results?|revenues?|profits?|loss(?:es)?|earn(?:s|ed|ings?)|ebitda|margins?|turnover|sales|same-store|gmv|top ?line|bottom ?line|financials?)\b/gi,
  ],
  [
    'launches',
    /\b(?:launch(?:es|ed|ing)?|products?|pric(?:e|es|ed|ing)|collections?|unveil(?:s|ed)?|roll(?:s|ed)? out|introduc(?:e|es|ed|ing)|ambassadors?)\b/gi,
  ],
  [
    'strategy',
    /\b(?:strateg(?:y|ies|ic)|partner(?:s|ed|ing|ships?)?|tie[- ]?ups?|collaborat(?:e|es|ed|ion|ions)|pilots?|restructur(?:e|es|ing)|rebrand(?:s|ed|ing)?)\b/gi,
  ],
  [
    'rules',
    /\b(?:rules?|regulat(?:ion|ions|or|ors|ory)|laws?|legal|courts?|lawsuits?|fin(?:e|es|ed)|penalt(?:y|ies)|bans?|banned|gst|tax(?:es)?|notices?|complian(?:ce|t)|fssai|cci|sebi|trademark)\b/gi,
  ],
];

interface MoveWord {
  readonly move: Move;
  readonly start: number;
  readonly end: number;
}

/** Every word that indicates a kind of move, with its place. */
export const moveWords = (text: string): MoveWord[] =>
  WORDS.flatMap(([move, form]) =>
    [...text.matchAll(form)].map((match) => ({ move, start: match.index, end: match.index + match[0].length })),
  );

/** `launches` by the words that name the kind itself rather than something that happened to it. */
export const NOUNS: Readonly<Record<Move, readonly [one: string, many: string]>> = {
  stores: ['store move', 'store moves'],
  deals: ['deal', 'deals'],
  people: ['people move', 'people moves'],
  results: ['result', 'results'],
  launches: ['launch', 'launches'],
  strategy: ['strategy move', 'strategy moves'],
  rules: ['regulatory or legal move', 'regulatory or legal moves'],
  other: ['other move', 'other moves'],
};
