/**
 * Names that a question contains: brands, places, categories, themes, investors, malls and outlets of the catalogue, and
 * names of the record. Reading does not depend on capitals, which questions lack: a name that is an ordinary word too
 * counts only where the sentence has room for a name.
 */
import { readFileSync } from 'node:fs';
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { nameKey, type Text, tokenise } from '../../language/tokens.ts';
import { distance, GIVEN_NAMES, isCommon, stem } from '../../language/words.ts';
import type { Category } from '../../schemas/catalogue.ts';
import { StoredBrandSlug } from '../../schemas/scalar.ts';
import { placeNamed } from './query-places.ts';
import type { NamedRef, Place, TypedQuery } from './typed-query.ts';

/** A name of the record. */
export interface KnownName {
  readonly type: 'brand' | 'city' | 'theme';
  readonly slug: string;
  readonly name: string;
}

export type Meaning =
  | { readonly type: 'brand'; readonly brand: NamedRef }
  | { readonly type: 'place'; readonly place: Place }
  | { readonly type: 'category'; readonly categories: readonly Category[] }
  | { readonly type: 'theme'; readonly theme: TypedQuery['themes'][number] }
  | { readonly type: 'mention'; readonly mention: TypedQuery['mentions'][number] }
  | { readonly type: 'unknown'; readonly name: string };

export interface Span {
  /** Words of the text, both included. */
  readonly first: number;
  readonly last: number;
  readonly meaning: Meaning;
  /** The name as the question spells it, where that is not how it is spelled. */
  readonly spelled?: string;
}

const CATEGORY_WORDS: Readonly<Partial<Record<Category, string>>> = {
  jewellery:
    'jewellery|jewelry|jewellers|jewelers|jeweller|jeweler|jewellery brands|jewellery retailers|jewellery chains',
  footwear: 'footwear|shoe|shoes|shoe brands|sneaker|sneakers|footwear brands',
  beauty: 'beauty|cosmetics|makeup|skincare|beauty and personal care|bpc',
  personal_care: 'personal care|haircare|grooming',
  quick_service_restaurants:
    'qsr|qsrs|qsr chains|quick service restaurants|quick service restaurant|fast food|burger chains|pizza chains',
  restaurants_and_cafes:
    'cafe|cafes|restaurant|restaurants|cafe chains|restaurant chains|f&b|dining|casual dining|eateries',
  quick_commerce: 'quick commerce|q commerce|qcommerce|qcom|quick comm|instant delivery|10 minute delivery',
  eyewear: 'eyewear|opticians|glasses|optical',
  electronics:
    'electronics|consumer electronics|electronics retailers|gadgets|appliances|consumer durables|smartphones',
  luggage: 'luggage|travel bags|luggage makers',
  home_and_furniture: 'furniture|home and furniture|home decor|mattress|mattresses|home furnishing|furnishings',
  pet_care: 'pet care|pet brands|petcare|pet food|pets',
  pharmacy_and_health: 'pharmacy|pharmacies|chemists|epharmacy|e pharmacy|online pharmacy',
  baby_and_kids: 'kidswear|baby care|kids|babycare|toys|kids wear',
  department_stores: 'department stores|department store',
  hypermarkets_and_grocery: 'grocery|supermarket|supermarkets|hypermarket|hypermarkets|grocers|grocery chains',
  value_fashion: 'value fashion|value retail|value retailers|value fashion retailers|affordable fashion|budget fashion',
  fashion: 'fashion|apparel|clothing|menswear|womenswear|ethnic wear|innerwear|garments',
  fmcg: 'fmcg|packaged goods|consumer goods|fast moving consumer goods',
  food_and_beverage: 'packaged food|packaged foods|snacks|beverages|food and beverage|food brands|dairy',
  watches_and_accessories: 'watches|watch|watch brands|watch retail',
  malls_and_real_estate: 'mall operators|mall developers|malls|mall owners|retail real estate',
  alcohol: 'liquor|alcohol|spirits|alcobev|whisky|whiskey|beer|wine|gin|vodka|rum',
  paints: 'paints|paint|paint makers',
  ecommerce: 'ecommerce|e commerce|ecom|e tailers|etailers|online marketplaces|marketplaces',
  luxury: 'luxury|luxury brands|luxury goods',
  fitness_and_sports: 'sportswear|fitness|sports|gyms|activewear|athleisure',
  entertainment: 'multiplex|multiplexes|cinemas',
  travel_and_hospitality: 'hotels|hospitality|hotel chains|airlines',
};

