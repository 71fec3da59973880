/** A reader that calls continuously and checks every response: complete pages, in order, each signal once. */
import { pause } from '../../log/backoff.ts';
import { SignalPage } from '../../schemas/resources.ts';

const EVERY = 100;

export interface Reader {
  /** Responses by status; `none` for no response. */
  readonly answers: Map<string, number>;
  /** Responses that must never be served. */
  readonly wrong: string[];
  stop(): Promise<void>;
}

const HOUR = 3_600_000;
/** Accepted difference of two clocks in milliseconds. */
const SLACK = 60_000;

/** @param begun the start of the reader, in milliseconds since 1970 */
function faultsIn(text: string, seen: Map<string, string>, begun: number): string[] {
  const { signals } = SignalPage.parse(JSON.parse(text));
  const faults: string[] = [];
  const times = signals.map(({ published_at }) => published_at);
  if (times.join() !== times.toSorted().toReversed().join()) faults.push(`not newest first: ${times.join(' ')}`);
  // All items are at most an hour old at the start, whatever the clock of the process that found them.
  for (const time of times.map((time) => Date.parse(time)))
    if (time > Date.now() + SLACK || time < begun - 2 * HOUR) faults.push(`published ${new Date(time).toISOString()}`);
  const ids = signals.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) faults.push(`a signal twice: ${ids.join(' ')}`);
  for (const { id, slug } of signals) {
    const before = seen.get(id) ?? slug;
    if (before !== slug) faults.push(`${id} was ${before} and is ${slug}`);
    seen.set(id, slug);
  }
  return faults;
}

/** @param key of an account that may reach its limits: 429 is a valid response */
export function startReader(url: string, key: string): Reader {
  const stop = new AbortController();
  const answers = new Map<string, number>();
  const wrong: string[] = [];
  const slugs = new Map<string, string>();
  const begun = Date.now();
  const ask = async (): Promise<void> => {
    // Without a connection there is no answer, which is counted as `none`.
    const answer = await fetch(`${url}/api/v1/signals?limit=50`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(10_000),
    }).catch(() => null);
    // While the service is down, another program may take its port: only a response with a request id counts.
    const isOurs = answer?.headers.has('x-request-id') ?? false;
    const status = isOurs ? String(answer?.status) : 'none';
    answers.set(status, (answers.get(status) ?? 0) + 1);
    // A connection that breaks within an answer, as a kill does, gives nothing to check.
    const text = await answer?.text().catch(() => null);
    if (!isOurs || text === null || text === undefined) return;
    if (status === '200') wrong.push(...faultsIn(text, slugs, begun));
    else if (!/^(429|5\d\d)$/.test(status)) wrong.push(`${status}: ${text.slice(0, 200)}`);
    else if (typeof JSON.parse(text).error !== 'string') wrong.push(`${status} in another form: ${text.slice(0, 200)}`);
  };
  const running = (async () => {
    while (!stop.signal.aborted) {
      await ask().catch((error: unknown) => wrong.push(String(error)));
      await pause(EVERY, stop.signal);
    }
  })();
  return {
    answers,
    wrong,
    async stop() {
      stop.abort();
      await running;
    },
  };
}
