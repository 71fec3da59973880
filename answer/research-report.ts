/**
 * Composes a research briefing: a topic becomes one typed query for each kind of move, each signal appears in one section, and
 * every section has its findings with figures, its table and its signals. Also: what changed against the window before, where
 * outlets disagree, and what was searched and not found.
 */

import type { PreparedCatalogue } from '../facts/text/catalogue.ts';
import { dayInWords, istDay } from '../language/days.ts';
import { capitalised, formatCount, joinNames } from '../language/prose.ts';
import { findByMeaning } from '../projector/models/search-queries.ts';
import type { Citation, Preset, ResearchBody } from '../schemas/ask.ts';
import type { Move } from '../schemas/scalar.ts';
import type { AnswerContext } from './answer-question.ts';
import { aheadOf, eventBullet, eventsOf } from './compose/briefing-events.ts';
import { byDay, FINDINGS, shownDay, type Table, tableOf } from './compose/briefing-figures.ts';
import { disagreements } from './compose/disagreement.ts';
import { bullet, counted, leadSentence, NOUNS, recordOf, scopeOf, subjectOf } from './compose/sentences.ts';
import { escapeMarkdown, quotation, type Sentence, Verifier } from './draft.ts';
import { type Evidence, evidenceBy, hasWord } from './evidence.ts';
import { fitOf, isOfAllTopics, isOfCategories, isOfTheme, MET, timeOf } from './evidence-fit.ts';
import { type Found, findByFields } from './find-evidence.ts';
import { composedSentences, type Writer } from './model-answer.ts';
import type { TypedQuery } from './question/typed-query.ts';
import { readTopic } from './read-asked.ts';

/** A sub-question: signals of these kinds about the topic. */
interface Plan {
  readonly title: string;
  readonly kinds: readonly Move[];
}

const PLAN: readonly Plan[] = [
  { title: 'Stores', kinds: ['stores'] },
  { title: 'Deals', kinds: ['deals'] },
  { title: 'Results', kinds: ['results'] },
  { title: 'People', kinds: ['people'] },
  { title: 'Rules', kinds: ['rules'] },
  { title: 'Products and prices', kinds: ['launches'] },
  { title: 'Strategy', kinds: ['strategy', 'other'] },
];

/** Signals that a section quotes, and rows of its table. */
const DEPTH: Readonly<Record<Preset, { readonly quoted: number; readonly rows: number }>> = {
  standard: { quoted: 6, rows: 15 },
  deep: { quoted: 15, rows: 50 },
};

/** So much of the words of a topic that names nothing has to be met. */
const LEAST_COVERED = 0.5;

/** A topic with fewer signals of the kinds that it names is widened. */
const SHORT = 5;

interface Section extends Plan {
  /** All signals that fit, the weightiest first; each is in one section only. */
  readonly evidence: readonly Evidence[];
  /** How many fitted in the window before; null where there is none on record. */
  readonly before: number | null;
}

interface Gathered {
  readonly query: TypedQuery;
  readonly sections: readonly Section[];
  /** Sub-questions without a signal. */
  readonly missing: readonly string[];
  readonly unmet: readonly string[];
  readonly began: Date | null;
  readonly searches: number;
}

/** The topic with what the caller added to it. */
function narrowed(query: TypedQuery, { brands, themes, since }: ResearchBody, now: Date): TypedQuery {
  const period = since
    ? {
        since: new Date(since).toISOString(),
        until: now.toISOString(),
        label: `since ${dayInWords(istDay(new Date(since)))}`,
        fiscal: null,
      }
    : query.period;
  return {
    ...query,
    intent: query.intent === 'outside' || query.intent === 'unreadable' ? query.intent : 'happened',
    measure: null,
    condition: null,
    premise: null,
    limit: null,
    order: 'salience',
    // How far a deal or a store is, and who came or went, are columns of the tables: the topic is all of it.
    deal: query.deal && query.deal.types.length > 0 ? { types: query.deal.types, role: null, status: null } : null,
    store_status: null,
    person: query.person?.name ? query.person : null,
    metric: null,
    action: null,
    period,
    brands: brands.length > 0 ? brands.map((slug) => ({ slug, name: slug })) : query.brands,
    themes: themes.length > 0 ? themes.map((slug) => ({ slug, name: slug })) : query.themes,
  };
}