/** Words for themes, besides their names. Themes that say the same as a kind of move are read as that kind. */
export const THEME_WORDS: Readonly<Record<string, string>> = {
  'lab-grown-diamonds': 'lab grown|lab grown diamond|lab grown diamonds|lgd|lgds',
  'd2c-brands': 'd2c|d2c brands|d2c startups|direct to consumer|digital first brands|new age brands',
  'coffee-and-cafes': 'coffee|chai|coffee chains|coffee shops|coffee brands',
  'small-town-india': 'bharat',
  'social-and-live-commerce': 'live commerce|social commerce|video commerce|influencers',
  'travel-retail': 'airports|airport|airport retail|duty free|travel retail',
  'malls-and-leasing': 'leasing|high street|high streets|retail leasing|retail space|mall leasing',
  'global-brands-in-india':
    'foreign brands|global brands|international brands|india entry|foreign retailers|overseas brands',
  'indian-brands-abroad':
    'abroad|overseas|overseas expansion|outside india|international expansion|global expansion|going international|going global|go international|go global|went global|overseas markets|international markets|foreign markets',
  'food-safety-and-labelling': 'food safety|labelling',
  'tax-and-duties': 'gst|customs duty|import duty|gst cut|gst rate',
  'consumer-protection-and-competition': 'dark patterns|consumer protection',
  'festive-season': 'festive season|festive|festive sale|festive demand',
  'retail-technology': 'ai|artificial intelligence|retail tech|genai|generative ai',
  'supply-chain-and-manufacturing': 'warehouse|warehouses|factory|factories|manufacturing|supply chain',
  'protein-and-clean-label': 'protein|nutrition|clean label',
  'dairy-and-ice-cream': 'ice cream',
  'ethnic-and-wedding-wear': 'sarees|saree|wedding wear|ethnicwear',
  'rural-demand': 'rural demand|rural india|rural',
  'home-services-and-gig-work': 'gig workers|home services|labour codes',
  'food-delivery': 'food delivery',
};
/** Words for regulators, by their names in the enforcement table. */
const REGULATOR_WORDS: Readonly<Record<string, string>> = {
  FSSAI: 'fssai|food regulator|food safety regulator|food safety authority|food safety and standards authority',
  CCI: 'cci|competition commission|competition commission of india|competition watchdog|antitrust regulator',
  CCPA: 'ccpa|consumer protection authority|central consumer protection authority|consumer watchdog',
  SEBI: 'sebi|market regulator|markets regulator|securities regulator',
  RBI: 'rbi|reserve bank|reserve bank of india|central bank',
  'Enforcement Directorate': 'ed|enforcement directorate',
  BIS: 'bis|bureau of indian standards',
  ASCI: 'asci|advertising standards council|advertising watchdog',
  NCLT: 'nclt',
  NCLAT: 'nclat',
  CBI: 'cbi',
  SFIO: 'sfio',
  DPIIT: 'dpiit',
  DGFT: 'dgft',
  'Legal metrology': 'legal metrology|legal metrology department',
  'Drug controller': 'cdsco|dcgi|drug controller',
  'Consumer commission': 'consumer commission|consumer court|consumer forum|ncdrc',
};
/** Themes that questions name as a kind of move. */
const KINDS_AS_THEMES: ReadonlySet<string> = new Set(
  'store-expansion store-closures startup-funding mergers-and-acquisitions listings quarterly-results leadership brand-ambassadors-and-campaigns'.split(
    ' ',
  ),
);

