/** Composes a research briefing: its sections, the evidence of each, and tables of brands and figures. */
import { type SearchFilter, searchSignals } from '../projector/models/search-queries.ts';
import type { Citation, Preset, ResearchBody } from '../schemas/ask.ts';
import type { BrandSlug, Move } from '../schemas/scalar.ts';
import { type AnswerContext, understandQuestion } from './answer-question.ts';
import { bullet, chooseDiverse } from './compose-list.ts';
import { counted, escapeMarkdown, listed, type Sentence, Verifier } from './draft.ts';
import { statedAmounts, statedStores } from './figures.ts';
import { dayOf, spoken } from './question/calendar.ts';
import { NOUNS } from './question/question-intent.ts';
import type { Question } from './question/read-question.ts';
import { coverage, type Evidence, evidenceBy, type Filters, filtersOf, isNarrow } from './retrieve-evidence.ts';

interface Section {
  readonly title: string;
  readonly moves: readonly Move[];
}

const STANDARD: readonly Section[] = [
  { title: 'Stores', moves: ['stores'] },
  { title: 'Deals', moves: ['deals'] },
  { title: 'Results', moves: ['results'] },
  { title: 'Products and prices', moves: ['launches'] },
  { title: 'Strategy', moves: ['strategy', 'other'] },
  { title: 'People', moves: ['people'] },
  { title: 'Rules', moves: ['rules'] },
];

/** Signals of a section, and of the whole. */
const DEPTH: Readonly<Record<Preset, { readonly section: number; readonly timeline: number }>> = {
  standard: { section: 8, timeline: 20 },
  deep: { section: 20, timeline: 50 },
};

/** How far a briefing looks, by its preset. */
const depthOf = (preset: Preset): (typeof DEPTH)[Preset] => DEPTH[preset];

/** The searches of a plan; a topic that names kinds of move keeps to them. */
function sectionsOf(
  base: readonly Omit<SearchFilter, 'limit'>[],
  moves: readonly Move[],
): readonly (Section & { readonly searches: readonly Omit<SearchFilter, 'limit'>[] })[] {
  const wanted =
    moves.length > 0 ? STANDARD.filter((section) => section.moves.some((move) => moves.includes(move))) : STANDARD;
  return wanted.map((section) => ({
    ...section,
    searches: base.map((filter) => ({ ...filter, moves: section.moves })),
  }));
}

interface Gathered {
  readonly question: Question;
  readonly sections: readonly { readonly title: string; readonly evidence: readonly Evidence[] }[];
}

/** Signals that a section is chosen from. */
const CANDIDATES = 60;
/** Fewer of the topic's own words than this share, and a signal is of another topic. */
const MIN_COVERAGE = 0.5;

const slugged = <Own extends string>(slugs: readonly Own[]) =>
  slugs.map((slug) => ({ slug, name: slug, start: 0, end: 0 }));

/** The topic with what the caller added to it. */
function narrowed(question: Question, { brands, themes, since }: ResearchBody, now: Date): Question {
  const period = since
    ? { since: new Date(since), until: now, label: `since ${since.slice(0, 10)}`, fiscal: null, start: 0, end: 0 }
    : question.period;
  return {
    ...question,
    brands: brands.length > 0 ? slugged(brands) : question.brands,
    themes: themes.length > 0 ? slugged(themes) : question.themes,
    period,
  };
}

/** Searches for every section of the plan at once. */
async function gather(context: AnswerContext, body: ResearchBody): Promise<Gathered> {
  const { database, catalogue, now } = context;
  const read = await understandQuestion(body.topic, [], context, now());
  const question = narrowed(read.question, body, now());
  const { section: maximum } = depthOf(body.preset);
  const evidenceOf = evidenceBy(catalogue);
  if (question.intent.outside) return { question, sections: [] };
  const text = question.rest.join(' ');
  const search = async (filter: Omit<SearchFilter, 'limit'>): Promise<Evidence[]> => {
    if (text === '')
      return isNarrow(filter) ? (await searchSignals(database, { ...filter, limit: CANDIDATES })).map(evidenceOf) : [];
    const found = await searchSignals(database, { ...filter, text, any: true, limit: CANDIDATES });
    return found.map(evidenceOf).filter((one) => coverage(question.rest, one) >= MIN_COVERAGE);
  };
  // Themes that the caller names narrow every search, also one by brands; two searches may become the same by it.
  const narrow = (filter: Filters): Filters => (body.themes.length > 0 ? { ...filter, themes: body.themes } : filter);
  const base = filtersOf({ ...question, moves: [] }, catalogue).map(narrow);
  // Words alone that understood nothing else would otherwise let a whole kind of move in.
  const isAboutSomething = base.some(isNarrow) || text !== '' || question.moves.length > 0;
  const plan = isAboutSomething ? sectionsOf(base, question.moves) : [];
  const sections = await Promise.all(
    plan.map(async ({ title, searches }) => {
      const found = (await Promise.all(searches.map(search))).flat();
      const once = found.filter(({ signal }, at) => found.findIndex((one) => one.signal.id === signal.id) === at);
      return { title, evidence: chooseDiverse(once, maximum) };
    }),
  );
  return { question, sections: sections.filter(({ evidence }) => evidence.length > 0) };
}

