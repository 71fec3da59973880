/** Roles, however they are written: the seats that a role names, and the lenses that it belongs to. */
import type { Lens } from '../../schemas/moves-by-kind.ts';

/** Abbreviations. A role is split into words first, so `MD & CEO` has two of them. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['ceo', 'chief executive officer'],
  ['coo', 'chief operating officer'],
  ['cfo', 'chief financial officer'],
  ['cto', 'chief technology officer'],
  ['cio', 'chief information officer'],
  ['cmo', 'chief marketing officer'],
  ['cbo', 'chief business officer'],
  ['cgo', 'chief growth officer'],
  ['cro', 'chief revenue officer'],
  ['cdo', 'chief digital officer'],
  ['cpo', 'chief product officer'],
  ['cso', 'chief strategy officer'],
  ['chro', 'chief human resources officer'],
  ['ciso', 'chief information security officer'],
  ['md', 'managing director'],
  ['evp', 'executive vice president'],
  ['svp', 'senior vice president'],
  ['vp', 'vice president'],
  ['avp', 'vice president'],
  ['gm', 'general manager'],
  ['hr', 'human resources'],
  ['tech', 'technology'],
]);

/** Two names of one part of a company. */
const SAME_PART: ReadonlyMap<string, string> = new Map([
  ['finance', 'financial'],
  ['finances', 'financial'],
  ['operations', 'operating'],
  ['operation', 'operating'],
  ['technical', 'technology'],
  ['people', 'human resources'],
  ['human resource', 'human resources'],
  ['merchandise', 'merchandising'],
  ['supply', 'supply chain'],
  ['brand and marketing', 'marketing'],
]);

const PART = '[a-z]+(?: (?:and )?[a-z]+){0,2}';
const CHIEF_OFFICER = new RegExp(`\\bchief (${PART}?) officer\\b`, 'g');
const CHIEF_EXECUTIVE = /\bchief executive\b(?! officer)/;
const CHIEF_OF = /\b([a-z]+(?: chain| resources)?) chief\b/;
/** Seats that one phrase names, in the order in which a longer name rules out a shorter one inside it. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bmanaging director\b/, 'managing director'],
  [/\bindependent director\b/, 'independent director'],
  [/\bnon executive director\b/, 'non-executive director'],
  [/\b(?:executive|whole ?time|joint) director\b/, 'executive director'],
  [/\badditional director\b/, 'additional director'],
  [/\bvice chair(?:man|person|woman)?\b/, 'vice-chairperson'],
  [/\b(?:co )?chair(?:man|person|woman)?\b/, 'chairperson'],
  [/\b(?:co ?)?founder\b/, 'founder'],
  [/\b(?:executive |senior )?vice president\b/, 'vice president'],
  [/\bpresident\b/, 'president'],
  [/\bcompany secretary\b/, 'company secretary'],
  [/\bgeneral manager\b/, 'general manager'],
  [/\b(?:board|director)\b/, 'director'],
];
const HEAD_OF = new RegExp(`\\bhead (?:of |for )?(${PART})$`);
const HEAD = new RegExp(`\\b(?:(?:global|national|senior|country|group) )?(${PART}) head\\b`);

const wordsOf = (role: string): string =>
  role
    .normalize('NFKC')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
    .split(' ')
    .map((word) => SHORT.get(word) ?? word)
    .join(' ');

const partOf = (part: string): string => SAME_PART.get(part) ?? part;

/**
 * The seats that a role names, each in one form: `CFO`, `finance chief` and `Chief Financial Officer of X` are all
 * `chief financial officer`; `MD & CEO` is two. A role of another form is one seat, as it is written.
 */
export function seatsOf(role: string | null): string[] {
  if (role === null) return [];
  let words = wordsOf(role);
  const seats = new Set<string>();
  for (const [, part = ''] of words.matchAll(CHIEF_OFFICER)) seats.add(`chief ${partOf(part)} officer`);
  words = words.replaceAll(CHIEF_OFFICER, ' ');
  if (CHIEF_EXECUTIVE.test(words)) seats.add('chief executive officer');
  const chief = CHIEF_OF.exec(words)?.[1];
  if (chief) seats.add(`chief ${partOf(chief)} officer`);
  for (const [form, seat] of PHRASES) {
    if (!form.test(words)) continue;
    seats.add(seat);
    words = words.replace(form, ' ');
  }
  const head = (HEAD_OF.exec(words) ?? HEAD.exec(words))?.[1];
  if (head) seats.add(`head of ${partOf(head)}`);
  if (seats.size === 0 && words.trim()) seats.add(words.trim().slice(0, 80));
  return [...seats];
}

/** Seats that a company has several of, or that cannot be taken over. */
const SHARED = new Set([
  'vice president',
  'general manager',
  'independent director',
  'non-executive director',
  'executive director',
  'additional director',
  'director',
  'founder',
]);

/** Those of some seats that one person at a time has in a company. */
export const singleSeats = (seats: readonly string[]): string[] => seats.filter((seat) => !SHARED.has(seat));

const READ_FOR: readonly (readonly [Lens, RegExp])[] = [
  ['c_suite', /\bchief \w.* officer\b|\bchief executive\b|\bmanaging director\b|\bpresident\b|\b\w+ chief\b/],
  [
    'board',
    /^director\b|\b(?:(?:managing|independent|executive|whole ?time|joint|additional|nominee|group) director|board|chair(?:man|person|woman)?)\b/,
  ],
  ['founders', /\bco ?founder\b|\bfounder\b/],
  ['marketing', /\b(?:marketing|brands?|growth|communications?|creative|advertising|public relations|media)\b/],
  ['technology', /\b(?:technology|technical|information|product|digital|data|engineering|ai|analytics|software)\b/],
  ['finance', /\b(?:financ\w+|accounts?|accounting|treasur\w+|investor relations)\b/],
  [
    'operations',
    /\b(?:operat\w+|supply|logistics|retail|stores?|merchandis\w+|procurement|sourcing|manufacturing|fulfil?ment|expansion)\b/,
  ],
  ['people', /\b(?:human resources?|people|talent|culture)\b/],
];

/** The lenses of a role; none where the role is not stated. A vice president is not a president. */
export function lensesOf(role: string | null): Lens[] {
  if (role === null) return [];
  const words = wordsOf(role).replace(/\bvice president\b/g, 'vice');
  return READ_FOR.flatMap(([lens, form]) => (form.test(words) ? [lens] : []));
}