/** Words that no brand, category or theme is looked for in: those that ask, join and fill. */
export const STOP = new Set(
  (
    'a an the this that these those there here it its they them their he she his her him we us our you your i me my mine ' +
    'is are was were be been being am do does did done has have had having can could may might would will shall should ' +
    'and or but if of in on at by to from for with about into over under between through during as than then not no nor ' +
    'what whats which who whom whose when where why how show find give tell list get got let know please up out off down ' +
    'new one two all any some more most less so just yet still already also only too very again same other s t re ve ll im'
  ).split(' '),
);

interface Index {
  /** Categories and themes by key. */
  readonly topics: ReadonlyMap<string, Meaning>;
  /** Names that may be misspelled, by first letter. */
  readonly alike: ReadonlyMap<string, readonly (readonly [plain: string, Meaning])[]>;
  readonly outlets: ReadonlyMap<string, string>;
  /** The brand with two words or more whose name alone begins with a word, by that word. */
  readonly firstWords: ReadonlyMap<string, NamedRef>;
  /** Every word of a name. */
  readonly words: ReadonlySet<string>;
}

const plain = (text: string): string =>
  tokenise(text)
    .tokens.map(({ fold }) => fold)
    .join('');
const brandMeaning = (slug: string, name: string): Meaning => ({
  type: 'brand',
  brand: { slug: StoredBrandSlug.parse(slug), name },
});

function firstWordsOf({ names }: PreparedCatalogue): ReadonlyMap<string, NamedRef> {
  const begins = new Map<string, Set<string>>();
  const brands = new Map<string, NamedRef>();
  for (const [key, { brand }] of names) {
    const [word = '', ...others] = key.trim().split(' ');
    if (!begins.has(word)) begins.set(word, new Set());
    begins.get(word)?.add(brand?.slug ?? key);
    // `The Famous Grouse` and `Fancy Fluff` begin with words that say something else alone.
    const isPlain = others.length > 0 && others.every((other) => isCommon(other) || GOES_ON.has(other));
    if (brand && isPlain) brands.set(word, { slug: StoredBrandSlug.parse(brand.slug), name: brand.name });
  }
  return new Map([...brands].filter(([word]) => begins.get(word)?.size === 1 && !names.has(` ${word} `)));
}

const indexes = new WeakMap<PreparedCatalogue, Index>();
function indexOf(catalogue: PreparedCatalogue): Index {
  const before = indexes.get(catalogue);
  if (before) return before;
  const topics = new Map<string, Meaning>();
  const put = (words: readonly string[], meaning: Meaning): void => {
    for (const word of words) if (!topics.has(nameKey(word))) topics.set(nameKey(word), meaning);
  };
  for (const [name, words] of Object.entries(REGULATOR_WORDS))
    put(words.split('|'), { type: 'mention', mention: { type: 'regulator', name } });
  for (const [category, words] of Object.entries(CATEGORY_WORDS))
    put(words.split('|'), { type: 'category', categories: [category as Category] });
  for (const { slug, name } of catalogue.catalogue.themes)
    if (!KINDS_AS_THEMES.has(slug))
      put([name, slug, ...(THEME_WORDS[slug]?.split('|') ?? [])], { type: 'theme', theme: { slug, name } });
  for (const { name, aliases, categories } of catalogue.catalogue.groups)
    if (categories.length > 0) put([name, ...aliases], { type: 'category', categories });
  const alike = new Map<string, [string, Meaning][]>();
  const guessed = (names: readonly string[], meaning: Meaning): void => {
    for (const name of names) {
      const key = plain(name);
      if (key.length < 5 || isCommon(key)) continue;
      const letter = key[0] ?? '';
      alike.set(letter, [...(alike.get(letter) ?? []), [key, meaning]]);
    }
  };
  for (const { slug, name, aliases } of catalogue.catalogue.brands)
    guessed([...new Set([name, ...aliases])], brandMeaning(slug, name));
  for (const { name, aliases } of catalogue.catalogue.cities) {
    const place = placeNamed(nameKey(name), catalogue);
    if (place) guessed([name, ...aliases], { type: 'place', place });
  }
  const index = {
    topics,
    alike,
    firstWords: firstWordsOf(catalogue),
    words: new Set([...catalogue.names.keys()].flatMap((key) => key.trim().split(' '))),
    outlets: new Map(catalogue.catalogue.outlets.map(({ name }) => [nameKey(name), name])),
  };
  indexes.set(catalogue, index);
  return index;
}

