/** `clarity labels`: the decisions of operators as labelled items; and `clarity trace`: one item on its way from poll to page. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readLabel } from '../ingest/correct-signals.ts';
import { parseBeginning, type Step, traceItem } from '../ingest/trace.ts';
import { listDecided } from '../projector/models/review-queries.ts';
import { findSignal } from '../projector/models/signals-queries.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { defineTerminalAction, type OperatorActions, type TerminalContext } from './operator-action.ts';
import { oneLine } from './terminal-text.ts';

const PAGE = 200;

const exportLabels = defineTerminalAction({
  name: 'export',
  summary: 'write confirmed, corrected and retracted signals as labelled items, JSON Lines, oldest decision first',
  help: `Each line is the report whose text a signal has, with what an operator found right:
  {key, date, outlet, title, summary, url, relevant, roundup, move, primary, secondary, cities, delta, people,
   openings, deal, result}

A retracted signal is an item that is not relevant. Held, released, split and merged signals are no labels.

Measure and train with them:
  mkdir -p labels && clarity labels export > labels/items.jsonl
  node eval/train-understanding.ts --data labels`,
  input: z.object({}),
  audit: 'nothing',
  async run(_, { database, store, progress }) {
    const show = progress('labels export', 'signals');
    async function* lines(): AsyncGenerator<string> {
      let done = 0;
      for (let page = await listDecided(database, PAGE); page.length > 0; ) {
        for (const { id } of page) {
          const label = await readLabel(store, id);
          if (label) yield JSON.stringify(label);
        }
        done += page.length;
        show('writing', done, done);
        page = await listDecided(database, PAGE, page.at(-1));
      }
    }
    return lines();
  },
});

export const LABELS: OperatorActions = {
  name: 'labels',
  summary: 'export the decisions of operators as labelled items',
  actions: [exportLabels],
};

interface PageState {
  readonly signal_id: string;
  /** Null while no read model shows it: it is not projected yet, is held, or resurfaced. */
  readonly url: string | null;
}

async function pageOf({ database, configuration }: TerminalContext, signal_id: string): Promise<PageState> {
  const signal = await findSignal(database, signal_id);
  if (!signal) return { signal_id, url: null };
  if ('redirect' in signal) return { signal_id, url: `${configuration.BASE_URL}/signal/${signal.redirect}` };
  return { signal_id, url: (JSON.parse(signal.document) as { url?: string }).url ?? null };
}

/** One step as text. Text of sources follows `>`. */
const stepText = ({ time, type, id, correlation_id, signal_id, about }: Step): string =>
  `${time}  ${type}${signal_id ? `  ${signal_id}` : ''}\n    ${id}, correlation ${correlation_id}` +
  `${about === null ? '' : `\n    > ${oneLine(about, 160)}`}`;

function endText(steps: readonly Step[], pages: readonly PageState[]): string[] {
  if (pages.length > 0)
    return pages.map(({ signal_id, url }) =>
      url ? `page  ${url}` : `no page shows ${signal_id}: clarity signals history ${signal_id} shows why`,
    );
  return [
    steps.some(({ type }) => type === 'StoryUnderstood')
      ? 'no signal yet: the matcher has not handled it, or dead-lettered it (its log has the id of the story)'
      : 'no story: it is noise, or not understood yet; clarity understand --explain names the rule',
  ];
}

const trace = defineTerminalAction({
  name: 'trace',
  summary: 'show one item on its way: poll, item, story, signal, page',
  input: z.object({
    what: z.string().describe('id of an event or correlation, address of an item, or id or slug of a signal'),
  }),
  positional: ['what'],
  audit: 'nothing',
  async run({ what }, context) {
    const { store, topics, signal } = context;
    const steps = await traceItem(parseBeginning(what), { store, topics, group: `trace-${randomUUID()}`, signal });
    if (steps.length === 0)
      throw new Refusal(
        'invalid_request',
        `nothing is stored about ${JSON.stringify(oneLine(what, 200))}; topics on Kafka keep 90 days`,
      );
    const ids = [...new Set(steps.flatMap(({ signal_id }) => signal_id ?? []))];
    return { steps, pages: await Promise.all(ids.map((id) => pageOf(context, id))) };
  },
  text: ({ steps, pages }) => [...steps.map(stepText), ...endText(steps, pages)].join('\n'),
});

export const TRACE: OperatorActions = {
  name: 'trace',
  summary: 'show one item on its way from poll to page',
  actions: [trace],
};