/** The window of the same length before a period; null without a period, or where the record does not reach back so far. */
function windowBefore({ period }: TypedQuery, began: Date | null): TypedQuery['period'] {
  if (!period || !began) return null;
  const [since, until] = [Date.parse(period.since), Date.parse(period.until)];
  const earlier = new Date(since - (until - since));
  if (earlier < began) return null;
  return { since: earlier.toISOString(), until: period.since, label: 'in the window before', fiscal: null };
}

/** From this cosine on a signal says what a topic is about that names nothing, and so many of them are read. */
const SAYS_TOPIC = 0.66;
const MEANT = 25;

/** The signals whose reports say most nearly what a topic is about. */
async function meantBy(topic: string, query: TypedQuery, context: AnswerContext): Promise<Evidence[]> {
  const meaning = query.words.length > 0 ? await context.meaningOf?.(topic) : null;
  if (!meaning) return [];
  const ids = await findByMeaning(context.database, meaning, { ...timeOf(query), limit: MEANT, least: SAYS_TOPIC });
  const signals = ids.length > 0 ? await context.search.search({ ids, limit: MEANT }) : [];
  // Deals of another type are near those of the topic, and not of it.
  const isOfDeal = (one: Evidence): boolean => (fitOf(query, one, context.catalogue).deal ?? 1) >= MET;
  return signals.map(evidenceBy(context.catalogue)).filter(isOfDeal);
}

/**
 * A topic with less and less of what it says.
 * @param topic as it was read, with the kinds of move that it names
 * @param given the themes that the caller gave besides it, which always narrow
 */
function widerThan(query: TypedQuery, topic: TypedQuery, given: ResearchBody['themes']): TypedQuery[] {
  const { brands, mentions, places, themes, words } = query;
  const named = { ...query, words: [], themes: given.length > 0 ? themes : [], categories: [] };
  return [
    ...(words.length > 0 && subjectOf(query) !== '' ? [{ ...query, words: [] }] : []),
    // What is listed of companies is sides of them, and no trade to which they are narrowed.
    ...(brands.length > 0 || (mentions.length > 0 && themes.length > 0) ? [named] : []),
    ...(places.length > 0 && topic.kinds.length > 0 ? [{ ...named, kinds: topic.kinds }] : []),
  ];
}

/** The time of moves: a quarter is that of results, and all else that happened since it began belongs to it. */
const timeFor = (kinds: readonly Move[], period: TypedQuery['period'], now: Date): TypedQuery['period'] =>
  period?.fiscal && !kinds.includes('results') ? { ...period, until: now.toISOString(), fiscal: null } : period;

/** Whether a signal is of the trade of a topic: a company of another trade that sells by it is none of it. */
function isOfTopic(
  { brands, categories }: TypedQuery,
  { about, signal }: Evidence,
  { brandBySlug }: PreparedCatalogue,
): boolean {
  const named = about.flatMap((slug) => brandBySlug.get(slug) ?? []);
  return (
    categories.length === 0 ||
    brands.length > 0 ||
    named.length === 0 ||
    named.some((brand) => isOfCategories(brand, categories)) ||
    isOfTheme(signal, categories)
  );
}

const ofKinds = (evidence: readonly Evidence[], kinds: readonly Move[]): Evidence[] =>
  evidence.filter(({ signal }) => kinds.includes(signal.move));

/** The sections of a briefing: each signal in one of them, since a kind of move is, and those of an event in that of its first. */
function sectionsOf(
  plan: readonly Plan[],
  topical: readonly Evidence[],
  before: readonly Found[] | null,
): readonly Section[] {
  const events = eventsOf(topical);
  return plan.map((one, index) => ({
    ...one,
    evidence: events.filter(([first]) => first && one.kinds.includes(first.signal.move)).flat(),
    before: before && ofKinds(before[index]?.evidence ?? [], one.kinds).length,
  }));
}