/** Themes whose signals belong to categories: with them the members that the catalogue lacks are found. */
export const themesOfCategories = (categories: readonly Category[], { catalogue }: PreparedCatalogue): string[] =>
  catalogue.themes
    .filter(
      ({ slug, categories: own }) =>
        own.some((category) => categories.includes(category)) ||
        categories.some((category) => category.replaceAll('_', '-') === slug),
    )
    .map(({ slug }) => slug);

const MAX_NAME_WORDS = 6;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** Before a name surely, such as `did Max open`. */
const BEFORE = words(
  'did does has have was were is will by about vs versus compare between than left joined joins join leads heads quit quits runs bought buy buys acquired acquire acquires owns own at behind like except excluding besides',
);
/** Before a name, but before many other words too. */
const MAY_PRECEDE = words(
  'of for from on with in into to me list latest recent any all new many which when why show where s',
);
/** After a name surely: what a company has or does. */
const AFTER = words(
  'open opens opened opening openings store stores outlet outlets showroom showrooms ceo cfo coo cmo cto md chief results profit revenue sales loss ipo acquire acquired acquires acquisition acquisitions buy buys bought raise raises raised raising launch launches launched shut shuts close closes closed closing closures expansion expand expanded expanding funding deal deals hire hired appoint appointed appoints plan plans planning s vs versus moves signals news founder investors invest invested spend spent pay paid enter entered do doing',
);
/** After a name at the end of what is asked. */
const ENDS = words(
  'and or in so this last since ever recently lately with from have had has during yesterday today over',
);

/** Whether words that are ordinary words too are a name where they stand. */
function hasRoom(text: Text, first: number, last: number): boolean {
  const before = text.tokens[first - 1]?.fold;
  const after = text.tokens[last + 1]?.fold;
  const ends = after === undefined || ENDS.has(after) || /^d?\d/.test(after);
  if (before === undefined) return after === undefined || AFTER.has(after) || after === 'in';
  if (before === 'the' || before === 'a') return false;
  if (BEFORE.has(before)) return ends || AFTER.has(after ?? '');
  return (
    MAY_PRECEDE.has(before) &&
    (before === 's' ? false : AFTER.has(after ?? '') || (ends && /^(?:of|on|from|with|for)$/.test(before)))
  );
}

/** The text contains a name with its own signs, such as `&ME`. */
const isWritten = (text: Text, name: string): boolean =>
  /[^\p{L}\p{N} ]/u.test(name) && ` ${text.text} `.includes(` ${name.toLowerCase()} `);

/** After a city, words that make a company of it: `Kalyan Jewellers`, `Bombay Dyeing`. */
const COMPANY_WORDS = words(
  'jewellers jewelers dyeing silks silk sarees sweets foods bazaar mart bakery fashions textiles grill biryani angels times canteen shaving company group industries motors house',
);

/** The city of `Bombay High Court`. */
const isOfHighCourt = (text: Text, index: number): boolean =>
  text.tokens[index + 1]?.fold === 'high' && text.tokens[index + 2]?.fold === 'court';

