/** What a question takes for a fact, and whom it is about. Pure. */
import type { Move } from '../../schemas/scalar.ts';
import type { Span } from './query-names.ts';
import { COMPARE, seatIn } from './query-words.ts';
import type { TypedQuery } from './typed-query.ts';

/** Words by which a question counts or names who reported. */
export const REPORTED_BY =
  /\b(?:(?:reported|covered|confirmed|carried|mentioned|written) )?(?:about )?(?:by|from|in)? ?(?:at least|minimum of|minimum|more than|over)? ?\w+(?: or more| plus)? (?:\w+ )?(?:outlets|sources|publications|papers|newspapers|publishers|reports)\b/;
const SIDE = '@([bum]\\d+)';
const THING = '(?: (?!@)[a-z0-9.&]+){0,5}?';
const BUYS =
  '(?:acquire[sd]?|acquiring|buy|buys|bought|buying|take over|takes over|took over|taking over|purchase[sd]?|invest in|invests in|invested in|investing in|merge with|merged with|merging with|back|backs|backed|sell|sold|selling|pay for|paid for)';
const PREMISES: readonly (readonly [Move, RegExp, swapped: boolean])[] = [
  [
    'people',
    new RegExp(
      `${SIDE} (?:s )?(?:\\w+ )?(?:joins?|joined|joining|left|leave|leaves|leaving|quit|quits|resign|resigned|resigns|step down|stepped down)${THING} ${SIDE}`,
    ),
    false,
  ],
  [
    'deals',
    new RegExp(`(?:acquisition|takeover|purchase|buyout|investment) (?:of|in)${THING} ${SIDE} by ${SIDE}`),
    true,
  ],
  [
    'deals',
    new RegExp(
      `${SIDE} (?:was |is |being |get |got |been )*(?:acquired|bought|taken over|purchased|backed|funded) by ${SIDE}`,
    ),
    true,
  ],
  ['deals', new RegExp(`${SIDE} (?:is |has |was |did |will |just |really )*${BUYS}${THING} ${SIDE}`), false],
];

/** What a question takes for a fact, where it names both sides; the one who acts, or the person, is the subject. */
export function premiseIn(masked: string, spans: ReadonlyMap<string, Span>): TypedQuery['premise'] {
  if (COMPARE.test(masked)) return null;
  const side = (name: string | undefined): NonNullable<TypedQuery['premise']>['subject'] | null => {
    const meaning = name ? spans.get(name)?.meaning : undefined;
    if (meaning?.type === 'brand') return meaning.brand;
    if (meaning?.type === 'mention') return { slug: null, name: meaning.mention.name };
    return meaning?.type === 'unknown' ? { slug: null, name: meaning.name } : null;
  };
  for (const [kind, form, swapped] of PREMISES) {
    const match = form.exec(masked);
    const [one, other] = [side(match?.[1]), side(match?.[2])];
    if (!match || !one || !other) continue;
    const text = match[0].replace(/@([bumpkt]\d+)/g, (_, name: string) => side(name)?.name ?? '').trim();
    return { kind, subject: swapped ? other : one, object: swapped ? one : other, text: text.slice(0, 300) };
  }
  return null;
}

const MOVED =
  '(?:join|joins|joined|left|leave|leaves|quit|quits|resign|resigned|step|stepped|go|went|replace|replaced|replaces|head|heads|lead|leads|s exit|s resignation|s appointment|s role|appointed|promoted|elevated|named|move|moved)';

/** "Who did he replace?" asks for the one before, "who replaced him?" for the one after. */
const PREDECESSOR = /\bwhom? (?:did|does|will|has|have|is) (?:@u\d+|\w+) (?:replac|succe)/;
const SUCCESSOR = /\bwho (?:will |is |has |was )?(?:replac|succe)/;
/** Other words by which the one before or after somebody is asked for. */
const ASKS_OTHER =
  /\b(?:replac|succe|predecess|t(?:ook|akes?|aking) over|in place|instead|fill|shoes|before (?:@u|h[ei]|she|them)|after (?:@u|h[ei]|she|them)|follow)/;

/**
 * Whom a question asks about, with the placeholder of the name that is the person's.
 * @param learned which way the person moved, whether the one before or after is meant, and whether a person is asked for
 */
export function personIn(
  masked: string,
  spans: ReadonlyMap<string, Span>,
  {
    direction,
    asks: learnedAsks,
    isAsked,
  }: Pick<NonNullable<TypedQuery['person']>, 'direction' | 'asks'> & { readonly isAsked: boolean },
): { person: TypedQuery['person']; taken: string | null } {
  const named = new RegExp(
    `@(u\\d+) (?:\\w+ )?${MOVED}|\\b(?:appoint\\w*|hir(?:e|ed)|replac\\w*|succe\\w*|who is|name|named|promot\\w*|about) @(u\\d+)`,
  ).exec(masked);
  // Who is asked about by one name is that person, unless the name is that of where they work.
  const [only, ...others] = isAsked ? masked.matchAll(/(?<!\b(?:at|for|from|in|of) )@(u\d+)/g) : [];
  const taken = named?.[1] ?? named?.[2] ?? (others.length === 0 ? only?.[1] : null) ?? null;
  const asks = PREDECESSOR.test(masked)
    ? 'predecessor'
    : SUCCESSOR.test(masked)
      ? 'successor'
      : ASKS_OTHER.test(masked)
        ? learnedAsks
        : null;
  const meaning = taken ? spans.get(taken)?.meaning : undefined;
  const name = meaning?.type === 'unknown' ? meaning.name : null;
  return {
    person: { role: seatIn(masked), direction: asks ? null : direction, name, asks },
    taken: name ? taken : null,
  };
}
