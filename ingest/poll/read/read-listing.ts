/** Listing pages of outlets without a feed, by the selectors of the roster. */
import { load } from 'cheerio/slim';
import type { Selectors } from '../../../schemas/source.ts';
import { PollError } from '../poll-error.ts';
import { boundPage } from './bound-page.ts';
import { datesOf, newest, type Reading, resolved, timeOf } from './entry.ts';

type Matched = ReturnType<ReturnType<typeof load>>;

/**
 * Reads the entries of a page.
 * @throws PollError bad_selector, nothing_listed when the page has no entry, as after a redesign
 */
export function readListing(text: string, url: string, selectors: Selectors): Reading {
  boundPage(text);
  // The plain tokenizer, not the full algorithm of HTML, whose time can grow with the square of a hostile page.
  const page = load(text, {
    xml: { xmlMode: false, decodeEntities: true, recognizeSelfClosing: true, withEndIndices: true },
  });
  const base = resolved(page('base[href]').attr('href'), url) ?? url;
  const found = matching(() => page(selectors.item), selectors.item);
  if (found.length === 0)
    throw new PollError(
      'nothing_listed',
      `nothing on the page fits the selector ${JSON.stringify(selectors.item)}; the page may have been redesigned`,
    );
  // Of a page that was cut off, the last entry is half an entry: it has no end of its own nor one of what it is in.
  const whole = found.toArray().filter(({ endIndex }) => text[endIndex ?? 0] === '>');
  type Listed = (typeof whole)[number];
  const partOf = (element: Listed, selector: string): Matched => {
    const entry = page(element);
    return matching(() => entry.find(selector).add(entry.filter(selector)), selector).first();
  };
  const datesOfEntry = (element: Listed) => datesOf(selectors.date ? datesIn(partOf(element, selectors.date)) : []);
  // Only those that are kept are read in full: a page may have tens of thousands.
  const entries = newest(whole, (element) => timeOf(datesOfEntry(element))).map((element) => {
    const link = partOf(element, selectors.link);
    return {
      id: null,
      link: resolved(link.attr('href') ?? link.find('a[href]').attr('href') ?? link.closest('a').attr('href'), base),
      title: partOf(element, selectors.title).html(),
      summary: selectors.summary ? partOf(element, selectors.summary).html() : null,
      ...datesOfEntry(element),
    };
  });
  return { entries };
}

const datesIn = (element: Matched): (string | undefined)[] => [
  element.attr('datetime'),
  element.find('[datetime]').attr('datetime'),
  element.attr('content'),
  element.text(),
  element.attr('title'),
];

function matching<Found>(find: () => Found, selector: string): Found {
  try {
    return find();
  } catch {
    throw new PollError('bad_selector', `the selector ${JSON.stringify(selector)} of the roster is not CSS`);
  }
}