function meaningOf(
  text: Text,
  first: number,
  last: number,
  catalogue: PreparedCatalogue,
  isVocabulary: (word: string) => boolean,
  isCapital: boolean,
): Meaning | null {
  const tokens = text.tokens.slice(first, last + 1);
  const key = ` ${tokens.map(({ fold }) => fold).join(' ')} `;
  const stops = tokens.every(({ fold }) => STOP.has(fold));
  const before = text.tokens[first - 1]?.fold ?? '';
  const { brand, city, mall, investor } = catalogue.names.get(key) ?? {};
  const place = placeNamed(key, catalogue, before);
  const located = /^(?:in|near|across|around|at|outside|inside)$/.test(before);
  if (place && (located || !brand) && !(stops && !located)) {
    const next = text.tokens[last + 1]?.fold ?? '';
    if (COMPANY_WORDS.has(next) || isOfHighCourt(text, last)) return null;
    if (!city?.common_word || located || before === 'and' || before === 'or') return { type: 'place', place };
  }
  if (brand) {
    const ordinary =
      (brand.common_word && tokens.every(({ fold }) => isCommon(fold))) ||
      tokens.every(({ fold }) => STOP.has(fold) || isVocabulary(fold));
    if (isCapital || (stops ? isWritten(text, brand.name) : !ordinary || hasRoom(text, first, last)))
      return brandMeaning(brand.slug, brand.name);
  }
  const topic = indexOf(catalogue).topics.get(key);
  if (topic) return topic;
  if (tokens.every(({ fold }) => isCommon(fold) || STOP.has(fold))) return null;
  if (mall) return { type: 'mention', mention: { type: 'mall', name: mall.name } };
  if (investor) return { type: 'mention', mention: { type: 'investor', name: investor.name } };
  return null;
}

const knownMeaning = ({ type, slug, name }: KnownName, catalogue: PreparedCatalogue): Meaning =>
  type === 'brand'
    ? brandMeaning(slug, name)
    : type === 'theme'
      ? { type: 'theme', theme: { slug, name } }
      : { type: 'place', place: placeNamed(nameKey(name), catalogue) ?? { name, cities: [name] } };

const ORDER = ['brand', 'place', 'mention', 'category', 'theme', 'unknown'];
const overlap = (one: Span, other: Span): boolean => one.first <= other.last && other.first <= one.last;

/** The longest spans win; of one length, brands before places, topics and the rest. */
function longest(spans: readonly Span[]): Span[] {
  const kept: Span[] = [];
  for (const span of spans.toSorted(
    (one, other) =>
      other.last - other.first - (one.last - one.first) ||
      ORDER.indexOf(one.meaning.type) - ORDER.indexOf(other.meaning.type),
  ))
    if (!kept.some((other) => overlap(span, other))) kept.push(span);
  return kept.sort((one, other) => one.first - other.first);
}

/**
 * The names of a text.
 * @param text in lower case
 * @param recordNames names of the record that may be in it
 * @param isVocabulary whether a folded word has a meaning in questions, so that it is no misspelled name
 * @param capitals keys of two words and more that the question writes with capitals, as names are
 */
