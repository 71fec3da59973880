/** Steady calls to every route, page and tool during a soak. */
import { z } from 'zod';
import { pause } from '../../log/backoff.ts';
import { SignalPage } from '../../schemas/resources.ts';

/** What readers ask for during a soak: everything that is served, names that exist and names that do not. */

/** What a call may ask about; it grows with the content of the feed. */
interface Known {
  readonly signals: string[];
  readonly brands: string[];
}

interface Call {
  /** `api`, `page`, `mcp` or `ask`. */
  readonly surface: string;
  readonly path: string;
  /** Sent as JSON by POST; a GET when unset. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the call is counted on a key. */
  readonly keyed?: boolean;
}

const QUESTIONS = [
  'How many stores did BRAND open in the last 90 days?',
  'What did BRAND do last month?',
  'How many deals were made last week?',
  'Who is the new chief executive of BRAND?',
  'Ten-minute deliveries of pet food in Nagaland',
] as const;

/** Calls of one round, each of another form. */
const FORMS = 15;

const of = (things: readonly string[], number: number): string => things[number % things.length] ?? 'none';

const api = (path: string): Call => ({ surface: 'api', path: `/api/v1${path}`, keyed: true });
const page = (path: string): Call => ({ surface: 'page', path });
const tool = (name: string, args: Record<string, unknown>): Call => ({
  surface: 'mcp',
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream' },
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  keyed: true,
});
const ask = (content: string, stream: boolean): Call => ({
  surface: 'ask',
  path: '/api/v1/ask',
  body: { messages: [{ role: 'user', content }], stream },
});

/**
 * The n-th call. Words, names and keys that never come twice are among them: what is kept of each would pile up.
 * Questions are one in fifteen, which the minute of an address has room for at 5 calls a second.
 */
function callOf(number: number, { signals, brands }: Known): Call {
  const round = Math.floor(number / FORMS);
  const [signal, brand, other] = [of(signals, round), of(brands, round), of(brands, round + 1)];
  const calls: readonly (() => Call)[] = [
    () => api('/signals?limit=20'),
    () => page('/'),
    () => tool('latest_moves', { limit: 10 }),
    () => api(`/signals/${signal}`),
    () => page(`/signal/${signal}`),
    () => tool('get_signal', { id_or_slug: signal }),
    () => api(`/brands/${brand}`),
    () => page(`/brand/${brand}`),
    () => ask(of(QUESTIONS, round).replace('BRAND', brand), round % 2 === 0),
    () => tool('search', { query: `${brand} ${number}` }),
    () => api(`/watch?b=${brand},${other}&days=30`),
    () => page(of(['/map', '/people', '/brief', '/watch', '/sources', '/index', '/sitemap.xml'], round)),
    () => page(`/?q=word${number}`),
    () => api(`/signals/never-reported-${number}`),
    () => ({
      surface: 'api',
      path: '/api/v1/signals',
      headers: { 'x-api-key': `ck_live_${String(number).padStart(32, '0')}` },
    }),
  ];
  return (calls[number % FORMS] ?? (() => page('/')))();
}

/** What must never come, in words; null for an answer that may. @param status `none` for no answer */
export type Judge = (status: string, headers: Headers) => string | null;

const succeedsOrRefuses: Judge = (status) => (/^[234]/.test(status) ? null : `status ${status}`);

interface Callers {
  /** Answers by surface and status, such as `api 200`; `none` for no answer. */
  readonly answers: ReadonlyMap<string, number>;
  /** The first few answers that no call may get, with their text. */
  readonly wrong: readonly string[];
  stop(): Promise<void>;
}

const KEPT_WRONG = 20;
/** Milliseconds until a caller gives up. */
const TIMEOUT_MS = 30_000;

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
      signal: AbortSignal.timeout(TIMEOUT_MS),
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
