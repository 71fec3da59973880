/** Understanding one item: pure, without network, with a reason for every field. */
import type { Category } from '../../schemas/catalogue.ts';
import type { Move } from '../../schemas/scalar.ts';
import type { BrandMention, Reason, Understanding } from '../../schemas/story.ts';
import { findBrands } from './brands.ts';
import type { PreparedCatalogue } from './catalogue.ts';
import { findDay, startOfDay } from './dates.ts';
import { explainUnderstanding } from './explain-understanding.ts';
import { readDeal } from './facts/deals.ts';
import { chooseDelta, readKeyFacts } from './facts/key-facts.ts';
import { readOpenings } from './facts/openings.ts';
import { readPeople } from './facts/people.ts';
import { findMall, readCities } from './facts/places.ts';
import { readOtherResults, readResult, statesResult } from './facts/results.ts';
import { readSubjects } from './headline-subject.ts';
import { type ItemText, type Reading, readItem } from './item-reading.ts';
import { chooseMove, chooseTheme, labelMove } from './labels.ts';
import { collectFeatures } from './model/features.ts';
import { type Models, type Scored, SHIPPED_MODELS, scoreBoth } from './model/linear-model.ts';
import { judgeRelevance } from './relevance.ts';
import { sliceOf } from './tokens.ts';

export type { ItemText } from './item-reading.ts';

/** Changes whenever the same item may be understood otherwise: rules, weights or fields. */
export const UNDERSTAND_VERSION = 'understand-4';

export interface Verdict {
  readonly relevant: boolean;
  /** In plain words, such as `move`, `opinion`, `share tips or market talk`, `no consumer business`. */
  readonly reason: string;
  readonly roundup: boolean;
  /** Filled for noise too, as far as it goes: matching does not depend on relevance. */
  readonly understanding: Understanding;
  /** By slug, how the text itself writes each brand. */
  readonly written: Readonly<Record<string, string>>;
  /** Empty unless asked for by `explain`. */
  readonly reasons: readonly Reason[];
}

/** Features and parts of an item, as the models and the trainer see them. */
export function inspectItem(item: ItemText, catalogue: PreparedCatalogue) {
  const reading = readItem(item, catalogue);
  const { brands, subject } = findBrands(reading, readSubjects(reading.title), catalogue);
  const primary = brands.filter((brand) => brand.role === 'primary');
  const known = primary.map((brand) => catalogue.brandBySlug.get(brand.slug) ?? null);
  return { reading, subject, brands, primary, known, features: collectFeatures(reading, subject, known) };
}

/** The primary brand whose stake, shares or issue the headline names: `Lenskart stake`, `IPO of Swara Baby`. */
function heldBy(reading: Reading, names: readonly string[]): string | null {
  const { title } = reading;
  for (const mention of title.mentions) {
    const after = title.tokens[mention.last + 1]?.fold ?? '';
    const before = sliceOf(title, Math.max(0, mention.first - 2), Math.max(0, mention.first - 1)).toLowerCase();
    const held = /^(?:stake|ipo|acquisition|takeover)$/.test(after) || /\b(?:ipo|listing) (?:for|of)$/.test(before);
    if (mention.brand && held && names.includes(mention.brand.name)) return mention.brand.name;
  }
  return null;
}

const STREET = /\b(?:road|street|mall|market|plaza|square|marg|chowk)$/i;

/** The brand that opens: the last one named that is no landlord. `IKEA to open in Pacific Mall`, `MI Road gets a KFC`. */
function openerOf(brands: readonly BrandMention[], { brandBySlug }: PreparedCatalogue): string | null {
  const primary = brands.filter(({ role }) => role === 'primary');
  const tenants = (of: readonly BrandMention[]): readonly BrandMention[] =>
    of.filter(({ slug, name, provisional }) =>
      provisional ? !STREET.test(name) : brandBySlug.get(slug)?.category !== 'malls_and_real_estate',
    );
  const aside = primary.every(({ provisional }) => provisional)
    ? tenants(brands).filter(({ provisional }) => !provisional)
    : [];
  return (tenants(primary).at(-1) ?? aside[0] ?? primary.at(-1))?.name ?? null;
}

/** When it happened, where the text says so on a day not far from the item's own; else null. */
function eventAt(reading: Reading): string | null {
  const day = findDay(reading.title.text, reading.day) ?? findDay(reading.summary.text.slice(0, 300), reading.day);
  return day ? startOfDay(day) : null;
}

/** A second kind that is nearly as likely as the best has its fields read too: a plan of stores may be strategy. */
const likely = (scored: Scored, move: Move, least = SECOND): boolean => (scored.probabilities[move] ?? 0) >= least;
const SECOND = 0.35;
/** A headline that states a quarter's figures has them read even where the kind is another. */
const STATED = 0.15;

/** What nobody reads of noise is not worked out. */
const NO_FACTS = { deck: null, summary: null, key_facts: [] };

/** Understands an item. Never throws, whatever the text; cost is linear in its length, which is bounded. */
export const understandItem = (
  item: ItemText,
  catalogue: PreparedCatalogue,
  options: { explain?: boolean } = {},
): Verdict => understandItemWith(SHIPPED_MODELS, item, catalogue, options);

/** `understand` with other models than the shipped ones, for measuring models on what they were not trained on. */
export function understandItemWith(
  models: Models,
  item: ItemText,
  catalogue: PreparedCatalogue,
  options: { explain?: boolean } = {},
): Verdict {
  const { reading, subject, brands, primary, known, features } = inspectItem(item, catalogue);
  const [relevant, scored] = scoreBoth(models.relevance, models.move, features);
  const relevance = judgeRelevance(reading, models.relevance, relevant, features);
  const { move, words } = chooseMove(models.move, scored, features);
  const categories: Category[] = known.flatMap((brand) => brand?.category ?? []);
  const names = primary.map((brand) => brand.name);
  const headline = reading.title.text || 'Untitled';
  const cities = readCities(reading, move, catalogue);
  const delta = chooseDelta(reading, move);
  const result =
    move === 'results' || likely(scored, 'results') || (likely(scored, 'results', STATED) && statesResult(reading))
      ? readResult(reading, names[0] ?? null)
      : null;
  const others = readOtherResults(reading, result);
  const read: Omit<Understanding, 'kind'> = {
    move,
    headline,
    ...(relevance.relevant ? readKeyFacts(headline, reading.summary.text) : NO_FACTS),
    delta: delta?.text ?? null,
    event_at: eventAt(reading),
    theme: relevance.relevant ? chooseTheme(reading, categories, catalogue) : null,
    brands: brands.map(({ written: _, ...brand }) => brand),
    cities,
    mall: findMall(reading)?.name ?? null,
    people:
      move === 'people' || likely(scored, 'people')
        ? readPeople(
            reading,
            names[0] ?? null,
            brands.map(({ name }) => name),
          )
        : [],
    openings: readOpenings(reading, openerOf(brands, catalogue), cities, likely(scored, 'stores') ? 'stores' : move),
    deal: move === 'deals' ? readDeal(reading, names, heldBy(reading, names)) : null,
    result,
    ...(others.length > 0 ? { other_results: others } : {}),
  };
  const understanding: Understanding = { ...read, kind: relevance.relevant ? labelMove(read) : null };
  const reasons = options.explain
    ? explainUnderstanding({ reading, subject, relevance, moveWords: words(), brands, delta, understanding })
    : [];
  return {
    relevant: relevance.relevant,
    written: Object.fromEntries(brands.map((brand) => [brand.slug, brand.written])),
    reason: relevance.reason,
    roundup: relevance.roundup,
    understanding,
    reasons,
  };
}
