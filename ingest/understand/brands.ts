/** The brands of an item: whom it is about (primary) and who else is named (secondary). */

import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { nameDescribedBy, type Subject } from '../../facts/text/headline-subject.ts';
import type { Mention, Part, Reading } from '../../facts/text/item-reading.ts';
import { LAUNCH, OPEN, RAISE, STRONG } from '../../language/lexicon.ts';
import { gapAfter } from '../../language/tokens.ts';
import type { CatalogueBrand } from '../../schemas/catalogue.ts';
import {
  contextOf,
  findDescribed,
  findListedWith,
  findNameAnywhere,
  findOpenedOrBrought,
  findRelated,
  type HeadlineContext,
  hasGivenName,
  hasPersonForm,
  isCompanyVerb,
  isInContext,
  isInPassing,
  type NamedBrand,
  nameBrands,
  overlaps,
  toInvestor,
  toKnownBrand,
  toNamedBrand,
} from './brand-candidates.ts';

/** Whether a provisional name has the form of a person's name. */
const isPersonName = (brand: NamedBrand): boolean => brand.provisional && hasPersonForm(brand.name);
/** Whether a provisional name is a person's by a given name in it. */
const givenName = (brand: NamedBrand): boolean => brand.provisional && hasGivenName(brand.name);

/** Control, rather than some of the shares: an investor that takes it is one of those whom the story is about. */
const CONTROL = /\b(?:acqui\w+|takes? (?:over|control)|takeover|buyout|majority|controlling|100 ?%)/i;
const SHARE = /\b(?:stake|shares?|round|\d ?(?:%|pc|per ?cent))/i;

const takesControl = (title: Part): boolean =>
  CONTROL.test(title.text) &&
  (!SHARE.test(title.text) || /\b(?:majority|controlling|control|100 ?%)/i.test(title.text));

/** Assigns roles: a seller of a stake or an investor is secondary to the company that is sold or funded. */
function assignRoles(title: Part, subject: Subject, names: NamedBrand[], objects: NamedBrand[]): NamedBrand[] {
  const bought = takesControl(title);
  const actors = names.map((brand) => (brand.investor && !bought ? { ...brand, role: 'secondary' as const } : brand));
  const aside = actors.map((brand) => ({ ...brand, role: 'secondary' as const }));
  const named = actors.some((brand) => !brand.provisional) ? actors.filter((brand) => !isPersonName(brand)) : actors;
  if (objects.length === 0) return named;
  // A company that invests in something without a known name invests in itself: `Raymond to invest Rs 410 crore in looms`.
  const described = objects.some(({ span }) => span && STRONG.has(title.tokens[span.first - 1]?.fold ?? ''));
  if (subject.act === 'invest' && described && actors.some((brand) => !brand.provisional && !brand.investor))
    return [...named, ...objects];
  if (
    subject.act === 'invest' &&
    objects.every((brand) => brand.provisional) &&
    actors.some((brand) => !isPersonName(brand) && !brand.investor)
  )
    return named;
  if (subject.act === 'role') {
    const companies = actors.filter((brand) => !isPersonName(brand));
    return companies.length > 0 ? companies : objects;
  }
  if (subject.act === 'partner') return [...named, ...objects];
  if (subject.act === 'sell' || subject.act === 'invest') return [...objects, ...aside];
  return [...actors, ...objects];
}

const SHARED =
  /\b(?:launch(?:es|ed)?|unveils?|introduces?|opens?|to launch|enters? .{3,60} with|brings?|partners?|ties up|teams up|collaborat\w+|partnership with|jv with|overtakes|expands?)\b/i;

const isParent = (chosen: readonly NamedBrand[], brand: CatalogueBrand | undefined): boolean =>
  brand?.parent !== undefined && chosen.some((other) => other.slug === brand.parent);

/** Of `Absolut vodka maker Pernod Ricard` the story is about the maker, and its brands are only named. */
function settleDescribed(title: Part, brands: readonly NamedBrand[]): NamedBrand[] {
  const ownerOf = ({ span }: NamedBrand): NamedBrand | undefined => {
    const first = span ? nameDescribedBy(title, span) : 0;
    return first > 0 ? brands.find((other) => other.span?.first === first) : undefined;
  };
  const owners = new Set(brands.map(ownerOf));
  return brands
    .map((brand): NamedBrand => {
      if (owners.has(brand)) return { ...brand, role: 'primary' };
      return ownerOf(brand) ? { ...brand, role: 'secondary' } : brand;
    })
    .toSorted((one, other) => Number(one.role !== 'primary') - Number(other.role !== 'primary'));
}

