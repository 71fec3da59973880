/** A client of the API with types that are generated from its description. */
import createClient from 'openapi-fetch';
import type { paths } from './generated.ts';

/** The responses. */
export interface Driven {
  readonly headlines: readonly string[];
  /** What the first of them is followed by, and when. */
  readonly thread: readonly string[];
  readonly stories: number;
  readonly stores: number;
  readonly table: string | undefined;
  readonly label: string;
  readonly unread: number;
  readonly error: string | undefined;
}

/** Calls one operation of each kind and reads the answers by their types. @param baseUrl of a server that listens */
export async function drive(baseUrl: string): Promise<Driven> {
  const client = createClient<paths>({ baseUrl });
  const signals = await client.GET('/api/v1/signals', {
    params: { query: { kind: 'stores', limit: 5, mentions: true } },
  });
  const slug = signals.data?.signals[0]?.slug ?? '';
  const first = await client.GET('/api/v1/signals/{slug}', { params: { path: { slug } } });
  const brand = await client.GET('/api/v1/brands/{slug}', { params: { path: { slug: 'kiri-foods' } } });
  const watch = await client.GET('/api/v1/watch', { params: { query: { b: ['kiri-foods'], days: 30 } } });
  const brief = await client.GET('/api/v1/brief', { params: { query: { hours: 72, themes: ['expansion'] } } });
  await client.POST('/api/v1/follow', { body: { target: { type: 'brand', slug: 'kiri-foods' } } });
  const follows = await client.GET('/api/v1/follow');
  const missing = await client.GET('/api/v1/signals/{slug}', { params: { path: { slug: 'nothing-here' } } });
  const table = await client.GET('/api/v1/watch.csv', {
    params: { query: { b: ['kiri-foods'] } },
    parseAs: 'text',
  });
  return {
    headlines: signals.data?.signals.map(({ headline }) => headline) ?? [],
    thread: first.data?.signal.after.map(({ move, headline }) => `${move}: ${headline}`) ?? [],
    stories: brand.data?.brand.stories ?? -1,
    stores: watch.data?.brands[0]?.by_move.stores ?? -1,
    table: table.data?.split(',', 1)[0],
    label: brief.data?.label ?? '',
    unread: follows.data?.unread ?? -1,
    error: missing.error?.error,
  };
}