type Cite = (sentence: Sentence) => string | null;

const MAX_BRANDS = 12;
const MAX_FIGURES = 30;

/** One bullet per brand: how many moves of which kinds, each cited. */
function brandTables(evidence: readonly Evidence[], cite: Cite): (string | null)[] {
  const groups = new Map<string, { name: string; evidence: Evidence[] }>();
  for (const one of evidence)
    for (const slug of one.about) {
      const name = one.signal.brands.find((brand) => brand.slug === slug)?.name ?? slug;
      const group = groups.get(slug) ?? { name, evidence: [] };
      group.evidence.push(one);
      groups.set(slug, group);
    }
  return [...groups.values()]
    .sort((one, other) => other.evidence.length - one.evidence.length || (one.name < other.name ? -1 : 1))
    .slice(0, MAX_BRANDS)
    .map(({ name, evidence: own }) => {
      const moves = [...new Set(own.map(({ signal }) => signal.move))];
      const kinds = moves.map((move) =>
        counted(own.filter(({ signal }) => signal.move === move).length, ...NOUNS[move]),
      );
      return cite({
        markdown: `- **${escapeMarkdown(name)}**: ${listed(kinds)}`,
        ids: own.map(({ signal }) => signal.id),
        quotes: [],
      });
    });
}

interface Row {
  readonly evidence: Evidence;
  readonly brand: string;
  readonly what: string;
  readonly figure: string;
}

const nameOf = ({ signal }: Evidence, slug: BrandSlug | null): string =>
  signal.brands.find((brand) => brand.slug === slug)?.name ?? signal.brands[0]?.name ?? '';

function rowsOf(evidence: readonly Evidence[]): Row[] {
  const stores = (['opened', 'planned', 'closed'] as const).flatMap((status) =>
    statedStores(evidence, status)
      .filter(({ stores }) => stores > 1)
      .map(({ evidence: one, brand, stores: number }) => ({
        evidence: one,
        brand: nameOf(one, brand),
        what: `stores ${status}`,
        figure: String(number),
      })),
  );
  const moneys = (['raised', 'spent'] as const).flatMap((what) =>
    statedAmounts(evidence, what).map(({ evidence: one, brand, written }) => ({
      evidence: one,
      brand: nameOf(one, brand),
      what,
      figure: written,
    })),
  );
  const results = evidence.flatMap((one) => {
    const { result } = one.facts;
    if (!result || result.growth_pct === null) return [];
    const what = [result.metric, result.period, 'growth'].filter(Boolean).join(' ');
    return [{ evidence: one, brand: result.company, what, figure: `${result.growth_pct}%` }];
  });
  return [...stores, ...moneys, ...results];
}

/** A table of the figures that signals state. */
function figureTable(evidence: readonly Evidence[], cite: Cite): (string | null)[] {
  const rows = rowsOf(evidence).slice(0, MAX_FIGURES);
  if (rows.length === 0) return [];
  const lines = rows.map(({ evidence: one, brand, what, figure }) => {
    const cells = [spoken(one.day), brand, what, figure].map(escapeMarkdown).join(' | ');
    const line = cite({ markdown: `| ${cells} |`, ids: [one.signal.id], quotes: [] });
    return line && `${line} |`;
  });
  return ['| Date | Brand | What | Figure | Signal |', '|---|---|---|---:|---|', ...lines];
}

// The report: Markdown, every statement with links to the signals that it cites.

interface Report {
  readonly markdown: string;
  readonly citations: readonly Citation[];
  readonly cost_usd: number;
}