export function findNamesIn(
  text: Text,
  catalogue: PreparedCatalogue,
  recordNames: readonly KnownName[],
  isVocabulary: (word: string) => boolean,
  capitals: ReadonlySet<string> = new Set(),
): Span[] {
  const byKey = new Map(recordNames.map((name) => [nameKey(name.name), name]));
  const spans: Span[] = [];
  const outlets = indexOf(catalogue).outlets;
  for (let first = 0; first < text.tokens.length; first++)
    for (let last = Math.min(text.tokens.length, first + MAX_NAME_WORDS) - 1; last >= first; last--) {
      const tokens = text.tokens.slice(first, last + 1);
      const key = ` ${tokens.map(({ fold }) => fold).join(' ')} `;
      const isCapital = capitals.has(key);
      const meaning = meaningOf(text, first, last, catalogue, isVocabulary, isCapital);
      if (meaning) spans.push({ first, last, meaning });
      const name = byKey.get(key);
      const ordinary = tokens.every(({ fold }) => isCommon(fold) || STOP.has(fold) || isVocabulary(fold));
      if (
        name &&
        !meaning &&
        !tokens.every(({ fold }) => STOP.has(fold)) &&
        (!ordinary || isCapital || hasRoom(text, first, last))
      )
        spans.push({ first, last, meaning: knownMeaning(name, catalogue) });
      // `What did Best Buy do`: ordinary words with capitals where a name has to be.
      if (isCapital && !meaning && !name && BEFORE.has(text.tokens[first - 1]?.fold ?? ''))
        spans.push({ first, last, meaning: { type: 'unknown', name: key.trim() } });
      const outlet = outlets.get(key);
      if (outlet && !meaning && /^(?:by|to|from|in)$/.test(text.tokens[first - 1]?.fold ?? ''))
        spans.push({ first, last, meaning: { type: 'mention', mention: { type: 'outlet', name: outlet } } });
    }
  const exact = longest(spans);
  const started = longest([...exact, ...begun(text, exact, catalogue, isVocabulary)]);
  const guessed = misspelled(text, started, catalogue, recordNames, isVocabulary);
  const named = longest([...started, ...guessed, ...joined(text, exact, catalogue)]);
  return ofTrade(text, withUnknown(text, named, isVocabulary), catalogue);
}

/** Before the second of two names: `Titan or Kalyan`, `ahead of Kalyan`. */
const PAIRS = words('and or vs versus nor than over of with beat beats');

/** The one company of a trade whose name begins with a text; null for none or several. */
export function companyOfTrade(
  text: string,
  brands: readonly NamedRef[],
  { catalogue, brandBySlug }: PreparedCatalogue,
): NamedRef | null {
  const trades = brands.flatMap(({ slug }) => brandBySlug.get(slug)?.category ?? []);
  const key = nameKey(text);
  const [brand, ...others] = catalogue.brands.filter(
    ({ name, category }) => trades.includes(category) && nameKey(name).startsWith(key),
  );
  return brand && others.length === 0 ? { slug: brand.slug, name: brand.name } : null;
}

/** Next to a company, the first word of another name of its trade is that company, and no city: `Titan or Kalyan`. */
function ofTrade(text: Text, spans: readonly Span[], catalogue: PreparedCatalogue): Span[] {
  const brands = spans.flatMap(({ meaning }) => (meaning.type === 'brand' ? [meaning.brand] : []));
  if (brands.length === 0) return [...spans];
  const pairs = (index: number): boolean => PAIRS.has(text.tokens[index]?.fold ?? '');
  const isBrandAt = (index: number): boolean =>
    spans.some(({ first, last, meaning }) => meaning.type === 'brand' && first <= index && index <= last);
  return spans.map((span) => {
    const { first, last, meaning } = span;
    if (meaning.type !== 'unknown' && meaning.type !== 'place') return span;
    const isPair =
      (pairs(last + 1) && isBrandAt(last + 2)) ||
      (pairs(first - 1) &&
        (isBrandAt(first - 2) || /^(?:than|of|over|beats?)$/.test(text.tokens[first - 1]?.fold ?? '')));
    if (meaning.type === 'place' && !isPair) return span;
    const written = text.text.slice(text.tokens[first]?.start ?? 0, text.tokens[last]?.end ?? 0);
    const company = companyOfTrade(written, brands, catalogue);
    return company ? { ...span, meaning: brandMeaning(company.slug, company.name) } : span;
  });
}

/** Ordinary words that are brands next to a brand: `Zudio or Max`. */
function joined(text: Text, exact: readonly Span[], catalogue: PreparedCatalogue): Span[] {
  const spansFound: Span[] = [];
  const isBrand = (index: number): boolean =>
    exact.some(({ first, last, meaning }) => meaning.type === 'brand' && first <= index && index <= last);
  const joins = (index: number): boolean => /^(?:and|or|vs|versus|nor)$/.test(text.tokens[index]?.fold ?? '');
  for (const { index, fold } of text.tokens) {
    if (STOP.has(fold)) continue;
    const { brand } = catalogue.names.get(` ${fold} `) ?? {};
    if (brand && ((joins(index - 1) && isBrand(index - 2)) || (joins(index + 1) && isBrand(index + 2))))
      spansFound.push({ first: index, last: index, meaning: brandMeaning(brand.slug, brand.name) });
  }
  return spansFound;
}