/** What was found of other kinds than those that a topic names, as far as it is of the topic. */
function ofTopic(query: TypedQuery, more: readonly Found[], catalogue: AnswerContext['catalogue']): readonly Found[] {
  // What is about one part of the topic only is no more of it: "food safety" and "quick commerce" are meant together.
  const areTogether = query.themes.length > 0 && query.themes.length + query.categories.length > 1;
  // A topic with words of its own is not all that happened in its trade.
  const isTopic = (one: Evidence): boolean =>
    (!areTogether || isOfAllTopics(query, one, catalogue)) &&
    (query.words.length === 0 || query.words.some((word) => hasWord(one.stems, word)));
  return more.map((one) => ({ ...one, evidence: one.evidence.filter(isTopic) }));
}

/** Asks the sub-questions of a topic. */
async function gather(context: AnswerContext, body: ResearchBody): Promise<Gathered> {
  const topic = narrowed(await readTopic(context, body.topic), body, context.now());
  // "Jewellery: demand, duties, results and stores" is all that happened in the trade, what it lists first.
  const isWide = subjectOf(topic) !== '' && (topic.kinds.length > 1 || /[:;,]/.test(body.topic));
  let query: TypedQuery = isWide ? { ...topic, kinds: [], words: [], deal: null } : topic;
  const none = { query, sections: [], missing: [], unmet: [], began: null, searches: 0 };
  if (query.intent === 'outside' || query.intent === 'unreadable') return none;
  const isAsked = ({ kinds }: Plan): boolean =>
    query.kinds.length === 0 || kinds.some((kind) => query.kinds.includes(kind));
  const isListed = ({ kinds }: Plan): boolean => kinds.some((kind) => topic.kinds.includes(kind));
  // A topic without a name is its words: what has none of them is of the kind of move alone.
  const isWorded = query.words.length > 0 && subjectOf(query) === '' && query.kinds.length === 0;
  const ask = async (kinds: readonly Move[], period: TypedQuery['period']): Promise<Found> => {
    const time = timeFor(kinds, period, context.now());
    const retrieval = await findByFields({ ...query, kinds: [...kinds], period: time }, context);
    return isWorded && retrieval.coverage < LEAST_COVERED ? { ...retrieval, evidence: [] } : retrieval;
  };
  const search = (some: readonly Plan[]): Promise<Found[]> =>
    Promise.all(some.map(({ kinds }) => ask(kinds, query.period)));
  const byListed = (one: Plan, other: Plan): number => Number(isListed(other)) - Number(isListed(one));
  let plan = PLAN.filter(isAsked).toSorted(byListed);
  let retrievals = await search(plan);
  const topicalOfPlan = (): Evidence[] =>
    plan
      .flatMap(({ kinds }, index) => ofKinds(retrievals[index]?.evidence ?? [], kinds))
      .filter((one) => isOfTopic(query, one, context.catalogue));
  const isShort = (): boolean => topicalOfPlan().length < SHORT;
  // Where little has all that a topic says, what it names says more of it than its words, and a regulator more than a theme.
  for (const wider of isShort() ? widerThan(query, topic, body.themes) : []) {
    if (!isShort()) break;
    query = wider;
    plan = PLAN.filter(isAsked).toSorted(byListed);
    retrievals = await search(plan);
  }
  // Where little is of the kinds that a topic names, moves of other kinds say more of it.
  if (isShort() && query.brands.length === 0 && subjectOf(query) !== '') {
    const others = PLAN.filter((one) => !plan.includes(one));
    retrievals = [...retrievals, ...ofTopic(query, await search(others), context.catalogue)];
    plan = [...plan, ...others];
  }
  const began = retrievals[0]?.began ?? null;
  const window = windowBefore(query, began);
  const before = window && (await Promise.all(plan.map(({ kinds }) => ask(kinds, window))));
  const byKinds = topicalOfPlan();
  const meant = subjectOf(query) === '' ? await meantBy(body.topic, query, context) : [];
  const topical = [...new Map([...byKinds, ...meant].map((one) => [one.signal.id, one])).values()];
  const sections =
    meant.length > 0 ? sectionsOf(PLAN.toSorted(byListed), topical, null) : sectionsOf(plan, topical, before);
  const unmet = query.words.filter((word) => !topical.some(({ stems }) => hasWord(stems, word)));
  return {
    query,
    began,
    unmet,
    searches: retrievals.length + (before?.length ?? 0),
    sections: sections.filter(({ evidence }) => evidence.length > 0),
    missing: sections.filter(({ evidence }) => evidence.length === 0).map(({ title }) => title),
  };
}

