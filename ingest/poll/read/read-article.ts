/** What an article's own page states where its feed or listing does not: date, address, a sentence or two. */
import { Parser } from 'htmlparser2';
import { z } from 'zod';
import { cleanSummary } from '../normalise/clean-text.ts';

export interface Article {
  /** Its canonical address, on its own site; null where it states none. */
  readonly canonical: string | null;
  /** When it was published, as it is written, in the order of preference. */
  readonly dates: readonly string[];
  /** Texts under its headline, plain, in the order of preference; none where the page asks not to be quoted. */
  readonly summaries: readonly string[];
}

/** The metadata of a page are in its first part; longer pages are cut off. */
const MAX_PAGE_LENGTH = 600_000;

/** Dates that a page may give. */
const MAX_DATES = 20;
/** Deeper pages are read up to this depth. */
const MAX_DEPTH = 1_000;

/** Names of `meta` elements, in the order of preference. */
const DATES = ['article:published_time', 'datepublished', 'publish-date', 'pubdate', 'date', 'dc.date.issued'];
const DESCRIPTIONS = ['og:description', 'description', 'twitter:description'];

/** What surrounds a text on its page. */
const AROUND = new Set(['nav', 'footer', 'aside', 'form', 'figure', 'button', 'navigation', 'complementary']);
/** Elements without text for readers. */
const HIDDEN = new Set(['script', 'style', 'template', 'iframe', 'noscript']);
/** Paragraphs of the site, not of the article. */
const OF_THE_SITE =
  /^(?:also read|read also|read more|advertisement|subscribe|sign (?:up|in)|log in|follow us|share (?:this|on)|download|disclaimer|copyright|©|published|updated|by )|\b(?:cookies?|newsletter|all rights reserved|enable javascript|terms of (?:use|service)|privacy policy)\b/i;
const MIN_PARAGRAPH_LENGTH = 40;
const MAX_PARAGRAPH_LENGTH = 4_000;

/** How likely a paragraph is the article's, by the element that contains it: the lower the likelier. */
const PLACES = { articlebody: 0, article: 1, main: 2, page: 3 } as const;
type Place = (typeof PLACES)[keyof typeof PLACES];

/**
 * Reads an article in one pass over its page, in time that is linear in its length.
 * @param html the page
 * @param url where it came from
 * @param title of the item, clean: a description that only repeats it is none
 */
export function readArticle(html: string, url: string, title: string): Article {
  const { metas, canonical, structured, time, paragraph } = partsOf(html.slice(0, MAX_PAGE_LENGTH));
  const things = structured.flatMap(thingsIn);
  const summaries = [
    ...DESCRIPTIONS.map((name) => metas.get(name)),
    ...things.filter(({ datePublished }) => datePublished).map(({ description }) => description),
    paragraph,
  ];
  return {
    canonical: canonicalOf(canonical, url),
    dates: [...DATES.map((name) => metas.get(name)), ...things.map(({ datePublished }) => datePublished), time]
      .flatMap((date) => date?.trim().slice(0, 200) || [])
      .slice(0, MAX_DATES),
    summaries: mayQuote(metas.get('robots')) ? distinct(summaries.map((text) => cleanSummary(text, title))) : [],
  };
}

interface Open {
  readonly isAround: boolean;
  readonly isHidden: boolean;
  readonly place: Place;
}

/** Ends the reading of a page that is deeper than any page of news. */
class TooDeep extends Error {}

/** Collects the parts of a page while it is parsed. */
class Parts {
  /** The first content of each `meta`, by its name in lower case. */
  readonly metas = new Map<string, string>();
  /** JSON-LD, as it is written. */
  readonly structured: string[] = [];
  canonical: string | null = null;
  time: string | null = null;
  readonly #open: Open[] = [{ isAround: false, isHidden: false, place: PLACES.page }];
  #script: string | null = null;
  #best: { text: string; place: Place } | null = null;
  #written: { text: string; linked: number; depth: number; place: Place } | null = null;
  #links = 0;

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    const { isAround, isHidden } = this.#enter(name, attributes);
    if (name === 'meta') {
      const key = (attributes.property ?? attributes.name ?? attributes.itemprop ?? '').trim().toLowerCase();
      const content = attributes.content?.trim();
      if (key && content && !this.metas.has(key)) this.metas.set(key, content);
    } else if (name === 'link' && /\bcanonical\b/i.test(attributes.rel ?? ''))
      this.canonical ??= attributes.href ?? null;
    else if (name === 'time') this.time ??= attributes.datetime ?? null;
    else if (name === 'script' && attributes.type?.trim().toLowerCase() === 'application/ld+json') this.#script = '';
    else if (name === 'a') this.#links += 1;
    else if (name === 'p' && !isAround && !isHidden) {
      this.#finishParagraph();
      this.#links = 0;
      this.#written = { text: '', linked: 0, depth: this.#open.length, place: this.#innermost.place };
    } else if (name === 'br' && this.#written) this.#written.text += ' ';
  }

