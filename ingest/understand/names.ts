/** Names of companies as headlines write them: spans of capitalised words, freed of what stands round them. */

import { isCommon } from './model/common.ts';
import { gapAfter, sliceOf, type Text } from './tokens.ts';
import { DESCRIPTORS, STRONG } from './verbs.ts';

const LEADING = new Set(
  'exclusive the a an how why can will inside indian global after as with when is decoding homegrown desi ex former japan chinese korean american swiss german french british danish mumbai bengaluru delhi gurugram chennai hyderabad based led omnichannel listed actor actress rival designer chef'.split(
    ' ',
  ),
);
const KEPT = new Set(['the']);

/**
 * The name inside a span of words: what stands before a descriptor (`D2C Dairy Brand`) or an owner (`Swiggy-owned`) is
 * dropped, and so are leading small words and a possessive at the end.
 * @returns the words of the name (both included), or null when nothing is left
 */
export function nameIn(text: Text, first: number, last: number): { first: number; last: number } | null {
  let from = first;
  for (let index = first; index < last; index++) {
    const word = text.tokens[index]?.fold ?? '';
    const next = text.tokens[index + 1];
    if (!next) break;
    const owned =
      (word === 'owned' ||
        word === 'backed' ||
        word === 'bound' ||
        word === 'led' ||
        word === 'based' ||
        word === 'run') &&
      gapAfter(text, index - 1) === '-';
    if (
      owned ||
      (STRONG.has(word) &&
        next.capital &&
        !isCommon(next.fold) &&
        index > first - 1 &&
        /^\s$/.test(gapAfter(text, index))) ||
      (DESCRIPTORS.has(word) && next.capital && !/[&.]/.test(gapAfter(text, index)) && isDescribing(text, from, index))
    )
      from = index + 1;
    else if (
      word === 's' &&
      /['’]/.test(gapAfter(text, index - 1)) &&
      next.capital &&
      index - from >= 2 &&
      isPerson(text, from, index)
    )
      from = index + 1;
  }
  while (from <= last) {
    const word = text.tokens[from];
    if (!word) return null;
    const dropped = LEADING.has(word.fold) && !(KEPT.has(word.fold) && word.capital && from < last);
    if (dropped && from < last) from++;
    else if (!word.capital && !/\p{Lu}/u.test(word.text) && from < last && from > first) from++;
    else break;
  }
  let to = last;
  while (to > from && text.tokens[to]?.fold === 's' && /['’]/.test(gapAfter(text, to - 1))) to--;
  // `Indri Whisky Maker`: what it is stands after the name.
  if (to > from && STRONG.has(text.tokens[to]?.fold ?? '')) {
    to--;
    while (to > from && isCommon(text.tokens[to]?.fold ?? '') && !isCommon(text.tokens[from]?.fold ?? '')) to--;
  }
  return to >= from ? { first: from, last: to } : null;
}

/** `Metro Brands` is a name, `D2C brand` is none: a descriptor describes when a lower-case or generic word stands by. */
const GENERIC = new Set(
  'd2c b2b b2c fashion beauty dairy skincare haircare nutrition food snack snacks beverage retail jewellery jewelry footwear furniture rental kitchenware cookware perfume fragrance lifestyle sports sportswear fitness health wellness pet grocery quick commerce ecommerce edtech fintech kids kidswear baby eyewear luggage travel home decor apparel ethnic wear innerwear activewear coffee tea qsr restaurant cloud kitchen gifting platform electronics appliances audio gaming luxury premium skin hygiene protein supplements sports spirits beer wine ice cream chocolate electronics tech online offline organic natural ayurvedic men mens women womens personal care consumer fmcg value omnichannel indian global leading listed tier sneaker streetwear watch watches toy toys diamond lab grown mattress sleep meal plant based ev logistics ai saas deeptech insurtech proptech healthtech agritech social media design interior interiors delivery virtual virtualised popular top pe vc private equity music media cleantech us uk korean wedding maternity intimate bath body cosmetics makeup hair oral mobility adtech foodtech ride hailing healthcare'.split(
    ' ',
  ),
);

function isDescribing(text: Text, first: number, index: number): boolean {
  const word = text.tokens[index];
  const before = text.tokens[index - 1];
  if (!word) return false;
  if (!word.capital) return true;
  if (index === first) return false;
  return GENERIC.has(before?.fold ?? '') || isCommon(before?.fold ?? '');
}

const isPerson = (text: Text, first: number, end: number): boolean =>
  end - first === 2 && text.tokens.slice(first, end).every((token) => token.capital && token.text.length > 2);

/** The text of a name, tidied: `BRND. ME` is `BRND.ME`, closing points and quotes are dropped. */
export const nameText = (text: Text, span: { first: number; last: number }): string => {
  let name = sliceOf(text, span.first, span.last);
  const next = text.text.slice(text.tokens[span.last]?.end ?? 0).match(/^[.!](?=\s+\p{Lu}?\p{Ll})/u);
  if (next && (next[0] === '.' || next[0] === '!') && name.length < 40) name += next[0] === '!' ? '!' : '.';
  return name
    .replace(/[’`]/g, "'")
    .replace(/\.\s(?=\p{L})/gu, '. ')
    .replace(/^['"‘“]+|['"”]+$/g, '')
    .trim();
};
