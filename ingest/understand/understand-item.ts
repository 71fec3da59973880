/**
 * Understands one item: reads its texts, decides whether it is a move and of which kind, and reads the facts of each
 * kind. Pure, without network, and able to explain every field, with the rule and the words behind it.
 * `understandItem` is the place to start reading.
 */

import { FACTS } from '../../facts/all-facts.ts';
import {
  asSign,
  type ConfidenceModel,
  type Judged,
  judgeFacts,
  type Proposed,
  SHIPPED_CONFIDENCE,
  signsOf,
  strongestSigns,
} from '../../facts/confidence.ts';
import type { FactKind } from '../../facts/fact.ts';
import type { ItemFacts } from '../../facts/item-facts.ts';
import { TaggedText } from '../../facts/tagged-text.ts';
import { isRetired, type PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { readSubjects, type Subject } from '../../facts/text/headline-subject.ts';
import { type ItemText, type Reading, readItem, type WrittenBrand } from '../../facts/text/item-reading.ts';
import { readKeySentences } from '../../facts/text/key-sentences.ts';
import { findLocality, findMall, readCities } from '../../facts/text/places.ts';
import { findEventTime } from '../../language/dates.ts';
import type { Figure } from '../../language/figures.ts';
import { type Facts, fieldsWith, statedFacts } from '../../schemas/facts.ts';
import type { Move } from '../../schemas/scalar.ts';
import type { Certainty, Reason, Understanding } from '../../schemas/story.ts';
import type { NamedBrand } from './brand-candidates.ts';
import { checkNames, findBrands, type RoleSpan } from './brands.ts';
import { chooseMove, chooseTheme, judgeRelevance, labelMove, type Relevance } from './classification.ts';
import type { EncodedItem } from './encoder/item-encoder.ts';
import { chooseDelta } from './key-facts.ts';
import { collectFeatures } from './model/features.ts';
import {
  combineMove,
  combineRelevance,
  type Models,
  type Opinions,
  SHIPPED_MODELS,
  scoreBoth,
} from './model/linear-model.ts';
import { type ItemClaims, type VerifiedReading, verifyClaims } from './model-reading.ts';

interface ExplainedItem {
  readonly reading: Reading;
  readonly subject: Subject;
  readonly relevance: Relevance;
  /** The features that decided the kind of move. */
  readonly moveWords: readonly string[];
  readonly brands: readonly WrittenBrand[];
  readonly delta: Figure | null;
  /** Every fact that the rules proposed, and the model that judged them; null where none did. */
  readonly facts: readonly Judged<unknown>[];
  readonly confidence: ConfidenceModel | null;
  readonly understanding: Understanding;
}

/** Which text a value was read in. */
function placeOf(reading: Reading, value: string): string {
  const isIn = (text: string): boolean => text.toLowerCase().includes(value.toLowerCase());
  return isIn(reading.title.text) ? 'headline' : isIn(reading.summary.text) ? 'summary' : 'catalogue';
}

/** Explains an item: one reason per value, in the order of the fields. */
function explainUnderstanding(item: ExplainedItem): Reason[] {
  const { reading, subject, relevance, moveWords, brands, delta, understanding } = item;
  const { title } = reading;
  const reasons: Reason[] = [];
  const add = (field: string, rule: string, words: string): void => void reasons.push({ field, rule, words });
  add('relevant', `${relevance.rule}: ${relevance.reason}`, relevance.words().join(', '));
  add('move', 'move model', moveWords.join(', '));
  if (understanding.kind) add('kind', 'label of the move', understanding.kind);
  for (const brand of brands)
    add(
      'brands',
      `${brand.role}${brand.provisional ? ', provisional' : ''}, ${placeOf(reading, brand.written)}`,
      brand.written,
    );
  const verb = title.tokens[subject.verb];
  if (verb) add('subject', 'verb', verb.text);
  if (delta) add('delta', delta.kind, title.text.includes(delta.text) ? delta.text : spanOf(reading, delta));
  for (const city of understanding.cities) add('cities', `place, ${placeOf(reading, city)}`, city);
  if (understanding.mall) add('mall', `mall, ${placeOf(reading, understanding.mall)}`, understanding.mall);
  const locality = findLocality(title);
  if (locality) add('cities', 'part of a city, headline', locality.name);
  if (understanding.theme) add('theme', 'words, categories and kinds of move of the theme', understanding.theme.slug);
  if (understanding.event_at) add('event_at', 'date in the text', understanding.event_at);
  for (const { kind, stored, read } of FACTS)
    for (const fact of statedFacts(understanding, kind)) add(stored.field, ...read.why(fact));
  if (item.confidence)
    for (const judged of item.facts)
      add(
        FACTS.find(({ kind }) => kind === judged.kind)?.stored.field ?? judged.kind,
        `${judged.isPublished ? 'confidence' : 'left out, confidence'} ${judged.confidence.toFixed(2)}`,
        strongestSigns(item.confidence, judged).join(', '),
      );
  return reasons;
}

/** A figure as its own text, headline or summary, writes it. */
function spanOf(reading: Reading, figure: Figure): string {
  const part = reading.title.figures.includes(figure) ? reading.title : reading.summary;
  return part.text.slice(figure.start, figure.end);
}

/** Changes whenever the same item may be understood otherwise: rules, weights or fields. */
export const UNDERSTAND_VERSION = 'understand-13';

/** What became of an item. */
export interface Verdict {
  readonly relevant: boolean;
  /** In plain words, such as `move`, `opinion`, `share tips or market talk`, `no consumer business`. */
  readonly reason: string;
  readonly roundup: boolean;
  /** Filled for noise too, as far as possible: matching does not depend on relevance. */
  readonly understanding: Understanding;
  readonly certainty: Certainty;
  /** Every fact that the rules proposed, published or not. */
  readonly facts: readonly Judged<unknown>[];
  /** By slug, how the text itself writes each brand. */
  readonly written: Readonly<Record<string, string>>;
  /** Empty unless `explain` is set. */
  readonly reasons: readonly Reason[];
}

/**
 * Reads an item as the models and the trainer see it.
 * @returns its texts, the clause that it is about, the brands that the rules find, and its features with their strengths
 */
export function inspectItem(item: ItemText, catalogue: PreparedCatalogue) {
  const reading = readItem(item, catalogue);
  const { brands, subject } = findBrands(reading, readSubjects(reading.title), catalogue);
  const primary = brands.filter(isPrimary).map(({ slug }) => catalogue.brandBySlug.get(slug) ?? null);
  // The linear models were trained on what the rules alone find.
  return { reading, subject, brands, features: collectFeatures(reading, subject, primary) };
}

const isPrimary = ({ role }: NamedBrand): boolean => role === 'primary';

/** The encoder's roles, moved to the headline without the outlet's prefixes; empty where it is written otherwise. */
function rolesIn(reading: Reading, { title, roles }: EncodedItem): RoleSpan[] {
  const offset = title.indexOf(reading.title.text);
  if (offset < 0) return [];
  return roles
    .map((role) => ({ ...role, start: role.start - offset, end: role.end - offset }))
    .filter(({ start, end }) => start >= 0 && end <= reading.title.text.length);
}

/** How sure the models are of relevance and kind, and whether they and the rules agree. */
function certaintyOf(relevance: Relevance, relevant: Opinions, moves: Opinions): Certainty {
  const rounded = (probability: number): number => Math.round(probability * 1000) / 1000;
  const disagree = ({ linear, encoder }: Opinions): boolean => encoder !== null && encoder.best !== linear.best;
  return {
    relevance: rounded(relevance.likely),
    move: rounded(moves.combined.probabilities[moves.combined.best] ?? 0),
    agreed: relevance.rule === 'relevance model' && !disagree(relevant) && !disagree(moves),
  };
}

/** A second kind of move with this probability has its facts read too: a plan of stores may be strategy. */
const SECOND_KIND = 0.35;
/** Below this probability of relevance, about half of the facts are wrong or of another industry; a clear deed is surer. */
const SURE_OF_FACTS = 0.65;
const QUESTION = /\?|^(?:how|why|what|can|will|is|are)\b/i;

const publishedOf = <Fact>(judged: readonly Judged<Fact>[]): Fact[] =>
  judged.flatMap(({ fact, isPublished }) => (isPublished ? [fact] : []));

/** Noise has no deck, summary or key facts: they are never shown. */
const NO_KEY_FACTS = { deck: null, summary: null, key_facts: [] };

/** What the models say of an item, for judging its facts. */
interface Judging {
  readonly item: ItemFacts;
  readonly relevance: Relevance;
  readonly moves: Opinions;
  /** Null publishes every fact. */
  readonly confidence: ConfidenceModel | null;
  /** What a language model read; null where none did. */
  readonly read: VerifiedReading | null;
}

/** The confidence of a fact that a language model read and the text confirms. */
const READ_CONFIDENCE = 0.95;

/**
 * The facts of a kind by a language model, each completed by what the rules read of it. What only the rules read is held
 * back, since the readers do not agree.
 */
function agreedFacts(
  { kind, read: { names } }: FactKind,
  facts: readonly Readonly<Record<string, unknown>>[],
  judged: readonly Judged<unknown>[],
): Judged<unknown>[] {
  const completed = new Set<Judged<unknown>>();
  const read = facts.map((fact): Judged<unknown> => {
    const shared = ({ fact: other }: Judged<unknown>): number =>
      Object.entries(fact).filter(([name, value]) => value === (other as Record<string, unknown>)[name]).length;
    const own = judged
      .filter((one) => names.every((name) => !fact[name] || (one.fact as Record<string, unknown>)[name] === fact[name]))
      .toSorted((one, other) => shared(other) - shared(one))[0];
    if (own) completed.add(own);
    const stated = Object.fromEntries(Object.entries(fact).filter(([, value]) => value !== null));
    return {
      fact: { ...fact, ...(own?.fact as object | undefined), ...stated },
      kind,
      signs: own?.signs ?? { item: {}, own: {} },
      confidence: READ_CONFIDENCE,
      isPublished: true,
    };
  });
  return [...read, ...judged.filter((one) => !completed.has(one)).map((one) => ({ ...one, isPublished: false }))];
}

/** The facts of a kind that the rules read, each with how far the encoder agrees with its cells: on average, and with the weakest. */
function proposeFacts({ read }: FactKind, item: ItemFacts): Proposed<unknown>[] {
  const { tagged } = item;
  return read.read(item).map(({ fact, signs }) => {
    const cells = (tagged && read.agreement?.(fact, tagged, item))?.flatMap((cell) => cell ?? []) ?? [];
    if (cells.length === 0) return { fact, signs: { ...signs, 'one reader': 1 } };
    const strengths = cells.map(asSign);
    const sum = strengths.reduce((total, strength) => total + strength, 0);
    return { fact, signs: { ...signs, agreed: sum / strengths.length, 'agreed at least': Math.min(...strengths) } };
  });
}

/** Reads the facts of a kind, and judges which are published. */
function judgeKind(fact: FactKind, judging: Judging): readonly Judged<unknown>[] {
  const isHeld = ({ fact: one }: Judged<unknown>): boolean => fact.read.isForOperators?.(one, judging.item) ?? false;
  return readKind(fact, judging).map((one) => (isHeld(one) ? { ...one, isPublished: false } : one));
}

/** Reads the facts of a kind, and judges of which the readers are sure. */
function readKind(
  fact: FactKind,
  { item, relevance, moves, confidence, read: reading }: Judging,
): readonly Judged<unknown>[] {
  const { read, kind, ask } = fact;
  const proposals = proposeFacts(fact, item);
  const signs = signsOf({
    relevance: asSign(relevance.likely),
    kind: asSign(moves.combined.probabilities[ask.move] ?? 0),
    question: QUESTION.test(item.headline),
  });
  const isDoubtful =
    relevance.likely < SURE_OF_FACTS && !item.isDeed && !read.areCertain?.(proposals.map(({ fact }) => fact));
  const model = read.leastConfidence === null ? null : confidence;
  const confident = judgeFacts(model, kind, signs, proposals, read.leastConfidence ?? 0, isDoubtful);
  const isKnown = relevance.likely >= SURE_OF_FACTS || item.primary.some(({ provisional }) => !provisional);
  const judged = confident.map((one) =>
    isKnown && read.isPlain?.(one.fact, item) ? { ...one, isPublished: true } : one,
  );
  const facts = reading?.facts.get(kind) ?? [];
  // Where every fact of the rules is published, they are not doubted.
  if (reading && (read.leastConfidence !== null || facts.length > 0)) return agreedFacts(fact, facts, judged);
  return read.followsFirst && !judged[0]?.isPublished ? judged.map((one) => ({ ...one, isPublished: false })) : judged;
}

/** The story that readers see. */
function understandingOf(
  { item: { reading, catalogue, move, headline, brands, primary, cities }, relevance: { relevant } }: Judging,
  keyFacts: Pick<Understanding, 'deck' | 'summary' | 'key_facts'>,
  delta: string | null,
  judged: readonly { readonly fact: FactKind; readonly facts: readonly Judged<unknown>[] }[],
): Understanding {
  const categories = primary.flatMap(({ slug }) => catalogue.brandBySlug.get(slug)?.category ?? []);
  const story: Omit<Understanding, 'kind' | 'theme'> = {
    move,
    headline,
    ...keyFacts,
    delta,
    event_at: findEventTime(reading),
    brands: brands.map(({ slug, name, role, provisional, agreed }) => ({
      slug,
      name,
      role,
      provisional,
      ...(agreed && { agreed }),
    })),
    cities: [...cities],
    mall: findMall(reading)?.name ?? null,
    ...(Object.assign({}, ...judged.map(({ fact, facts }) => fieldsWith(fact.kind, publishedOf(facts)))) as Facts),
  };
  const kind = relevant ? labelMove(story) : null;
  return { ...story, kind, theme: relevant ? chooseTheme(reading, categories, catalogue, { move, kind }) : null };
}

/** Decides whether an item is a move, and of which kind. */
function judgeMove(
  { relevance: relevanceModel, move: moveModel }: Models,
  { reading, features }: ReturnType<typeof inspectItem>,
  headline: string,
  encoded: EncodedItem | null,
) {
  const [relevanceScores, moveScores] = scoreBoth(relevanceModel, moveModel, features);
  const opinions = combineRelevance(relevanceScores, encoded);
  const relevance = judgeRelevance(reading, relevanceModel, opinions, features);
  const moves = combineMove(moveScores, encoded);
  const { move, words } = chooseMove(moveModel, moves, features, headline);
  return { relevance, moves, move, words, certainty: certaintyOf(relevance, opinions, moves) };
}

/** The brands of an item: those of a language model, else those of the rules without names that the encoder vetoes; none that was retired before it. */
function brandsOf(
  item: ItemText,
  { reading, brands }: ReturnType<typeof inspectItem>,
  { encoded, read }: { readonly encoded: EncodedItem | null; readonly read: VerifiedReading | null },
  catalogue: PreparedCatalogue,
): readonly NamedBrand[] {
  const roles = encoded ? rolesIn(reading, encoded) : [];
  const local = roles.length > 0 ? checkNames(reading.title, brands, roles) : brands;
  const named = read?.brands.some(isPrimary) ? read.brands : local;
  return named.filter(({ slug }) => !isRetired(catalogue.brandBySlug.get(slug), item));
}

/** What a language model decides of relevance and kind; the rules for plain noise are not overruled. */
function withReading<Decided extends { readonly relevance: Relevance; readonly move: Move }>(
  decided: Decided,
  { relevant, move }: VerifiedReading,
): Decided {
  const { relevance } = decided;
  const reason = relevant ? 'move' : relevance.relevant ? 'no move' : relevance.reason;
  const likely = relevant
    ? Math.max(relevance.likely, READ_CONFIDENCE)
    : Math.min(relevance.likely, 1 - READ_CONFIDENCE);
  return {
    ...decided,
    relevance: { ...relevance, relevant, reason, likely, rule: 'language model' },
    move: (relevant && move) || decided.move,
  };
}

/** The cities that a model read; without any, those of a mall or a locality, which the text does not name and a model cannot copy. */
function completedCities(
  read: VerifiedReading | null,
  local: readonly string[],
  { title, summary }: Reading,
): readonly string[] {
  if (!read) return local;
  if (read.cities.length > 0) return read.cities;
  return local.filter((city) => !title.text.includes(city) && !summary.text.includes(city));
}

/** What decides, for measuring and training. */
interface UnderstandOptions {
  /** What a language model says of it. */
  readonly claims?: ItemClaims | null;
  /** What the encoder says of it; without it the linear models decide alone. */
  readonly encoded?: EncodedItem | null;
  /** Adds a reason for every field. */
  readonly explain?: boolean;
  readonly models?: Models;
  /** Null publishes every fact that the rules propose. */
  readonly confidence?: ConfidenceModel | null;
}

/**
 * Understands an item.
 * @param options replace the shipped models; `claims` are taken as far as the text confirms them
 * @returns a verdict for any text; it never throws, and its cost is linear in the length of the text, which is bounded
 */
export function understandItem(
  item: ItemText,
  catalogue: PreparedCatalogue,
  {
    encoded = null,
    claims = null,
    explain = false,
    models = SHIPPED_MODELS,
    confidence = SHIPPED_CONFIDENCE,
  }: UnderstandOptions = {},
): Verdict {
  // Read the texts, whom the headline is about, and what the models look at.
  const inspected = inspectItem(item, catalogue);
  const { reading, subject, features } = inspected;
  const headline = reading.title.text || 'Untitled';
  const local = judgeMove(models, inspected, headline, encoded);
  const read = claims && local.relevance.rule !== 'plain noise' ? verifyClaims(claims, reading, catalogue) : null;
  const { relevance, moves, move, words, certainty } = read ? withReading(local, read) : local;
  const brands = brandsOf(item, inspected, { encoded, read }, catalogue);
  const { relevant } = relevance;

  // The facts, kind by kind. Those of noise are never published: they serve matching, and are kept as they are.
  const keyFacts = relevant ? readKeySentences(headline, reading.summary.text) : NO_KEY_FACTS;
  const tagged = encoded && new TaggedText(encoded.tags);
  const cities = completedCities(read, readCities(reading, move, catalogue, tagged), reading);
  const judging: Judging = {
    item: {
      reading,
      catalogue,
      move,
      label: relevant ? labelMove({ move, headline, brands: [...brands], people: [], openings: [], deal: null }) : null,
      mayBe: (kind, minimum = SECOND_KIND) => (moves.combined.probabilities[kind] ?? 0) >= minimum,
      isDeed: features.has('clear-deed'),
      headline,
      summary: keyFacts.deck,
      brands,
      primary: brands.filter(isPrimary),
      cities,
      tagged,
    },
    relevance,
    moves,
    confidence: relevant ? confidence : null,
    read: relevant ? read : null,
  };
  const judged = FACTS.map((fact) => ({ fact, facts: judgeKind(fact, judging) }));
  const facts = judged.flatMap((one) => one.facts);

  const delta = read ? null : chooseDelta(reading, move, tagged);
  const understanding = understandingOf(judging, keyFacts, read ? read.delta : (delta?.text ?? null), judged);
  const explained = { reading, subject, relevance, brands, delta, facts, understanding };
  return {
    relevant,
    reason: relevance.reason,
    roundup: relevance.roundup,
    understanding,
    certainty,
    facts,
    written: Object.fromEntries(brands.map((brand) => [brand.slug, brand.written])),
    reasons: explain ? explainUnderstanding({ ...explained, moveWords: words(), confidence: judging.confidence }) : [],
  };
}