/** Nationalities are no names, as near as they come to one: `swiss` is not Swisse. */
const NATIONS = words(
  'indian american british french german italian swiss dutch danish spanish japanese korean chinese russian turkish thai',
);

/** The first word of one name alone, which nobody else is called: `Costa` is Costa Coffee. */
function begun(
  text: Text,
  exact: readonly Span[],
  catalogue: PreparedCatalogue,
  isVocabulary: (word: string) => boolean,
): Span[] {
  const { firstWords } = indexOf(catalogue);
  return text.tokens.flatMap(({ index, fold, start, end }): Span[] => {
    const taken = exact.some(({ first, last }) => first <= index && index <= last);
    const brand = firstWords.get(fold);
    if (
      !brand ||
      taken ||
      fold.length < 5 ||
      isCommon(fold) ||
      isVocabulary(fold) ||
      GIVEN_NAMES.has(fold) ||
      NATIONS.has(fold)
    )
      return [];
    return [
      {
        first: index,
        last: index,
        meaning: brandMeaning(brand.slug, brand.name),
        spelled: text.text.slice(start, end),
      },
    ];
  });
}

const MAX_GUESSED_WORDS = 3;

/** The words of the encoder's vocabulary, which are the frequent ones of English. */
const ENGLISH: ReadonlySet<string> = new Set(
  readFileSync(new URL('../../ingest/understand/encoder/vocabulary.txt', import.meta.url), 'utf8').split('\n'),
);
/** The forms without their ending that a word may have. */
const roots = (word: string): string[] => {
  const cut = word.replace(/(?:est|ing|ed|ly)$/, '');
  return cut === word ? [] : [cut, `${cut}e`, cut.replace(/y$/, 'ie'), cut.replace(/(.)\1$/, '$1')];
};
/** Whether a folded word is a form of one of English, as names hardly are: `quickest`, `tying`. */
const isInflected = (word: string): boolean => roots(word).some((root) => root.length > 2 && ENGLISH.has(root));

/** Whether a folded word is one of English, so that it is no misspelled name. */
export const isEnglish = (word: string): boolean => isCommon(word) || ENGLISH.has(word) || isInflected(word);

const LOCATES = /^(?:in|near|across|around|at|from|for|of|and|or|to)$/;

/** Whether a word is of a name of the catalogue, or is one with one slip. */
export const isLikeName = (word: string, catalogue: PreparedCatalogue): boolean =>
  indexOf(catalogue).words.has(word) ||
  (indexOf(catalogue).alike.get(word[0] ?? '') ?? []).some(([name]) => distance(word, name, 1) <= 1);

/** A person's name follows a given name, or "who is". */
const isPersonAt = ({ tokens }: Text, index: number): boolean =>
  GIVEN_NAMES.has(tokens[index - 1]?.fold ?? '') ||
  (/^(?:is|was)$/.test(tokens[index - 1]?.fold ?? '') && tokens[index - 2]?.fold === 'who');

