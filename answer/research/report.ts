/** A briefing as a Markdown report, every statement with links to the signals that it stands on. */
import type { Citation } from '../../schemas/ask.ts';
import type { ResearchBody } from '../../schemas/research.ts';
import { counted, escapeMarkdown, listed } from '../compose/markdown.ts';
import { bullet } from '../compose/tell.ts';
import type { AnswerContext } from '../context.ts';
import type { Evidence } from '../evidence.ts';
import { dayOf, spoken } from '../question/days.ts';
import { NOUNS } from '../question/moves.ts';
import type { Sentence } from '../sentence.ts';
import { Verifier } from '../verify.ts';
import { gather } from './gather.ts';
import { depthOf } from './plan.ts';
import { brandTables, figureTable } from './tables.ts';

export interface Report {
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
    const nothing = `I found nothing in the record${question.period ? ` ${question.period.label}` : ''} on this topic. It holds dated moves in Indian retail.`;
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
