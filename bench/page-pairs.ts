/** Which pages stand beside what: the API route that tells the same, or the tool where no route does. */
import { z } from 'zod';
import { QUARTER } from './stories.ts';
import type { ToolCall } from './tool-request.ts';

export const ServedPages = z.object({
  port: z.int(),
  keys: z.array(z.string()),
  /** Slugs. */
  signals: z.array(z.string()),
  brands: z.array(z.string()),
  groups: z.array(z.string()),
  cities: z.array(z.object({ slug: z.string(), name: z.string() })),
});
export type ServedPages = z.infer<typeof ServedPages>;

export interface Pair {
  readonly name: string;
  readonly page: (call: number) => string;
  /** The path of the route, or the call of the tool. */
  readonly beside: (call: number) => string | ToolCall;
}

const nth =
  <One>(list: readonly One[], otherwise: One) =>
  (call: number): One =>
    list[call % list.length] ?? otherwise;

/** Each asks for another name at every call. */
export function pairsOf({ signals, brands, groups, cities }: ServedPages): Pair[] {
  const [signal, brand, group] = [nth(signals, ''), nth(brands, ''), nth(groups, '')];
  const city = nth(cities, { slug: '', name: '' });
  const five = (call: number): string => Array.from({ length: 5 }, (_, n) => brand(call * 5 + n)).join(',');
  const quarter = QUARTER.replace(' ', '+');
  return [
    { name: '/', page: () => '/', beside: () => '/api/v1/signals?limit=20' },
    {
      name: '/signal/{slug}',
      page: (call) => `/signal/${signal(call)}`,
      beside: (call) => `/api/v1/signals/${signal(call)}`,
    },
    {
      name: '/brand/{slug}',
      page: (call) => `/brand/${brand(call)}`,
      beside: (call) => `/api/v1/brands/${brand(call)}`,
    },
    { name: '/watch', page: (call) => `/watch?b=${five(call)}`, beside: (call) => `/api/v1/watch?b=${five(call)}` },
    { name: '/brief', page: () => '/brief', beside: () => '/api/v1/brief' },
    {
      name: '/city/{slug}',
      page: (call) => `/city/${city(call).slug}`,
      beside: (call) => ({ tool: 'get_expansion_map', args: { city: city(call).name, days: 90, limit: 15 } }),
    },
    {
      name: '/map',
      page: () => '/map',
      beside: () => ({ tool: 'get_expansion_map', args: { days: 90, limit: 15 } }),
    },
    { name: '/people', page: () => '/people', beside: () => ({ tool: 'get_leadership_moves', args: { days: 90 } }) },
    {
      name: '/group/{slug}',
      page: (call) => `/group/${group(call)}?quarter=${quarter}`,
      beside: (call) => ({ tool: 'get_group', args: { group: group(call), quarter: QUARTER } }),
    },
  ];
}
