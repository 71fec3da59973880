/** Composes an answer without a model: every sentence is stored text, or counted from the signals that it cites. */
import { findFigures } from '../ingest/understand/figures.ts';
import { bullet, compare, count, list, refuse } from './compose-list.ts';
import { type Draft, escapeMarkdown, nothing, quotation, type Sentence } from './draft.ts';
import { spoken } from './question/calendar.ts';
import type { Intent } from './question/question-intent.ts';
import type { Question } from './question/read-question.ts';
import type { Evidence, Retrieved } from './retrieve-evidence.ts';

const METRIC_WORDS: Readonly<Record<NonNullable<Intent['metric']>, RegExp>> = {
  profit: /\b(?:profit|earns?|net income|pat|in the black)\b/i,
  loss: /\bloss(?:es)?\b/i,
  revenue: /\b(?:revenue|sales|turnover|top ?line|sold|income|business)\b/i,
};

/** The line of a stored text that states the metric with a figure. */
const lineWith = ({ stored }: Evidence, metric: NonNullable<Intent['metric']>): string | null =>
  stored
    .split('\n')
    .find(
      (line) =>
        METRIC_WORDS[metric].test(line) && findFigures(line).some(({ kind }) => kind === 'money' || kind === 'percent'),
    ) ?? null;

/** The result that a question asks for; null where no signal states it. */
function resultFact(question: Question, evidence: readonly Evidence[]): Draft | null {
  const { metric } = question.intent;
  if (!metric) return null;
  const fits = evidence.filter((one) => one.signal.move === 'results' && lineWith(one, metric) !== null);
  const [best, ...others] = fits;
  const line = best && lineWith(best, metric);
  if (!best || !line) return null;
  const period = best.facts.result?.period ?? null;
  const company = best.facts.result?.company ?? best.signal.brands[0]?.name ?? 'the company';
  const lead: Sentence = {
    markdown: `${escapeMarkdown(company)}, ${metric}${period ? ` in ${period}` : ''}: ${quotation(line)} (${escapeMarkdown(best.signal.source.outlet ?? 'a source')}, ${spoken(best.day)}).`,
    ids: [best.signal.id],
    quotes: [{ id: best.signal.id, text: line }],
  };
  return { lead: [lead], items: others.slice(0, 3).map(bullet), table: [], notes: [], basis: 'fact' };
}

const ROLES: readonly (readonly [RegExp, RegExp])[] = [
  [/\bceo\b|\bchief executive\b/i, /\bceo\b|chief executive|new chief in/i],
  [/\bcfo\b|\bfinance (?:chief|head)\b|\bchief financ/i, /\bcfo\b|chief financ|finance (?:chief|head)/i],
  [/\bcoo\b|\bchief operating\b/i, /\bcoo\b|chief operating/i],
  [
    /\bcmo\b|\bchief marketing\b|\bmarketing (?:chief|head)\b|\bhead of marketing\b/i,
    /\bcmo\b|chief marketing|marketing (?:chief|head)|head of marketing/i,
  ],
  [/\bcto\b|\bchief technology\b/i, /\bcto\b|chief technology|technology (?:chief|head)/i],
  [/\bchro\b|\bchief human\b|\bchief people\b|\bhr head\b/i, /\bchro\b|chief human|chief people/i],
  [/\bmanaging director\b|\bmd\b/i, /managing director|\bmd\b/i],
  [/\bchair(?:man|person|woman)?\b/i, /\bchair/i],
  [/\bchief product\b/i, /chief product/i],
  [/\bchief supply\b/i, /chief supply/i],
  [/\bchief business\b/i, /chief business/i],
];

const WAY = {
  joined: 'joined',
  left: 'left',
  promoted: 'was promoted at',
} as const;

/** The person that a question asks for; null where no signal names one in that role. */
function personFact(question: Question, evidence: readonly Evidence[]): Draft | null {
  const { person } = question.intent;
  if (!person) return null;
  const role = ROLES.find(([asked]) => asked.test(question.text));
  const fits = evidence.flatMap((one) =>
    one.facts.people
      .filter(
        ({ direction }) =>
          person === 'any' || direction === person || (person === 'joined' && direction === 'promoted'),
      )
      .filter(
        (who) =>
          !role ||
          role[1].test(who.role ?? '') ||
          [one.signal.headline, ...one.titles].some((text) => role[1].test(text)),
      )
      .map((who) => ({ one, who })),
  );
  const [best, ...others] = fits;
  if (!best) return null;
  const { one, who } = best;
  const company = who.company ?? one.signal.brands[0]?.name ?? null;
  const written = (text: string | null): text is string => text !== null && one.stored.includes(text);
  const fact = written(who.person)
    ? `${escapeMarkdown(who.person)} ${WAY[who.direction]}${company ? ` ${escapeMarkdown(company)}` : ''}${written(who.role) ? ` as ${escapeMarkdown(who.role)}` : ''}: `
    : '';
  const lead: Sentence = {
    markdown: `${fact}${quotation(one.signal.headline)} (${escapeMarkdown(one.signal.source.outlet ?? 'a source')}, ${spoken(one.day)}).`,
    ids: [one.signal.id],
    quotes: [{ id: one.signal.id, text: one.signal.headline }],
  };
  const more = [...new Set(others.map((other) => other.one))].filter((other) => other !== one);
  return { lead: [lead], items: more.slice(0, 4).map(bullet), table: [], notes: [], basis: 'fact' };
}

/** Whether a question asks for a role. */
const asksForRole = ({ intent, text }: Question): boolean =>
  intent.person !== null && ROLES.some(([asked]) => asked.test(text));

/** The answer to a question that a record of moves cannot answer. */
const OUTSIDE =
  'That is not something the record can answer. It contains dated moves in Indian retail: store openings, deals, people, results, launches, strategy and rules.';

/** Whether a question wants a number that can be counted. */
export const wantsCount = ({ intent, rest, unknown }: Question): boolean =>
  intent.measure !== null && rest.length === 0 && unknown.length === 0;

/**
 * @param retrieved the evidence by relevance
 * @param all for a question that wants a number: everything that the number is counted from
 */
export function compose(question: Question, retrieved: Retrieved, all: readonly Evidence[]): Draft {
  const { intent, brands } = question;
  if (intent.outside) return nothing(OUTSIDE);
  if (intent.measure && wantsCount(question)) {
    const several = brands.length > 1 || (intent.compares && brands.length === 0);
    return several ? compare(question, intent.measure, all) : count(question, intent.measure, all);
  }
  if (question.rest.length === 0) {
    const fact = resultFact(question, retrieved.evidence) ?? personFact(question, retrieved.evidence);
    if (fact) return fact;
    if (intent.metric || asksForRole(question)) return refuse(question, retrieved);
  }
  return list(question, retrieved);
}