  ontext(data: string): void {
    if (this.#script !== null) this.#script += data;
    else if (this.#written && !this.#innermost.isHidden && this.#written.text.length < MAX_PARAGRAPH_LENGTH) {
      this.#written.text += data;
      if (this.#links > 0) this.#written.linked += data.length;
    }
  }

  onclosetag(name: string): void {
    if (name === 'script' && this.#script !== null) {
      this.structured.push(this.#script);
      this.#script = null;
    } else if (name === 'a') this.#links = Math.max(0, this.#links - 1);
    if (this.#written && this.#open.length <= this.#written.depth) this.#finishParagraph();
    if (this.#open.length > 1) this.#open.pop();
  }

  /** The first paragraph that reads like the beginning of an article, of the surest place. */
  get paragraph(): string | null {
    this.#finishParagraph();
    return this.#best?.text ?? null;
  }

  get #innermost(): Open {
    return this.#open.at(-1) as Open;
  }

  /** Enters an element. @returns the one around it. @throws TooDeep */
  #enter(name: string, attributes: Readonly<Record<string, string>>): Open {
    const around = this.#innermost;
    if (this.#open.length > MAX_DEPTH) throw new TooDeep();
    const role = attributes.role?.toLowerCase() ?? '';
    const own = [attributes.itemprop?.toLowerCase() ?? '', name, role]
      .flatMap((word) => (Object.hasOwn(PLACES, word) ? PLACES[word as keyof typeof PLACES] : []))
      .concat(around.place);
    this.#open.push({
      isAround: around.isAround || AROUND.has(name) || AROUND.has(role),
      isHidden: around.isHidden || HIDDEN.has(name),
      place: Math.min(...own) as Place,
    });
    return around;
  }

  #finishParagraph(): void {
    const written = this.#written;
    if (!written) return;
    const text = written.text.replace(/\s+/g, ' ').trim();
    const isText = text.length >= MIN_PARAGRAPH_LENGTH && written.linked * 2 <= text.length && !OF_THE_SITE.test(text);
    if (isText && (this.#best === null || written.place < this.#best.place))
      this.#best = { text, place: written.place };
    this.#written = null;
  }
}

function partsOf(html: string): Parts {
  const parts = new Parts();
  try {
    new Parser(parts, { decodeEntities: true, recognizeSelfClosing: true }).end(html);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return parts;
}

const distinct = (texts: readonly (string | null)[]): string[] => [...new Set(texts.flatMap((text) => text || []))];

/** False where the outlet forbids quotations, by `nosnippet` or `max-snippet:0`. */
const mayQuote = (robots: string | undefined): boolean => !/\bnosnippet\b|\bmax-snippet\s*:\s*0\b/i.test(robots ?? '');

/** Only an address on the article's own site: a page must not pass itself off as another outlet's. */
function canonicalOf(href: string | null, url: string): string | null {
  const canonical = href ? URL.parse(href, url) : null;
  const site = (host: string): string => host.replace(/^(?:www|m|mobile|amp)\./, '');
  // Some pages name the front page as canonical of everything.
  if (!canonical || canonical.pathname === '/' || !/^https?:$/.test(canonical.protocol)) return null;
  return site(canonical.hostname) === site(URL.parse(url)?.hostname ?? '') ? canonical.href : null;
}

const Text = z.string().optional().catch(undefined);
const Thing = z.looseObject({ datePublished: Text, description: Text });
const Graph = z.looseObject({ '@graph': z.array(z.unknown()) });

/** The things of JSON-LD: one at the top, a list or a graph. */
function thingsIn(json: string): z.infer<typeof Thing>[] {
  let content: unknown;
  try {
    content = JSON.parse(json);
  } catch {
    // JSON-LD that cannot be parsed states nothing; the rest of the page is read.
    return [];
  }
  const graph = Graph.safeParse(content);
  const things = Array.isArray(content) ? content : graph.success ? graph.data['@graph'] : [content];
  return things.flatMap((thing) => {
    const read = Thing.safeParse(thing);
    return read.success ? [read.data] : [];
  });
}
