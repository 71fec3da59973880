/** Seats: the words of a text that name what somebody is or was in a company, without the clause around them. */
import { MOVE_VERBS } from '../../language/lexicon.ts';
import { fold } from '../../language/tokens.ts';

const FIELD =
  'finance|financial|operations?|operating|technology|tech|technical|marketing|product|people|human resources?|hr|business|growth|revenue|commercial|digital|data|information|strategy|supply chain|logistics|merchandising|retail|sales|design|creative|brand|legal|communications?|sustainability|innovation|manufacturing|sourcing|customer|e-?commerce|store|india|category|investment|risk|compliance|administrative';
const CHIEF = `(?:${FIELD}) director|chief (?:${FIELD}|executive)(?: and (?:${FIELD}))?(?: officer)?|(?:${FIELD}) (?:chief|head)`;
/** Seats in letters: `CEO`, `CHRO`, `MD`, `SVP`. */
export const SHORT_SEAT = '(?:C[A-Z]{1,2}O|CHRO|CISO|MD|[SAE]?VP)';
const ROLE = new RegExp(
  `\\b(?:(?:[Cc]o-?)?[Ff]ounder(?:(?:,| and| &) )?)?(?:${SHORT_SEAT}(?:(?:\\s?[&/]\\s?| and )${SHORT_SEAT})?(?![A-Za-z])|(?:(?:non-executive|independent|vice|deputy|joint|whole-?time|executive|managing|additional|interim) )*(?:chair(?:man|person|woman)|director)(?: (?:and|&) (?:CEO|chief executive(?: officer)?))?|${CHIEF}|head of (?:${FIELD})|(?:senior |executive )?vice president|president|company secretary|general manager)\\b|\\b(?:[Cc]o-?)?[Ff]ounder\\b|\\bboard\\b`,
  'giu',
);
/** Maximum distance, in characters, between a name and the role that belongs to it. */
const MAX_ROLE_DISTANCE = 45;
const FORMERLY = /\b(?:former|ex|erstwhile|previously|earlier)[\s-]+(?:[\p{L}'’]+\s){0,2}$/iu;
/** `To remain on board`, `brings somebody on board`: no seat. */
const ON_BOARD = /\b(?:on|off|across)\s+(?:the\s+|its\s+)?$/i;

/**
 * Finds the role nearest to a person's name in a sentence, the one before it first: `DMart chief operating officer
 * Girish Raghavan`, `names Rohan Bajwa Chief Business Officer`. A former role does not count.
 */
export function findRole(text: string, person: string): string | null {
  const start = text.indexOf(person);
  if (start < 0) return null;
  const end = start + person.length;
  let best: { role: string; distance: number } | null = null;
  for (const match of text.matchAll(ROLE)) {
    const after = match.index >= end;
    const distance = after ? match.index - end : start - (match.index + match[0].length);
    const before = text.slice(0, match.index);
    if (distance < 0 || distance > MAX_ROLE_DISTANCE || FORMERLY.test(before)) continue;
    // `The board appoints`: a board before the name is who decides.
    if (/^board$/i.test(match[0]) && (!after || ON_BOARD.test(before))) continue;
    const between = after ? text.slice(end, match.index) : text.slice(match.index + match[0].length, start);
    // The role is in another clause.
    if (/[.;:]\s/.test(between)) continue;
    if (!best || distance < best.distance) best = { role: match[0], distance };
  }
  return best?.role ?? null;
}

/** A seat has one of these words in it; anything else after a name is a clause. */
const SEAT =
  /\b(?:C[A-Z]{1,2}O|CHRO|CISO|MD|[SAE]?VP|heads?|chief|chair(?:man|person|woman)?|director|president|officer|manager|partner|founder|cofounder|secretary|controller|advis[eo]r|mentor|board|trustee|treasurer|counsel|lead|leader|boss|consultant|designer|chef|strategist|economist|evangelist|principal|dean|executive)\b/i;
/** A seat in another sense: `executive roles`, `leadership team`. */
const NOT_A_SEAT = /^(?:roles?|positions?|duties|team|body|committee|search|exits?|changes?|churn|rejig|reshuffle)$/i;
/** Words after which a clause, a time or a place begins. */
const ENDS = new Set(
  'as amid while even to after before ahead following with from who that when since because it he she effective in on by will has have is was says said until post over under despite starting succeeding succeeds replacing replaces till during against without within days weeks months years hours'.split(
    ' ',
  ),
);
/** Words between a seat and what it is of: `President of Core Business`, `Director for India`. */
const JOINTS = new Set(['of', 'for', '-', 'at']);
const TERM = /^(?:\d+|one|two|three|four|five|six|seven|ten|a|another|next|second|third|further|fresh|new|full)$/i;
const CLAUSE_OF_PERSON = /^(?:to|will|has|is|was|had|as|who)$/;
const AFTER_SEAT = /^(?:designate|elect|emeritus|officer)$/i;
/** Words that stand before a seat and are no part of it. */
const ARTICLES = /^(?:(?:its|the|a|an|new|their|his|her|be|group’s|group's|first|next)\s+)+/i;
/** What somebody runs is no seat: `to lead Instamart`. */
const RUNS = /^(?:lead|head|run|helm|steer|spearhead|drive|oversee)\s(?!of\b|for\b)/i;
const MAX_WORDS_BEFORE = 5;
const MAX_WORDS_AFTER = 6;

const SEAT_WORD = new RegExp(`^(?:${SEAT.source})$`, 'i');
const bare = (word: string): string => word.replace(/^[^\p{L}\p{N}&-]+|[^\p{L}\p{N}&)]+$/gu, '');

/** An ambassador lends a face and joins nothing. */
export const AMBASSADOR = 'brand ambassador';

/**
 * Reads the seat that a text begins with: `CEO of Home Division after a search` is `CEO of Home Division`, `CFO, shares
 * rise 2%` is `CFO`, `chairman days after the exit` is `chairman`.
 * @returns null when the text does not begin with a seat; `AMBASSADOR` for who lends a face
 */
export function readSeat(text: string): string | null {
  const source = text.replace(ARTICLES, '').trim();
  if (RUNS.test(source)) return null;
  const words: string[] = [];
  let end = '';
  for (const word of source.split(/\s+/).slice(0, MAX_WORDS_BEFORE + MAX_WORDS_AFTER + 4)) {
    const before = words.at(-1) ?? '';
    end = fold(bare(word));
    if (ENDS.has(end) || /^[\d₹$(–—]/.test(word) || /[;:!?|)]$|\p{Ll}\.$/u.test(before)) break;
    if (before.endsWith(',') && (!/^\p{Lu}/u.test(word) || MOVE_VERBS.has(end) || /^(?:shares?|stock)$/.test(end)))
      break;
    words.push(word);
  }
  if (/\b(?:ambassador|the face)\b/i.test(words.join(' '))) return AMBASSADOR;
  const isSeat = (word: string | undefined): boolean => SEAT_WORD.test(bare(word ?? '').split('/')[0] ?? '');
  const first = words.findIndex(isSeat);
  // Another clause, or another person, comes before the seat.
  const inFront = words.slice(0, Math.max(0, first));
  if (first < 0 || first > MAX_WORDS_BEFORE || inFront.some((word) => /[,;:]$|^and$/i.test(word))) return null;
  if (inFront.some((word) => /^\p{Ll}/u.test(word) && MOVE_VERBS.has(fold(bare(word))))) return null;
  let last = first;
  // `CFO, Priya Verma CMO`: the seat of another person.
  for (let index = first + 1; index < words.length; index++) {
    if (!isSeat(words[index])) continue;
    const apart = words.slice(last, index).some((word) => word.endsWith(','));
    if (apart && index - last > 2) break;
    last = index;
  }
  if (NOT_A_SEAT.test(bare(words[last + 1] ?? ''))) return null;
  const lead = words.slice(0, last + 1);
  const rest = words.slice(last + 1);
  if (AFTER_SEAT.test(bare(rest[0] ?? ''))) lead.push(...rest.splice(0, 1));
  const seat = [...lead, ...extentOf(lead, rest, end, isSeat)].join(' ').replace(/[,.;:'’"”\s]+$/u, '');
  return seat.length >= 2 && seat.length <= 80 ? seat : null;
}

/** The words after a seat that say what it is of; none where something else begins. */
function extentOf(
  lead: readonly string[],
  rest: readonly string[],
  end: string,
  isSeat: (word: string) => boolean,
): readonly string[] {
  const joint = fold(bare(rest[0] ?? '')) || rest[0];
  const continues = lead.at(-1)?.endsWith(',') || (joint && JOINTS.has(joint));
  if (!continues || rest.length > MAX_WORDS_AFTER || rest.some(isSeat)) return [];
  // `CEO designate, Asha Rane to step down`: a clause about another person.
  if (lead.at(-1)?.endsWith(',') && CLAUSE_OF_PERSON.test(end)) return [];
  // `MD for five years`, `CEO for a second term`: how long, and not what of.
  if (joint === 'for' && TERM.test(bare(rest[1] ?? ''))) return [];
  if (rest.some((word) => /^\p{Ll}/u.test(word) && MOVE_VERBS.has(fold(bare(word))))) return [];
  // `CFO and Asha Rane as COO`: another person.
  const other = end === 'as' ? rest.findIndex((word) => /^(?:and|&)$/i.test(word)) : -1;
  const own = other < 0 ? [...rest] : rest.slice(0, other);
  while (own.length > 0 && /^(?:of|for|and|at|&|-)$/i.test(bare(own.at(-1) ?? '') || (own.at(-1) ?? ''))) own.pop();
  return own;
}

/** `Chairman at the annual meeting`: a place that is no company of the text. */
const withoutPlace = (seat: string): string =>
  seat.replace(/\s+at\s.*$/i, '').replace(/\b(of|for) (?:its|the) /g, '$1 ');

/** A company as a text writes it, and as the story names it. */
export interface KnownCompany {
  readonly written: string;
  readonly name: string;
}

/**
 * Splits a seat from the company that it names: `Oziva CEO` and `CEO of Oziva` are `CEO` at Oziva.
 * @param companies those that the text names
 */
export function splitSeat(seat: string, companies: readonly KnownCompany[]): { seat: string; company: string | null } {
  const lower = seat.toLowerCase().replace(/’/g, "'");
  for (const { written, name } of companies) {
    const key = written.toLowerCase().replace(/’/g, "'");
    if (!key) continue;
    const before = lower.startsWith(key) ? /^(?:'s)?\s+/.exec(lower.slice(key.length)) : null;
    const own = before ? seat.slice(key.length + before[0].length) : '';
    if (own && SEAT.test(own)) return { seat: withoutPlace(own.replace(ARTICLES, '')), company: name };
    const after = lower.endsWith(key) ? /\s(?:of|at|for|in)\s(?:the\s)?$/.exec(lower.slice(0, -key.length)) : null;
    if (after) return { seat: seat.slice(0, after.index), company: name };
  }
  return { seat: withoutPlace(seat), company: null };
}