// The report: Markdown, every statement with links to the signals that it cites.

interface Report {
  readonly markdown: string;
  readonly citations: readonly Citation[];
  readonly cost_usd: number;
}

/** Numbers the citations in the order of their first use, and links each to its signal. */
class References {
  readonly #sentences: Sentence[] = [];
  readonly #verifier: Verifier;
  constructor(evidence: readonly Evidence[]) {
    this.#verifier = new Verifier(evidence);
  }

  /** The sentence with its links; null when it does not hold. */
  cite(sentence: Sentence): string | null {
    if (!this.#verifier.holds(sentence)) return null;
    this.#sentences.push(sentence);
    const citations = this.citations();
    const own = new Set(this.#verifier.citations([sentence]).map(({ source_url }) => source_url ?? ''));
    const links = sentence.ids.map((id) => {
      const at = citations.findIndex((one) => one.id === id && own.has(one.source_url ?? ''));
      return `[\\[${at + 1}\\]](${citations[at]?.url ?? ''})`;
    });
    return `${sentence.markdown} ${links.join(' ')}`;
  }

  citations(): Citation[] {
    return this.#verifier.citations(this.#sentences);
  }
}

const section = (title: string, lines: readonly (string | null)[], level = 2): string[] => {
  const kept = lines.filter((line): line is string => line !== null);
  return kept.length > 0 ? [`${'#'.repeat(level)} ${title}`, '', ...kept, ''] : [];
};

const sourceLine = ({ headline, url, outlet, source_url, published_at }: Citation, index: number): string => {
  const day = dayInWords(istDay(new Date(published_at)));
  const original = source_url && /^https?:\/\/[^\s<>()]+$/.test(source_url) ? `, [original report](${source_url})` : '';
  return `${index + 1}. [${escapeMarkdown(headline)}](${url}), ${escapeMarkdown(outlet ?? 'a source')}, ${day}${original}`;
};

function tableLines({ columns, rows, isBare }: Table, maximum: number, references: References): string[] {
  const shown = rows.slice(0, maximum);
  if (shown.length === 0) return [];
  const lines = shown.flatMap(({ evidence, cells }) => {
    const day = dayInWords(shownDay(evidence));
    const texts = [day, ...cells.map((cell) => cell ?? '–')].map((cell) => escapeMarkdown(cell));
    const { headline, signal } = evidence;
    const quote = isBare ? ` ${escapeMarkdown(quotation(headline))}` : '';
    const quotes = isBare ? [{ id: signal.id, text: headline }] : [];
    const line = references.cite({ markdown: `| ${texts.join(' | ')} |${quote}`, ids: [signal.id], quotes });
    return line ? [`${line} |`] : [];
  });
  const more = rows.length > shown.length ? ['', `${shown.length} of ${rows.length} rows are shown.`] : [];
  const head = ['Date', ...columns, 'Signal'];
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...lines, ...more, ''];
}

/** `12 signals, 4 more than in the window before`. */
function change({ evidence, before }: Section): string {
  const now = formatCount(evidence.length, 'signal');
  if (before === null) return now;
  const difference = evidence.length - before;
  if (difference === 0) return `${now}, as many as in the window before`;
  return `${now}, ${Math.abs(difference)} ${difference > 0 ? 'more' : 'fewer'} than in the window before`;
}

/** A summary line of a section: its findings in figures, which its own lines do not repeat. */
function summaryOf(one: Section, references: References): string {
  const [kind] = one.kinds;
  const findings = (kind && FINDINGS[kind]?.(one.evidence)) ?? [];
  const statements = findings.length > 0 ? findings : [counted('listed below', one.evidence.slice(0, MAX_CITED))];
  const cited = statements.map((sentence) => ({ ...sentence, ids: sentence.ids.slice(0, MAX_CITED) }));
  return `- **${one.title}** (${change(one)}): ${cited.flatMap((sentence) => references.cite(sentence) ?? []).join('; ')}`;
}

/** A briefing of more signals begins with its main developments: at most so many, of at least so many companies. */
const READ_AT_ONCE = 12;
const MAX_DEVELOPMENTS = 8;
const MIN_COMPANIES = 3;

/**
 * The heaviest developments, one for each company: by how large the event is for its company and how many outlets report it. Of
 * several moves of one kind, the newest is shown.
 */
export function developmentsOf(all: readonly Evidence[]): Evidence[] {
  const weightOf = ({ salience, signal: { outlets } }: Evidence): number => salience * (1 + Math.log2(outlets));
  const groups = Map.groupBy(all, ({ about, signal }) => about[0] ?? signal.id);
  // Of one company, all sections are about it.
  if (groups.size < MIN_COMPANIES) return [];
  return [...groups.values()]
    .map((own) => own.toSorted((one, other) => weightOf(other) - weightOf(one)))
    .toSorted(([one], [other]) => (one && other ? weightOf(other) - weightOf(one) : 0))
    .slice(0, MAX_DEVELOPMENTS)
    .flatMap((own) => own.filter(({ signal }) => signal.move === own[0]?.signal.move).toSorted(byDay)[0] ?? []);
}

/** Kinds of move whose figures a conclusion states, and companies that it names. */
const MAX_GROUPS = 2;
const MAX_COMPANIES = 3;

/** What follows from the rows, in three sentences: the figures of the largest groups, the companies in most, and the newest report. */
function conclusionOf(all: readonly Evidence[]): Sentence[] {
  const kinds = [...Map.groupBy(all, ({ signal }) => signal.move)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  const figures = kinds
    .flatMap(([move, own]) => FINDINGS[move]?.(own).slice(0, 1) ?? [])
    .filter(({ ids }) => ids.length > 1)
    .slice(0, MAX_GROUPS);
  const named = all.flatMap((one) =>
    one.signal.brands.flatMap(({ slug, name }) => (one.about.includes(slug) ? [{ name, one }] : [])),
  );
  const companies = [...Map.groupBy(named, ({ name }) => name)]
    .filter(([, own]) => own.length > 1)
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, MAX_COMPANIES);
  const newest = all.toSorted((one, other) => (one.moved_at < other.moved_at ? 1 : -1))[0];
  return [
    ...(figures.length > 0
      ? [
          {
            ...counted(capitalised(`${figures.map(({ markdown }) => markdown).join('; ')}.`), []),
            ids: [...new Set(figures.flatMap(({ ids }) => ids.slice(0, MAX_CITED)))],
          },
        ]
      : []),
    ...(companies.length > 0
      ? [
          counted(
            `Most is reported of ${joinNames(companies.map(([name, own]) => `${escapeMarkdown(name)} (${own.length})`))}.`,
            companies.flatMap(([, own]) => own.slice(0, 2).map(({ one }) => one)),
          ),
        ]
      : []),
    ...(newest ? [{ ...leadSentence(newest), markdown: `The newest: ${leadSentence(newest).markdown}` }] : []),
  ];
}

/** Signals that a sentence of the conclusion links to. */
const MAX_CITED = 5;

/** A section of fewer signals is read as fast as a paragraph about it. */
const LEAST_SYNTHESISED = 3;

interface Synthesis {
  readonly sentences: readonly Sentence[];
  readonly cost_usd: number;
}

/** What a model says of each section, all at once; nothing without a model, and without what fails the check of answers. */
const synthesised = (
  writer: Writer | null,
  topic: string,
  sections: readonly Section[],
): Promise<readonly Synthesis[]> =>
  Promise.all(
    sections.map(async ({ title, evidence }) => {
      if (!writer || evidence.length < LEAST_SYNTHESISED) return { sentences: [], cost_usd: 0 };
      const { kept, cost_usd } = await composedSentences(
        writer,
        `${topic}: ${title}`,
        { lead: [], items: [], basis: 'none' },
        evidence,
      );
      return { sentences: kept, cost_usd };
    }),
  );

/** A section of the report: what a model says of it, its table, and quotations of what no row of the table states. */
function bodyOf(
  one: Section,
  sentences: readonly Sentence[],
  preset: Preset,
  references: References,
  developments: readonly Evidence[],
): string[] {
  const depth = DEPTH[preset];
  const paragraph = sentences.flatMap((sentence) => references.cite(sentence) ?? []);
  const facts = tableOf(one.kinds[0], one.evidence);
  const table = facts ? tableLines(facts, depth.rows, references) : [];
  const inTable = new Set(facts?.rows.slice(0, depth.rows).map(({ evidence }) => evidence));
  const left = one.evidence.filter((signal) => !inTable.has(signal) && !developments.includes(signal));
  const events = eventsOf(left);
  const shown = events.slice(0, depth.quoted);
  const quoted = shown.map((event) => listed(eventBullet(event), references));
  const rest = left.length - shown.flat().length;
  const more = rest > 0 ? [`- ${formatCount(rest, 'further signal')} of this kind.`] : [];
  return section(one.title, [...(paragraph.length > 0 ? [paragraph.join(' '), ''] : []), ...table, ...quoted, ...more]);
}

const listed = (sentence: Sentence, references: References): string | null =>
  references.cite({ ...sentence, markdown: `- ${sentence.markdown}` });

/** What was searched, and what was not found. */
function searchedLines(gathered: Gathered, signals: number, preset: Preset): string[] {
  const { query, missing, unmet, began, searches } = gathered;
  return [
    `- Read as: ${[subjectOf(query) || 'all brands', scopeOf(query) || recordOf({ began })].join(', ')}.`,
    `- ${formatCount(signals, 'signal')} read in ${formatCount(searches, 'search', 'searches')}; preset ${preset}.`,
    ...(missing.length > 0 ? [`- Searched and not found: ${joinNames(missing.map((one) => one.toLowerCase()))}.`] : []),
    ...(unmet.length > 0 ? [`- In no signal: ${joinNames(unmet.slice(0, 6).map((word) => quotation(word)))}.`] : []),
    ...(began ? [`- The record begins on ${dayInWords(istDay(began))}.`] : []),
  ];
}

/** Composes a briefing. With a model, a section of several signals begins with a paragraph. */
export async function composeReport(context: AnswerContext, body: ResearchBody): Promise<Report> {
  const gathered = await gather(context, body);
  const { query, sections } = gathered;
  const title = `# ${escapeMarkdown(body.topic)}`;
  const today = dayInWords(istDay(context.now()));
  const all = sections.flatMap(({ evidence }) => evidence);
  if (all.length === 0) {
    const scope = scopeOf(query);
    const nothing = `No signal found${scope && ` ${scope}`} on this topic. The record contains dated moves in Indian retail.`;
    return { markdown: [title, '', `Briefing of ${today}.`, '', nothing, ''].join('\n'), citations: [], cost_usd: 0 };
  }
  const references = new References(all);
  const days = all.toSorted((one, other) => (one.moved_at < other.moved_at ? -1 : 1)).map(({ day }) => dayInWords(day));
  const syntheses = await synthesised(context.writer, body.topic, sections);
  const summary = sections.map((one) => summaryOf(one, references));
  const developments = all.length > READ_AT_ONCE ? developmentsOf(all) : [];
  const first = developments.map((one) => listed(bullet(one), references));
  const bodies = sections.flatMap((one, index) =>
    bodyOf(one, syntheses[index]?.sentences ?? [], body.preset, references, developments),
  );
  const differing = disagreements(all).map((one) => listed(one, references));
  const ahead = aheadOf(all, istDay(context.now())).map((one) => listed(one, references));
  const concluded = conclusionOf(all).flatMap((one) => references.cite(one) ?? []);
  const kinds = [...Map.groupBy(all, ({ signal }) => signal.move)].map(([move, { length }]) =>
    formatCount(length, ...NOUNS[move]),
  );
  const lines = [
    title,
    '',
    `Briefing of ${today} on ${formatCount(all.length, 'signal')} from ${days[0]} to ${days.at(-1)}: ${joinNames(kinds)}.`,
    '',
    ...section('Main developments', first),
    ...section('Summary', summary),
    ...bodies,
    ...section('Where outlets disagree', differing),
    ...section('What follows next', ahead),
    ...section('Conclusion', all.length >= LEAST_SYNTHESISED ? [concluded.join(' ')] : []),
    ...section('What was searched', searchedLines(gathered, all.length, body.preset)),
    ...section('Sources', references.citations().map(sourceLine)),
  ];
  const cost_usd = syntheses.reduce((sum, one) => sum + one.cost_usd, 0);
  return { markdown: lines.join('\n'), citations: references.citations(), cost_usd };
}
