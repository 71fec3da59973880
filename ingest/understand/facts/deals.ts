/** Deals: funding, acquisitions, stake sales, steps to a listing, joint ventures, mergers. */
import type { Deal } from '../../../schemas/story.ts';
import type { Reading } from '../item-reading.ts';
import { sliceOf } from '../tokens.ts';

const TYPES: readonly (readonly [Deal['type'], RegExp])[] = [
  ['jv', /\b(?:jv|joint venture)\b/i],
  [
    'ipo',
    /\b(?:ipo|drhp|udrhp|public issue|listing|public company|draft (?:papers|prospectus)|go(?:es)? public|sebi (?:nod|approval|go-ahead)|confidential(?:ly)? files?)\b/i,
  ],
  ['merger', /\b(?:merges?|merger|amalgamat\w+)\b/i],
  [
    'acquisition',
    /\b(?:acqui(?:res?|red|ring|sition)|buys?|bought|buyout|to buy|takes? (?:over|control)|takeover|majority stake|controlling stake|buys control|raises \S+ stake|hikes? stake|picks? up|complet\w+ (?:the |its )?purchase|to purchase|purchase of)\b/i,
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

/** The kind of deal that a text reports; null for none. */
const dealType = (text: string): Deal['type'] | null => TYPES.find(([, form]) => form.test(text))?.[0] ?? null;

const RAISED =
  /\b(?:rais(?:es?|ed|ing)|bags|secures?|secured|nets|nabs|closes|garners|(?:picks?|picked) up(?= (?:over |about )?(?:₹|rs|inr|\$|usd)))\b.{0,40}(?:funding|seed|series|round|debt|capital|₹|rs|\$|usd)/i;
const FOR_LISTING =
  /\b(?:ipo|public issue)\b.{0,20}\bto raise\b|\b(?:rais\w+|seeks?)\b.{0,40}\b(?:via|through|in|from|for)\b.{0,20}\b(?:ipo|public issue)\b|\bfiles?\b/i;

/** The kind of deal of a headline: its own verb counts before what it mentions in passing (`Raises $6 Mn, Eyes IPO`). */
function typeOf(title: string, summary: string): Deal['type'] | null {
  if (/\bminority stake\b/i.test(title) && !/\bsell|offload|\bbuys?\b|acquir|picks up/i.test(title)) return 'funding';
  if (RAISED.test(title) && !FOR_LISTING.test(title) && !/\bstake\b|\bipo\b.{0,30}\brais/i.test(title))
    return 'funding';
  return dealType(title) ?? dealType(summary);
}

/** The size of an issue that a summary names next to it. */
const issueIn = (reading: Reading): string | null => {
  const { text, figures } = reading.summary;
  const size = figures.find(
    (figure) =>
      figure.kind === 'money' &&
      /\b(?:ipo|public issue|initial public|issue)\b/i.test(
        text.slice(Math.max(0, figure.start - 40), figure.end + 30),
      ),
  );
  return size?.text ?? null;
};

/**
 * Reads the deal of an item.
 * @param primary names of the brands that it is about, acquirer first
 * @param held the brand whose stake, shares or issue the headline names; null for none, see `findHeldBrand`
 * @returns amounts as written in the house form; null when the item reports no deal
 */
export function readDeal(reading: Reading, primary: readonly string[], held: string | null): Deal | null {
  const type = typeOf(reading.title.text, reading.summary.text);
  if (!type) return null;
  const bought = type === 'acquisition' || type === 'merger';
  const amount =
    reading.title.figures.find((figure) => figure.kind === 'money')?.text ?? (type === 'ipo' ? issueIn(reading) : null);
  const target = held ?? (bought ? (primary[1] ?? primary[0] ?? null) : (primary[0] ?? null));
  const buyers = bought ? primary.filter((name) => name !== target).slice(0, 1) : investorsIn(reading);
  return { type, amount, target, buyers };
}

/**
 * Finds the primary brand whose stake, shares or issue the headline names: `Lenskart stake`, `IPO of Swara Baby`.
 * @param names of the primary brands
 */
export function findHeldBrand({ title }: Reading, names: readonly string[]): string | null {
  for (const mention of title.mentions) {
    const after = title.tokens[mention.last + 1]?.fold ?? '';
    const before = sliceOf(title, Math.max(0, mention.first - 2), Math.max(0, mention.first - 1)).toLowerCase();
    const held = /^(?:stake|ipo|acquisition|takeover)$/.test(after) || /\b(?:ipo|listing) (?:for|of)$/.test(before);
    if (mention.brand && held && names.includes(mention.brand.name)) return mention.brand.name;
  }
  return null;
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
