/** A small record with something for every page: stores, people, results, deals; and one of hostile texts. */
import { ORACLE_STREAM, type OracleMeasurement } from '../../schemas/oracle.ts';
import type { Understanding } from '../../schemas/story.ts';
import { type Serving, type ServingOptions, serving } from '../api/serving.ts';
import { smallFile } from '../harness/gazetteer.ts';
import { brandSlug } from '../harness/ids.ts';
import { storedEvent } from '../projector/given-when-then.ts';
import { brandRef, detected, idOf, report, reported, revised, understanding } from '../projector/signal-events.ts';
import { source } from '../projector/source-events.ts';

const PARTS = ['openings', 'appointments', 'results', 'deals', 'enforcement'];
const MODELS = ['brands', 'search', 'names', ...PARTS, 'oracle', 'oracle_days', 'review'];

const MEASURED: OracleMeasurement = {
  measured_at: '2026-11-21T04:00:00Z',
  window_hours: 72,
  slo: 0.1,
  checked: 16,
  missed: 4,
  miss_rate: 0.25,
  misses: [
    {
      headline: 'Tilak Shoes shuts a plant',
      url: 'https://reference.test/tilak',
      outlet: 'Reference Wire',
      published_at: '2026-11-20T08:00:00Z',
      nearest: null,
    },
    {
      headline: 'A hostile link',
      url: 'javascript:window.injected=true',
      outlet: 'Reference Wire',
      published_at: null,
      nearest: null,
    },
  ],
};

const stores = (brand: string, city: string, changes: Partial<Understanding> = {}): Understanding =>
  understanding({
    headline: `${brand} opens 12 stores in ${city}`,
    brands: [brandRef(brand.toLowerCase().replaceAll(' ', '-'), brand)],
    cities: [city],
    openings: [
      { brand, city, mall: null, locality: null, stores: 12, status: 'opened', date: '2026-11-12' },
      { brand, city, mall: 'Hill Mall', locality: null, stores: 3, status: 'announced', date: null },
    ],
    ...changes,
  });

const ASHA: Understanding['people'][number] = {
  person: 'Asha Rao',
  company: 'Kiri Foods',
  role: 'chief marketing officer',
  direction: 'joined',
  from: 'Tilak Shoes',
  to: null,
  effective: '2026-11-30',
};

/** Serves the record. The clock of the tests is "now"; every move is in the days before it. */
export async function fullRecord(options: ServingOptions = {}): Promise<Serving> {
  const site = await serving({ catalogue: smallFile, ...options, models: [...MODELS, ...(options.models ?? [])] });
  await site.enrol(source());
  await site.engine.add(ORACLE_STREAM, storedEvent('OracleMeasured', MEASURED));
  await site.append(
    detected('kiri-pune', { understanding: stores('Kiri Foods', 'Pune') }),
    detected('maya-nagpur', { understanding: stores('Maya Stores', 'Nagpur') }),
    detected('kiri-chief', {
      follows: idOf('kiri-pune'),
      report: report('kiri-chief', { published_at: '2026-11-20T04:20:00Z' }),
      understanding: understanding({
        move: 'people',
        headline: 'Kiri Foods makes Asha Rao chief marketing officer',
        brands: [brandRef('kiri-foods', 'Kiri Foods')],
        people: [ASHA],
      }),
    }),
    detected('kiri-results', {
      understanding: understanding({
        move: 'results',
        headline: 'Kiri Foods revenue rises 24% in Q2 FY27',
        delta: '24%',
        brands: [brandRef('kiri-foods', 'Kiri Foods')],
        cities: [],
        result: { company: 'Kiri Foods', period: 'Q2 FY27', metric: 'revenue', value: '₹230 Cr', growth_pct: 24 },
        other_results: [
          { company: 'Kiri Foods', period: 'Q2 FY27', metric: 'profit', value: '₹12 Cr', growth_pct: -4 },
        ],
      }),
    }),
    reported('kiri-pune', report('second', { outlet: 'Market Gazette', title: 'Pune gets Kiri' })),
    revised('kiri-chief', 1, {
      headline: 'Kiri Foods names Asha Rao chief marketing officer',
      move: 'people',
      people: [ASHA],
    }),
  );
  return site;
}

/** Hostile texts that a source may send. */
export const SCRIPT = '"><script>window.injected = true</script><img src=x onerror="window.injected = true">';
export const TURNED = 'Kiri \u202Eevil\u2066 foods\u200B';
export const LONG = 'W'.repeat(10_000);

export const hostileText: Understanding = understanding({
  headline: `${SCRIPT} ${TURNED} ${LONG}`,
  summary: `${SCRIPT} </title></textarea> ${LONG}`,
  deck: LONG,
  delta: SCRIPT,
  kind: SCRIPT,
  key_facts: [SCRIPT, LONG],
  cities: [SCRIPT, LONG],
  theme: { slug: 'expansion', name: SCRIPT },
  brands: [
    { slug: brandSlug('kiri-foods'), name: `${SCRIPT}${LONG}`, role: 'primary', provisional: true },
    { slug: brandSlug('hostile'), name: `${TURNED}${SCRIPT}`, role: 'primary', provisional: true },
  ],
  openings: [
    { brand: SCRIPT, city: SCRIPT, mall: LONG, locality: TURNED, stores: 1, status: 'planned', date: null },
    { brand: 'Kiri Foods', city: LONG, mall: SCRIPT, locality: null, stores: 1, status: 'opened', date: null },
  ],
  people: [{ person: SCRIPT, company: LONG, role: TURNED, direction: 'left', from: SCRIPT, to: LONG, effective: null }],
  result: { company: 'Kiri Foods', period: 'Q2 FY27', metric: SCRIPT, value: LONG, growth_pct: 3 },
  deal: { type: 'funding', amount: LONG, target: SCRIPT, buyers: [SCRIPT, TURNED, LONG] },
});

/** Adds thirty signals with hostile texts. */
export const appendHostileSignals = (site: Serving): Promise<void> =>
  site.append(
    ...Array.from({ length: 30 }, (_, n) =>
      detected(`hostile-${n}`, {
        understanding: hostileText,
        report: report(`hostile-${n}`, {
          outlet: SCRIPT,
          title: SCRIPT,
          url: n % 2 ? 'javascript:window.injected=true' : `https://outlet.test/${'a'.repeat(1_800)}`,
        }),
      }),
    ),
    reported('hostile-0', report('again', { outlet: LONG, title: LONG, url: 'javascript:window.injected=true' })),
    revised('hostile-0', 1, hostileText),
  );

/** Every page of the record, as `fullRecord` fills them. */
export const PAGES = [
  '/',
  '/?q=stores+pune&kind=stores',
  '/signal/slug-kiri-pune',
  '/signal/slug-kiri-chief',
  '/brand/kiri-foods',
  '/brand/tilak-group',
  '/theme/expansion',
  '/city/pune',
  '/mall/hill-mall',
  '/group/food',
  '/brief',
  '/brief/2026-11-19',
  '/watch',
  '/watch?b=kiri-foods,maya-stores&add=nobody',
  '/map',
  '/map?mall=Hill+Mall',
  '/people',
  '/tables',
  '/tables/openings?city=Pune&status=opened&not_brand=maya-stores&sort=-stores',
  '/tables/people',
  '/tables/results?days=365',
  '/tables/deals',
  '/tables/enforcement',
  '/index',
  '/sources',
  '/sources/propose',
  '/developers',
  '/developers/changelog',
  '/quality',
  '/corrections',
  '/plans',
  '/nothing-here',
] as const;