/** Whether a brand named after the verb shares the move: it is opened, launched or partnered with, not just a channel. */
function sharesMove(
  headline: HeadlineContext,
  subject: Subject,
  mention: Mention,
  chosen: readonly NamedBrand[],
): boolean {
  const { title } = headline.reading;
  const verb = title.tokens[subject.verb];
  if (!verb || mention.first <= subject.verb || nameDescribedBy(title, mention) > 0) return false;
  const between = title.text.slice(verb.start, title.tokens[mention.first]?.start);
  const next = title.tokens[mention.last + 1];
  if (/^(?:stake|shares|ipo|acquisition|takeover)$/.test(next?.fold ?? '') && !/\bamid\b/i.test(between)) return true;
  if (isParent(chosen, mention.brand) && !/,|\b(?:as|amid|for)\b/i.test(between)) return true;
  if (
    between.length > 60 ||
    between.includes(',') ||
    /\b(?:on|via|across|through|from|amid|after|at|vs|against|of|by|like)\s+(?:\S+\s){0,1}$/i.test(between)
  )
    return false;
  return SHARED.test(between);
}

/** A headline of a law suit is about both sides: `Zee sues Blinkit`, `for infringing Hindware's trademark`. */
const SUES =
  /\b(?:sues?|sued|lawsuit against|suit against|drags|accuses|alleges|moves? .{0,30}(?:court|hc|sc|tribunal|nclt|cci)\b.{0,12} against|case against|complaint against|legal notice to)\s+(?:rival\s+)?$/i;