const WATCHED = 8;

/** Numbers the citations in the order of their first use, and links each to its signal. */
class References {
  readonly sentences: Sentence[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #verifier: Verifier;
  readonly #urls: ReadonlyMap<string, string>;
  constructor(evidence: readonly Evidence[]) {
    this.#verifier = new Verifier(evidence);
    this.#urls = new Map(evidence.map(({ signal }) => [signal.id, signal.url]));
  }

  link(id: string): string {
    if (!this.#numbers.has(id)) this.#numbers.set(id, this.#numbers.size + 1);
    return `[\\[${this.#numbers.get(id)}\\]](${this.#urls.get(id) ?? ''})`;
  }

  /** The sentence with its links; null when it does not hold. */
  cite(sentence: Sentence): string | null {
    if (!this.#verifier.holds(sentence)) return null;
    this.sentences.push(sentence);
    return `${sentence.markdown} ${sentence.ids.map((id) => this.link(id)).join(' ')}`;
  }

  citations(): Citation[] {
    return this.#verifier.citations(this.sentences);
  }
}

const section = (title: string, lines: readonly (string | null)[]): string[] => {
  const kept = lines.filter((line): line is string => line !== null);
  return kept.length > 0 ? [`## ${title}`, '', ...kept, ''] : [];
};

const sourceLine = ({ headline, url, outlet, source_url, published_at }: Citation, index: number): string => {
  const day = spoken(dayOf(new Date(published_at)));
  const original = source_url && /^https?:\/\/[^\s<>()]+$/.test(source_url) ? `, [original report](${source_url})` : '';
  return `${index + 1}. [${escapeMarkdown(headline)}](${url}), ${escapeMarkdown(outlet ?? 'a source')}, ${day}${original}`;
};

/** Composes a briefing without a model. */
export async function composeReport(context: AnswerContext, body: ResearchBody): Promise<Report> {
  const { question, sections } = await gather(context, body);
  const title = `# ${escapeMarkdown(body.topic)}`;
  const today = spoken(dayOf(context.now()));
  const all = sections.flatMap(({ evidence }) => evidence);
  if (all.length === 0) {
    const nothing = `No signal found${question.period ? ` ${question.period.label}` : ''} on this topic. The record contains dated moves in Indian retail.`;
    return { markdown: [title, '', `Briefing of ${today}.`, '', nothing, ''].join('\n'), citations: [], cost_usd: 0 };
  }
  const references = new References(all);
  const by = (one: Evidence, other: Evidence): number => (one.moved_at < other.moved_at ? 1 : -1);
  const newest = [...all].sort(by);
  const span = `${spoken(newest.at(-1)?.day ?? '')} to ${spoken(newest[0]?.day ?? '')}`;
  const summary = sections.map(({ title: name, evidence }) => {
    const [best] = evidence;
    return best
      ? references.cite({
          ...bullet(best),
          markdown: `- ${name} (${counted(evidence.length, 'signal')}): ${bullet(best).markdown}`,
        })
      : null;
  });
  const timeline = newest
    .slice(0, depthOf(body.preset).timeline)
    .map((one) => references.cite({ ...bullet(one), markdown: `- ${bullet(one).markdown}` }));
  const watch = newest
    .filter(({ signal }) => signal.what_to_watch !== null)
    .slice(0, WATCHED)
    .map(({ signal: { id, what_to_watch } }) =>
      references.cite({
        markdown: `- ${escapeMarkdown(what_to_watch ?? '')}`,
        ids: [id],
        quotes: [{ id, text: what_to_watch ?? '' }],
      }),
    );
  const kinds = [...new Set(all.map(({ signal }) => signal.move))].map((move) => {
    const number = all.filter(({ signal }) => signal.move === move).length;
    return counted(number, ...NOUNS[move]);
  });
  const cite = (sentence: Sentence): string | null => references.cite(sentence);
  const lines = [
    title,
    '',
    `Briefing of ${today} on ${counted(all.length, 'signal')} from ${span}: ${listed(kinds)}.`,
    '',
    ...section('Summary', summary),
    ...section('Timeline', timeline),
    ...section('By brand', brandTables(newest, cite)),
    ...section('Figures', figureTable(newest, cite)),
    ...section('What to watch', watch),
    ...section('Sources', references.citations().map(sourceLine)),
  ];
  return { markdown: lines.join('\n'), citations: references.citations(), cost_usd: 0 };
}
