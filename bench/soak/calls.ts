/** What readers ask for during a soak: everything that is served, known things and things that nobody has. */

/** What a call may ask about; it grows with what the feed tells. */
export interface Known {
  readonly signals: string[];
  readonly brands: string[];
}

export interface Call {
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
export function callOf(number: number, { signals, brands }: Known): Call {
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
    () => api(`/signals/nobody-told-${number}`),
    () => ({
      ...{ surface: 'api', path: '/api/v1/signals' },
      headers: { 'x-api-key': `ck_live_${String(number).padStart(32, '0')}` },
    }),
  ];
  return (calls[number % FORMS] ?? (() => page('/')))();
}