/** Names that unknown words may mean: one slip in a short name, two in a long one; the first letter is right. */
function misspelled(
  text: Text,
  exact: readonly Span[],
  catalogue: PreparedCatalogue,
  recordNames: readonly KnownName[],
  isVocabulary: (word: string) => boolean,
): Span[] {
  const taken = (index: number): boolean => exact.some(({ first, last }) => first <= index && index <= last);
  const isStrange = (index: number): boolean => {
    const fold = text.tokens[index]?.fold ?? '';
    return (
      !taken(index) &&
      fold.length >= 4 &&
      !/\d/.test(fold) &&
      !isEnglish(fold) &&
      !NATIONS.has(fold) &&
      !STOP.has(fold) &&
      !isVocabulary(fold) &&
      !GIVEN_NAMES.has(fold) &&
      !isPersonAt(text, index) &&
      !catalogue.names.has(` ${fold} `)
    );
  };
  const { alike } = indexOf(catalogue);
  const record = recordNames.map((name) => [plain(name.name), knownMeaning(name, catalogue)] as const);
  const spansFound: Span[] = [];
  for (let first = 0; first < text.tokens.length; first++)
    for (let last = first; last < Math.min(text.tokens.length, first + MAX_GUESSED_WORDS); last++) {
      const indexes = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      if (indexes.some((index) => STOP.has(text.tokens[index]?.fold ?? ''))) continue;
      const lettersOf = (some: readonly number[]): string =>
        some.map((index) => text.tokens[index]?.fold ?? '').join('');
      const written = lettersOf(indexes);
      // The strange words are most of the letters: else a kind of shop would join the name.
      const isOrdinaryMostly = 2 * lettersOf(indexes.filter(isStrange)).length <= written.length;
      if (isOrdinaryMostly || (last > first && written.length < 8)) continue;
      const limit = written.length >= 8 ? 2 : 1;
      let best: readonly [number, Meaning] | null = null;
      for (const [name, meaning] of [...record, ...(alike.get(written[0] ?? '') ?? [])]) {
        if (name.length < 5 || name[0] !== written[0]) continue;
        // A surname is easily a misspelled city: "Kapur" is not Kanpur.
        if (meaning.type === 'place' && !LOCATES.test(text.tokens[first - 1]?.fold ?? '')) continue;
        const slips = distance(written, name, limit);
        if (slips <= (last > first ? 1 : limit) && (slips > 0 || last > first) && (!best || slips < best[0]))
          best = [slips, meaning];
      }
      if (best)
        spansFound.push({
          first,
          last,
          meaning: best[1],
          spelled: text.text.slice(text.tokens[first]?.start ?? 0, text.tokens[last]?.end ?? 0),
        });
    }
  return spansFound;
}

/** `ARR` is a figure, and nobody's name. */
const FIGURES = words('arr');

/** Words that go on with the name of a company. */
const GOES_ON = words(
  'foods retail brands industries jewellers labs ventures fashions group pvt ltd limited co company sweets bakers wellness organics naturals',
);

/** Adds the runs of words that nothing knows: names that neither the catalogue nor the record has. */
function withUnknown(text: Text, spans: readonly Span[], isVocabulary: (word: string) => boolean): Span[] {
  const runs: { first: number; last: number }[] = [];
  for (const { index, fold } of text.tokens) {
    if (spans.some(({ first, last }) => first <= index && index <= last)) continue;
    const run = runs.at(-1);
    const follows = run?.last === index - 1;
    if (
      run &&
      follows &&
      (GOES_ON.has(fold) ||
        (GIVEN_NAMES.has(text.tokens[run.first]?.fold ?? '') &&
          !STOP.has(fold) &&
          !isVocabulary(fold) &&
          !isCommon(fold)))
    ) {
      run.last = index;
      continue;
    }
    const strange =
      fold.length >= 3 &&
      !/^\d/.test(fold) &&
      !STOP.has(fold) &&
      !FIGURES.has(fold) &&
      !isOfHighCourt(text, index) &&
      !isVocabulary(fold) &&
      (!(isCommon(fold) || isCommon(stem(fold)) || isInflected(fold)) || GIVEN_NAMES.has(fold));
    if (!strange) continue;
    if (run && follows) run.last = index;
    else runs.push({ first: index, last: index });
  }
  const unknown = runs.map(({ first, last }): Span => {
    const name = text.text.slice(text.tokens[first]?.start ?? 0, text.tokens[last]?.end ?? 0).slice(0, 120);
    return { first, last, meaning: { type: 'unknown', name } };
  });
  return [...spans, ...unknown].sort((one, other) => one.first - other.first);
}
