/** The first polls of a start, as lines on standard output: which sources answered, which did not, and why. */
import { loadRoster } from '../ingest/roster/roster.ts';
import { pause } from '../log/backoff.ts';
import { failureInWords } from '../presentation/source-health.ts';
import { formatCount } from '../presentation/text.ts';
import { lastPolls, pollState, type RecentPoll } from '../projector/models/source-health-queries.ts';
import type { Source } from '../schemas/source.ts';
import { aborted } from './process.ts';
import type { Services } from './services.ts';
import type { Part } from './supervise.ts';
import { oneLine } from './terminal.ts';

const CHECK_INTERVAL = 500;
/** Milliseconds after which the start stops waiting for sources that did not answer: some ask for a long pause. */
const LONGEST_WAIT = 300_000;
/** Sources that the last lines name. */
const NAMED = 5;

interface Answered {
  readonly source: Source;
  readonly poll: RecentPoll;
}

const isGood = ({ poll }: Answered): boolean => poll.outcome !== 'failed';

const line = ({ source, poll }: Answered): string =>
  isGood({ source, poll })
    ? `answered  ${source.id}  ${poll.items_found} items`
    : `failed    ${source.id}  ${failureInWords(poll).replace(/^were /, 'was ')}: ${oneLine(poll.error ?? '', 200)}`;

/**
 * Prints the result of each source that is due at the start, then a summary.
 * @param longest milliseconds until it stops waiting
 */
export function rosterProgress(
  {
    store,
    database,
    now,
    dataDir,
    configuration,
  }: Pick<Services, 'store' | 'database' | 'now' | 'dataDir' | 'configuration'>,
  write: (text: string) => void = (text) => void process.stdout.write(text),
  longest = LONGEST_WAIT,
): Part {
  const started = now();
  // Before the first projector has run there is no read model.
  const stateOf = (id: Source['id']) => pollState(database, id).catch(() => null);

  /** The sources that the poller reads at once. */
  async function dueSources(): Promise<Source[]> {
    const { roster } = await loadRoster(store);
    const polled = [...roster.values()].filter(({ source, retired }) => !retired && !source.paused);
    const states = await Promise.all(
      polled.map(async ({ source }) => ({ source, next: (await stateOf(source.id))?.next_poll_at ?? '' })),
    );
    return states.filter(({ next }) => !(Date.parse(next) > started.getTime())).map(({ source }) => source);
  }

  function summary(answered: readonly Answered[], waiting: readonly Source[]): string {
    const failed = answered.filter((one) => !isGood(one)).length;
    const names = waiting.slice(0, NAMED).map(({ id }) => id);
    const more = waiting.length > NAMED ? ` and ${waiting.length - NAMED} more` : '';
    const place = dataDir ? `DATA_DIR=${configuration.DATA_DIR} ` : '';
    return (
      `${formatCount(answered.length - failed, 'source')} answered, ${failed} failed` +
      (waiting.length > 0 ? `, ${waiting.length} are not polled yet: ${names.join(', ')}${more}` : '') +
      `.\n  sources  ${configuration.BASE_URL}/operate/sources, or: ${place}npm run clarity -- sources list\n`
    );
  }

  return async (signal) => {
    let waiting = await dueSources();
    const total = waiting.length;
    const answered: Answered[] = [];
    while (!signal.aborted && waiting.length > 0 && now().getTime() - started.getTime() < longest) {
      const polled = await lastPolls(database).catch(() => null);
      for (const source of waiting) {
        if (!((polled?.get(source.id)?.getTime() ?? 0) >= started.getTime())) continue;
        const poll = (await stateOf(source.id))?.recent?.at(-1);
        if (!poll) continue;
        answered.push({ source, poll });
        write(`  ${String(answered.length).padStart(String(total).length)}/${total}  ${line({ source, poll })}\n`);
      }
      const known = new Set(answered.map(({ source }) => source.id));
      waiting = waiting.filter(({ id }) => !known.has(id));
      if (waiting.length > 0) await pause(CHECK_INTERVAL, signal);
    }
    if (!signal.aborted && total > 0) write(summary(answered, waiting));
    await aborted(signal);
  };
}
