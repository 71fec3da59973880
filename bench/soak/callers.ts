/** Steady calls to everything that is served. */
import { z } from 'zod';
import { pause } from '../../log/backoff.ts';
import { SignalPage } from '../../schemas/resources.ts';
import { type Call, callOf, type Known } from './calls.ts';

/** What must never come, in words; null for an answer that may. @param status `none` for no answer */
export type Judge = (status: string, headers: Headers) => string | null;

const succeedsOrRefuses: Judge = (status) => (/^[234]/.test(status) ? null : `status ${status}`);

export interface Callers {
  /** Answers by surface and status, such as `api 200`; `none` for no answer. */
  readonly answers: ReadonlyMap<string, number>;
  /** The first few answers that no call may get, with their text. */
  readonly wrong: readonly string[];
  stop(): Promise<void>;
}

const KEPT_WRONG = 20;
/** Milliseconds until a caller gives up. */
const PATIENCE = 30_000;

const Listed = z.object({ signals: SignalPage.shape.signals });

function learn(text: string, known: Known): void {
  const { signals } = Listed.parse(JSON.parse(text));
  known.signals.splice(0, known.signals.length, ...signals.map(({ slug }) => slug));
  const brands = new Set(signals.flatMap((signal) => signal.brands.map(({ slug }) => slug)));
  known.brands.splice(0, known.brands.length, ...brands);
}

/**
 * Calls so many times a second, however long the answers take, as independent readers do.
 * @param keys of accounts that take turns
 * @param judge unset, everything from 500 on is wrong, and no answer too
 */
export function startCallers(
  url: string,
  keys: readonly string[],
  perSecond: number,
  judge: Judge = succeedsOrRefuses,
): Callers {
  const stopping = new AbortController();
  const answers = new Map<string, number>();
  const wrong: string[] = [];
  const known: Known = { signals: [], brands: [] };
  const under = new Set<Promise<void>>();

  let counted = 0;
  const send = async ({ path, body, headers, keyed }: Call): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(keyed && { 'x-api-key': keys[counted++ % keys.length] ?? '' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE),
    });
  const call = async (number: number): Promise<void> => {
    const wanted = callOf(number, known);
    const answer = await send(wanted).catch((error: unknown) => String(error));
    const text = typeof answer === 'string' ? answer : await answer.text().catch(String);
    const status = typeof answer === 'string' ? 'none' : String(answer.status);
    const name = `${wanted.surface} ${status}`;
    answers.set(name, (answers.get(name) ?? 0) + 1);
    if (wanted.path.startsWith('/api/v1/signals?') && status === '200') learn(text, known);
    const fault = judge(status, typeof answer === 'string' ? new Headers() : answer.headers);
    if (fault && wrong.length < KEPT_WRONG)
      wrong.push(`${fault}: ${wanted.surface} ${wanted.path}: ${text.slice(0, 300)}`);
  };
  const running = (async () => {
    const begun = performance.now();
    for (let number = 0; !stopping.signal.aborted; number++) {
      const sent = call(number)
        .catch((error: unknown) => void wrong.push(String(error)))
        .finally(() => under.delete(sent));
      under.add(sent);
      await pause(Math.max(0, begun + ((number + 1) * 1_000) / perSecond - performance.now()), stopping.signal);
    }
  })();
  return {
    answers,
    wrong,
    async stop() {
      stopping.abort();
      await running;
      await Promise.all(under);
    },
  };
}
