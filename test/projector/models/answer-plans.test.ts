/** Long records are answered off indexes: what an answer costs grows with its window, not with the record. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dealsTable } from '../../../facts/deals/table.ts';
import { enforcementTable } from '../../../facts/enforcement/table.ts';
import { openingsTable } from '../../../facts/openings/table.ts';
import { peopleTable } from '../../../facts/people/table.ts';
import { resultsTable } from '../../../facts/results/table.ts';
import type { Queryable } from '../../../log/postgres/database.ts';
import { liveBuild } from '../../../projector/model-builds.ts';
import { expansionMap } from '../../../projector/models/expansion-map-queries.ts';
import { groupSeason } from '../../../projector/models/group-season-queries.ts';
import { leadershipMoves } from '../../../projector/models/leadership-moves-queries.ts';
import { factModel } from '../../../projector/models/reported-parts.ts';
import { searchModel } from '../../../projector/models/search-read-model.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { listTable, type TableFilter } from '../../../projector/models/tables-queries.ts';
import { prepareReadModels } from '../../../projector/promote-build.ts';
import { smallGazetteer } from '../../harness/gazetteer.ts';
import { type Engine, testEngine } from '../engine.ts';

const ROWS = 30_000;
const about = { now: new Date('2026-11-21T04:30:00Z'), baseUrl: 'https://clarity.test', gazetteer: smallGazetteer };
let engine: Engine;

/** One row each 53 minutes, hence 3 years of them, of 500 brands in 200 cities. Column by column, as SQL. */
const KEY = `'sig_' || lpad(to_hex(n), 16, '0')`;
const PUBLISHED = `timestamptz '2026-11-21T04:00:00Z' - n * interval '53 minutes'`;
const BRAND = `CASE n % 500 WHEN 0 THEN 'kiri-foods' WHEN 1 THEN 'maya-mart' ELSE 'brand-' || n % 500 END`;
const CITED = {
  key: KEY,
  number: '0',
  slug: `'slug-' || n`,
  headline: `'Headline'`,
  published_at: PUBLISHED,
  reported_at: PUBLISHED,
};
/** The item document of a signal. */
const ITEM = JSON.stringify({
  id: 'sig_0000000000000000',
  slug: 'slug',
  url: 'https://clarity.test/signal/slug',
  headline: 'Headline',
  delta: null,
  summary: null,
  move: 'stores',
  kind: null,
  theme: null,
  brands: [],
  cities: [],
  published_at: '2026-11-20T04:30:00Z',
  event_at: null,
  outlets: 1,
  source: { outlet: 'Daily Trade', url: 'https://outlet.test' },
});
const RECORD: readonly { model: string; table: string; columns: Readonly<Record<string, string>> }[] = [
  {
    model: 'openings',
    table: 'openings',
    columns: {
      ...CITED,
      brand: BRAND,
      brand_slug: BRAND,
      city: `CASE WHEN n % 200 = 1 THEN 'Pune' WHEN n % 3 > 0 THEN 'City ' || n % 200 END`,
      mall: `CASE WHEN n % 300 = 1 THEN 'Hill Mall' WHEN n % 5 = 0 THEN 'Mall ' || n % 100 END`,
      stores: 'n % 40',
      status: `(ARRAY['opened', 'planned', 'opened', 'closed'])[n % 4 + 1]`,
    },
  },
  {
    model: 'appointments',
    table: 'appointments',
    columns: {
      ...CITED,
      person: `'Person ' || n`,
      role: `'CFO'`,
      seats: `'{chief financial officer}'::text[]`,
      lenses: `'{c_suite,finance}'::text[]`,
      company_slug: BRAND,
      direction: `(ARRAY['joined', 'left'])[n % 2 + 1]`,
      since: `'2026-11-01'`,
    },
  },
  {
    model: 'results',
    table: 'results',
    columns: {
      ...CITED,
      company: `'Company'`,
      company_slug: BRAND,
      period: `'Q' || n % 4 + 1 || ' FY' || 24 + n % 4`,
      metric: `'revenue'`,
    },
  },
  {
    model: 'deals',
    table: 'deals',
    columns: {
      ...CITED,
      type: `(ARRAY['funding', 'acquisition'])[n % 2 + 1]`,
      buyers: `'{}'::text[]`,
      brands: `ARRAY[${BRAND}]`,
    },
  },
  {
    model: 'enforcement',
    table: 'enforcement',
    columns: { ...CITED, regulator: `'Regulator ' || n % 30`, action: `'penalty'`, brands: `ARRAY[${BRAND}]` },
  },
  {
    model: 'signals',
    table: 'signals',
    columns: {
      key: KEY,
      row: `'{}'`,
      slug: CITED.slug,
      status: `'public'`,
      published_at: PUBLISHED,
      move: `'stores'`,
      cities: `'{}'::text[]`,
      outlets: 'CASE WHEN n % 20 = 0 THEN 3 ELSE 1 END',
      salience: '0',
      item_document: `'${ITEM}'`,
    },
  },
  {
    model: 'signals',
    table: 'signal_brands',
    columns: {
      key: KEY,
      brand: BRAND,
      name: BRAND,
      is_primary: 'true',
      is_provisional: 'false',
      published_at: PUBLISHED,
      reported_at: PUBLISHED,
      move: `'stores'`,
      cities: `'{}'::text[]`,
      outlets: `'{}'::text[]`,
    },
  },
];

