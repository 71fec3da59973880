/** Gathers the evidence of a briefing, section by section. */
import { type SearchFilter, searchSignals } from '../../projector/models/search/queries.ts';
import type { ResearchBody } from '../../schemas/research.ts';
import type { AnswerContext } from '../context.ts';
import { type Evidence, evidenceOf } from '../evidence.ts';
import type { Question } from '../question/read.ts';
import { diverse } from '../retrieve/diverse.ts';
import { type Filters, filtersOf, isNarrow } from '../retrieve/filters.ts';
import { coverage } from '../retrieve/retrieve.ts';
import { understandQuestion } from '../understand.ts';
import { depthOf, sectionsOf } from './plan.ts';

export interface Gathered {
  readonly question: Question;
  readonly sections: readonly { readonly title: string; readonly evidence: readonly Evidence[] }[];
}

/** Signals that a section is chosen from. */
const LOOKED_AT = 60;
/** Fewer of the topic's own words than this share, and a signal is of another topic. */
const LEAST_COVERAGE = 0.5;

const slugged = (slugs: readonly string[]) => slugs.map((slug) => ({ slug, name: slug, start: 0, end: 0 }));

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
export async function gather(context: AnswerContext, body: ResearchBody): Promise<Gathered> {
  const { database, catalogue, now } = context;
  const read = await understandQuestion(body.topic, [], context, now());
  const question = narrowed(read.question, body, now());
  const { section: most } = depthOf(body.preset);
  if (question.intent.outside) return { question, sections: [] };
  const text = question.rest.join(' ');
  const search = async (filter: Omit<SearchFilter, 'limit'>): Promise<Evidence[]> => {
    if (text === '')
      return isNarrow(filter) ? (await searchSignals(database, { ...filter, limit: LOOKED_AT })).map(evidenceOf) : [];
    const found = await searchSignals(database, { ...filter, text, any: true, limit: LOOKED_AT });
    return found.map(evidenceOf).filter((one) => coverage(question.rest, one) >= LEAST_COVERAGE);
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
      return { title, evidence: diverse(once, most) };
    }),
  );
  return { question, sections: sections.filter(({ evidence }) => evidence.length > 0) };
}
