/** The kinds of move that a question's words ask about. */
import type { Move } from '../../schemas/scalar.ts';

/** Words of each kind; a word may speak for several. They are understood by it, so evidence need not repeat them. */
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

export interface MoveWord {
  readonly move: Move;
  readonly start: number;
  readonly end: number;
}

/** Every word that speaks for a kind of move, with its place. */
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