const RIGHT = /^(?:['’]s)?\s(?:trade ?marks?|patents?|copyrights?|logo|trade dress|brand name)\b/i;
/** `To lead Nykaa Now`, `as CEO of BTM Ventures`, `as Instamart CEO`: the company or part of it that somebody takes over. */
const LEADS =
  /\b(?:to (?:lead|head|run|helm|steer|spearhead)|(?:ceo|coo|md|head|president|chief|director) (?:of|at)|as (?:the |its )?(?:new )?)\s?(?:its |the )?$/i;
const SEAT = /^(?:['’]s)?\s(?:new )?(?:ceo|coo|cfo|cmo|md|chief|head|president)\b/i;

/** Whether a brand after the verb is another party of the move: the other side of a suit, or what somebody takes over. */
function isParty({ text }: Part, before: string, after: string): boolean {
  if (SUES.test(before)) return true;
  if (RIGHT.test(after)) return /\b(?:infring\w+|restrain\w*|using|case|row|dispute|violat\w+|battle)\b/i.test(text);
  const leads = LEADS.exec(before);
  return (
    leads !== null && !/\b(?:former|ex)[\s-]/i.test(before.slice(-12)) && (!/^as\b/i.test(leads[0]) || SEAT.test(after))
  );
}

interface FoundBrands {
  readonly brands: readonly NamedBrand[];
  /** The clause whose names were taken. */
  readonly subject: Subject;
}

const unique = (brands: readonly NamedBrand[]): NamedBrand[] =>
  brands.filter((brand, index) => brands.findIndex((other) => other.slug === brand.slug) === index);

/** A channel, a place or an instrument rather than whom the move concerns: `rigging tenders on GeM`. */
const ASIDE = /^(?:on|via|through|from|over|at|like|across|using|amid|unlike|by|against)$/;

interface ClauseBrands {
  readonly subject: Subject;
  readonly actors: NamedBrand[];
  readonly objects: NamedBrand[];
}

/** How certain the names of a clause are. A heading such as `Keyword Wars:` has no verb: any name of another clause is better. */
function certainty(title: Part, { subject, actors, objects }: ClauseBrands): number {
  if (actors.some((brand) => !brand.provisional && !brand.investor)) return 3;
  if (actors.some((brand) => brand.investor)) return objects.length > 0 ? 2.5 : 1.5;
  const heading = subject.verb < title.tokens.length && /^\s*[:–—|;]/.test(gapAfter(title, subject.verb - 1));
  return actors.length === 0 ? 0 : heading ? 1 : 2;
}

/** The clause that names whom the headline is about. */
function chooseClause(title: Part, readings: readonly ClauseBrands[]): ClauseBrands {
  const none: ClauseBrands = {
    subject: { names: [], object: null, act: null, asides: [], verb: 0 },
    actors: [],
    objects: [],
  };
  return readings.reduce(
    (chosen, each) => (certainty(title, each) > certainty(title, chosen) ? each : chosen),
    readings[0] ?? none,
  );
}

/** The brands in front of the subject: an owner shares the move (`Eternal's District`), a founder's company is only named. */
function namedAside(headline: HeadlineContext, subject: Subject): NamedBrand[] {
  return subject.asides.flatMap(({ span, as }) =>
    nameBrands(headline, span, subject)
      .filter((brand) => !brand.provisional)
      .map((brand) => {
        const group = headline.catalogue.brandBySlug.get(brand.slug)?.category === 'conglomerate';
        return as === 'founder' || group || brand.investor ? { ...brand, role: 'secondary' as const } : brand;
      }),
  );
}

/** Puts the company that a headline names only by its relation to a brand in the brand's place: `Pizza Hut operator`. */
function resolveRelated(headline: HeadlineContext, brands: NamedBrand[]): NamedBrand[] {
  return brands.flatMap((brand) => {
    const ofCatalogue = headline.catalogue.brandBySlug.get(brand.slug);
    const related =
      ofCatalogue && brand.span && brand.role === 'primary' ? findRelated(headline, brand.span, ofCatalogue) : null;
    return related
      ? [toKnownBrand(related, 'primary', related.name, null), { ...brand, role: 'secondary' as const }]
      : [brand];
  });
}

/** Whether everybody whom the headline seems to be about is a person or a word at its start: a company has to be looked for. */
function onlyPeople(verb: string, brands: readonly NamedBrand[]): boolean {
  const company = isCompanyVerb(verb) && !brands.some((brand) => brand.role === 'primary' && givenName(brand));
  return (
    !company &&
    brands.length > 0 &&
    brands.every((brand) => isPersonName(brand) || givenName(brand) || brand.role === 'secondary')
  );
}

/** A word of the cleaned headline, and the probability that it belongs to a primary brand. */
export interface RoleSpan {
  readonly start: number;
  readonly end: number;
  readonly primary: number;
}

/** From this mean over its words on, the encoder agrees that a story is about a name. */
const AGREED = 0.8;

/**
 * Asks the encoder about provisional primary names. It drops those that it takes for no primary brand: persons, places, things
 * and pieces of headlines that the rules took for a company. It marks those of which it is sure, so that they have a page at
 * once. On weeks left out this raised the precision of primary brands from .914 to .925 and lost none; to let it move names of
 * the catalogue, or add names, lost as much as it won.
 */
export function checkNames(title: Part, brands: readonly NamedBrand[], roles: readonly RoleSpan[]): NamedBrand[] {
  const checked = brands.flatMap((brand) => {
    const { provisional, role, span } = brand;
    const [first, last] = span ? [title.tokens[span.first], title.tokens[span.last]] : [];
    if (!provisional || role !== 'primary' || !first || !last) return [brand];
    const own = roles.flatMap(({ start, end, primary }) => (start < last.end && first.start < end ? [primary] : []));
    const mean = own.reduce((sum, primary) => sum + primary, 0) / own.length;
    if (mean >= AGREED) return [{ ...brand, agreed: true as const }];
    return own.some((primary) => primary >= 0.5) ? [brand] : [];
  });
  if (checked.length === brands.length || checked.some(({ role }) => role === 'primary')) return checked;
  // The only primary name was none: whom the headline names besides is whom it is about.
  const main = checked.find((brand) => !brand.investor && !brand.provisional && brand.span);
  return checked.map((brand) => (brand === main ? { ...brand, role: 'primary' as const } : brand));
}

/**
 * Finds the brands of an item. The clause whose names are the most certain is the one that the item is about.
 * @param subjects the clauses of the headline, see `readSubjects`
 * @returns primary brands first, each brand once
 */
export function findBrands(reading: Reading, subjects: readonly Subject[], catalogue: PreparedCatalogue): FoundBrands {
  const { title } = reading;
  const headline = contextOf(reading, subjects, catalogue);
  const { mentions } = headline;
  const chosen = chooseClause(
    title,
    subjects.map((subject) => ({
      subject,
      actors: subject.names.flatMap((span) => nameBrands(headline, span, subject)),
      objects: subject.object ? nameBrands(headline, subject.object, subject) : [],
    })),
  );
  const { subject } = chosen;
  const verb = title.tokens[subject.verb]?.fold ?? '';
  let brands = assignRoles(title, subject, chosen.actors, chosen.objects);
  if (brands.some((brand) => brand.role === 'primary')) brands.push(...namedAside(headline, subject));
  const spans = [...subject.names, ...(subject.object ? [subject.object] : [])];
  const rest = mentions.filter((mention) => !spans.some((span) => overlaps(span, mention)));
  const able = rest.filter((mention) => !isInPassing(title, mention));
  const shared = brands.length > 0;
  for (const mention of rest)
    if (shared && (sharesMove(headline, subject, mention, brands) || isPartyTo(title, subject, mention)))
      brands.push(toNamedBrand(title, mention, 'primary'));
  // `To Bring Watch Brand Orlova`: the verb that counts follows.
  const main = verb === 'to' ? subject.verb + 1 : subject.verb;
  const mainVerb = title.tokens[main]?.fold ?? '';
  if (LAUNCH.has(mainVerb) || OPEN.has(mainVerb)) {
    const named = findDescribed(headline, { ...subject, verb: main });
    const described = named.length > 0 ? named : findOpenedOrBrought(headline, subject, main);
    if (described.length > 0)
      brands = [...brands.filter((brand) => !isPersonName(brand) && !givenName(brand)), ...described];
  }
  const people = onlyPeople(verb, brands);
  // What the verb acts on has the form of a person's name as well: `buys snack chain Murmura Junction`.
  const acts = (brand: NamedBrand): boolean => chosen.actors.some(({ slug }) => slug === brand.slug);
  if (brands.some((brand) => !brand.provisional && brand.role === 'primary') && !isCompanyVerb(verb))
    brands = brands.filter((brand) => !isPersonName(brand) || !acts(brand));
  if (!brands.some((brand) => brand.role === 'primary') || (people && able.length > 0)) {
    if (people) brands = brands.filter((brand) => brand.investor);
    const ofMove = able.filter(
      (mention, index) =>
        index === 0 || isPartyTo(title, subject, mention) || !ASIDE.test(title.tokens[mention.first - 1]?.fold ?? ''),
    );
    brands.push(...ofMove.map((mention) => toNamedBrand(title, mention, 'primary')));
  }
  brands = resolveRelated(headline, brands);
  const others = mentions.filter((mention) => rest.includes(mention) || isInPassing(title, mention));
  brands.push(...others.map((mention) => toNamedBrand(title, mention, 'secondary')));
  for (const mention of title.mentions)
    if (mention.investor && !mention.brand) brands.push(toInvestor(title, mention, 'secondary'));
  if (!brands.some((brand) => brand.role === 'primary')) {
    const investor = brands.find((brand) => brand.investor);
    const names = investor ? [] : findNameAnywhere(headline);
    brands = names.length > 0 || !investor ? [...brands, ...names] : [{ ...investor, role: 'primary' }, ...brands];
  }
  brands = dropPeople(verb, brands);
  brands.push(...brands.filter(({ provisional }) => !provisional).flatMap((brand) => findListedWith(headline, brand)));
  if (brands.length === 0) brands.push(...firstOfSummary(reading, catalogue));
  return { brands: settleDescribed(title, unique(brands)), subject };
}

/** Whether a brand after the verb is another party of the move, see `isParty`. */
function isPartyTo(title: Part, subject: Subject, mention: Mention): boolean {
  const [first, last] = [title.tokens[mention.first], title.tokens[mention.last]];
  if (!first || !last || mention.first <= subject.verb - 1) return false;
  return isParty(title, title.text.slice(0, first.start), title.text.slice(last.end));
}

/** Drops persons, unless they trade under their own name: `Tarun Tahiliani Opens Store`. */
const dropPeople = (verb: string, brands: readonly NamedBrand[]): NamedBrand[] =>
  brands
    .filter((brand) => brand.role === 'primary' || !isPersonName(brand))
    .filter((brand) => !givenName(brand) || (brand.role === 'primary' && (OPEN.has(verb) || RAISE.has(verb))));

/** The first brand of a summary, for a headline that names none. */
function firstOfSummary({ summary, ...reading }: Reading, catalogue: PreparedCatalogue): NamedBrand[] {
  const first = summary.mentions.find(
    (mention) =>
      mention.brand && mention.first < 10 && isInContext(mention.brand, { ...reading, summary }, catalogue, false),
  );
  return first ? [{ ...toNamedBrand(summary, first, 'primary'), span: null }] : [];
}