beforeAll(async () => {
  engine = await testEngine();
  const models = [
    factModel(openingsTable, 'openings'),
    factModel(peopleTable, 'people'),
    factModel(resultsTable, 'result'),
    factModel(dealsTable, 'deal'),
    factModel(enforcementTable, 'enforcement'),
    searchModel(),
    signalsModel({ baseUrl: 'https://clarity.test' }),
  ];
  await prepareReadModels(engine.database, models);
  for (const { model, table, columns } of RECORD) {
    const target = `${(await liveBuild(engine.database, model))?.name}.${table}`;
    await engine.database.query(
      `INSERT INTO ${target} (${Object.keys(columns)}) SELECT ${Object.values(columns)} FROM generate_series(1, ${ROWS}) AS n`,
    );
    // Vacuumed as it is in use by and by: only then rows are counted off an index alone.
    await engine.database.query(`VACUUM ANALYZE ${target}`);
  }
});
afterAll(() => engine.close());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Plan Rows': number;
  readonly Plans?: readonly Plan[];
}

/** A database that keeps the plan of every statement that it answers. */
function explaining(): { database: Queryable; nodes: Plan[] } {
  const nodes: Plan[] = [];
  const keep = (plan: Plan): void => {
    nodes.push(plan);
    plan.Plans?.forEach(keep);
  };
  const query = async (text: string, parameters: unknown[]) => {
    const explained = await engine.database.query(`EXPLAIN (FORMAT JSON) ${text}`, parameters);
    keep(explained.rows[0]['QUERY PLAN'][0].Plan);
    return engine.database.query(text, parameters);
  };
  return { database: { query } as unknown as Queryable, nodes };
}

const read = async (ask: (database: Queryable) => Promise<unknown>) => {
  const { database, nodes } = explaining();
  await ask(database);
  const tables = nodes.filter((node) => node['Relation Name']);
  return { tables: tables.length, scanned: tables.filter((node) => node['Node Type'] === 'Seq Scan') };
};
const company = smallGazetteer.findCompany('Kiri Foods').found ?? undefined;
const group = smallGazetteer.findGroup('food').found;

describe('with a long record', () => {
  it.each([
    ['all India over 90 days', { days: 90 }],
    ['a city over a year', { days: 365, city: 'Pune' }],
    ['a mall over a year', { days: 365, mall: 'Hill Mall' }],
    ['a category over 90 days', { days: 90, category: 'value_fashion' }],
  ] as const)('the expansion map of %s reads no table from end to end', async (_, question) => {
    const { tables, scanned } = await read((database) => expansionMap(database, { limit: 20, ...question }, about));

    expect(tables).toBeGreaterThan(4);
    expect(scanned).toEqual([]);
  });

  it.each([
    ['all', { days: 90 }],
    ['a lens', { days: 90, lens: 'finance' }],
    ['a company over a year', { days: 365, company }],
    ['a role', { days: 90, role: 'CFO' }],
  ] as const)('leadership moves of %s read no table from end to end', async (_, question) => {
    const { tables, scanned } = await read((database) => leadershipMoves(database, question, about));

    expect(tables).toBeGreaterThan(2);
    expect(scanned).toEqual([]);
  });

  const NONE: TableFilter = { only: {}, without: {} };
  it.each([
    ['openings', 'all', NONE],
    ['openings', 'those of a city', { ...NONE, only: { city: ['Pune'] } }],
    ['openings', 'those of a brand', { ...NONE, only: { brand: ['kiri-foods'] } }],
    ['openings', 'all but those of a brand', { ...NONE, without: { brand: ['kiri-foods'] } }],
    ['openings', 'those that several outlets report', { ...NONE, outlets: 3 }],
    ['people', 'those of 90 days', { ...NONE, since: new Date('2026-08-23') }],
    ['results', 'those of a quarter', { ...NONE, only: { quarter: ['Q1 FY24'] } }],
    ['deals', 'those of a brand', { ...NONE, only: { brand: ['kiri-foods'] } }],
    ['enforcement', 'those of a brand', { ...NONE, only: { brand: ['kiri-foods'] } }],
  ] as const)('the table of %s, %s, reads no table from end to end for a page', async (table, _, filter) => {
    const order = { by: 'date', descending: true };
    const { tables, scanned } = await read((database) => listTable(database, table, filter, { order, limit: 31 }));

    expect(tables).toBeGreaterThan(1);
    expect(scanned).toEqual([]);
  });

  it("a group's season reads no table from end to end", async () => {
    if (!group) throw new Error('the small catalogue has a group of food');
    const { tables, scanned } = await read((database) => groupSeason(database, { group }, about));

    expect(tables).toBeGreaterThan(6);
    // The signals themselves are not filled here, and an empty table is read as a whole.
    expect(scanned.filter((node) => node['Relation Name'] !== 'signals')).toEqual([]);
  });
});
