/** Deals: funding, acquisitions, stake sales, steps to a listing, joint ventures, mergers. */
import type { Deal } from '../../schemas/story.ts';
import type { Reading } from './reading.ts';

const TYPES: readonly (readonly [Deal['type'], RegExp])[] = [
  ['jv', /\b(?:jv|joint venture)\b/i],
  [
    'ipo',
    /\b(?:ipo|drhp|udrhp|public issue|listing|public company|draft (?:papers|prospectus)|go(?:es)? public|sebi (?:nod|approval|go-ahead)|confidential(?:ly)? files?)\b/i,
  ],
  ['merger', /\b(?:merges?|merger|amalgamat\w+)\b/i],
  [
    'acquisition',
    /\b(?:acqui(?:res?|red|ring|sition)|buys?|bought|buyout|to buy|takes? (?:over|control)|takeover|majority stake|controlling stake|buys control|raises \S+ stake|hikes? stake|picks? up)\b/i,
  ],
  [
    'stake_sale',
    /\b(?:sells?|sold|offloads?|divests?|stake sale|block deal|bulk deal|exits|pares|offer for sale|up for grabs|stake)\b/i,
  ],
  [
    'funding',
    /\b(?:rais(?:es?|ed|ing)|bags?|secures?|nets|nabs|mops|fund(?:ing|raise|s)?|invest(?:s|or|ment|ed)?|backs|backed by|series [a-h]|seed|debt|round|infus\w+|pumps?|garners)\b/i,
  ],
];

/** The kind of deal that a text tells; null when it tells none. */
export const dealType = (text: string): Deal['type'] | null => TYPES.find(([, form]) => form.test(text))?.[0] ?? null;

const STAKE_TALK = /\bminority stake\b/i;

/** Reads the deal of an item. @param primary names whom it is about, acquirer first */
export function dealOf(reading: Reading, primary: readonly string[]): Deal | null {
  const title = reading.title.text;
  const type = STAKE_TALK.test(title) ? 'funding' : (dealType(title) ?? dealType(reading.summary.text));
  if (!type) return null;
  const amount = reading.title.figures.find((figure) => figure.kind === 'money')?.text ?? null;
  const bought = type === 'acquisition' || type === 'merger';
  const target = bought ? (primary[1] ?? primary[0] ?? null) : (primary[0] ?? null);
  const buyers = bought && primary.length > 1 ? [primary[0] ?? ''] : investorsIn(reading);
  return { type, amount, target, buyers };
}

/** Investors named in the headline after `led by`, `from`, `by`. */
function investorsIn(reading: Reading): string[] {
  const { title } = reading;
  const names = title.mentions.flatMap((mention) => mention.investor?.name ?? []);
  const led = /\b(?:led by|from|backed by)\s+((?:\p{Lu}[\p{L}\d&.'’-]*\s?){1,5})/iu.exec(title.text)?.[1]?.trim();
  if (names.length === 0 && led && /^\p{Lu}/u.test(led) && !/^Existing/i.test(led))
    names.push(led.replace(/\s+(?:to|for|and)\b.*$/i, ''));
  return [...new Set(names)];
}
