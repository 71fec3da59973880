import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { directoryOf } from '../../schemas/directory.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { MOVES } from '../../schemas/scalar.ts';
import {
  boundFilter,
  FilterParameters,
  filterOfParameters,
  filterOfText,
  parametersOfFilter,
  type SignalQuery,
  SORTS,
} from '../../schemas/signal-filter.ts';
import { smallFile } from '../harness/gazetteer.ts';

const directory = directoryOf(smallFile);
const now = new Date('2026-11-21T04:30:00Z');

const parse = (given: Record<string, unknown>): SignalQuery =>
  filterOfParameters(readParameters(FilterParameters, given), directory);

const slug = fc.stringMatching(/^[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,6}){0,2}$/);
const cityName = fc.stringMatching(/^[A-Z][a-z]{2,9}( [A-Z][a-z]{2,6})?$/);
const outletName = fc.stringMatching(/^[A-Z][A-Za-z0-9 .,&'|:/₹–]{0,20}[A-Za-z0-9.)]$/);
const some = (value: fc.Arbitrary<string>) => fc.uniqueArray(value, { minLength: 1, maxLength: 4 });
/** What the catalogue calls otherwise would be resolved to its own name. */
const unresolved = {
  brand: slug.filter((one) => directory.brandNamed(one) === null),
  theme: slug.filter((one) => directory.theme(one) === null),
  city: cityName.filter((one) => directory.city(one) === null),
};
const chosen = fc.record(
  {
    kind: some(fc.constantFrom(...MOVES)),
    brand: some(unresolved.brand),
    theme: some(unresolved.theme),
    city: some(unresolved.city),
    outlet: some(outletName),
  },
  { requiredKeys: [] },
);
const day = fc
  .integer({ min: 0, max: 3_000 })
  .map((days) => new Date(Date.UTC(2020, 0, 1) + days * 86_400_000).toISOString().slice(0, 10));
const dates = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 1, max: 3_650 }).map((days) => ({ days })),
  day.map((from) => ({ from })),
  day.map((to) => ({ to })),
  fc.tuple(day, day).map((both) => {
    const [from = '', to = ''] = both.toSorted();
    return { from, to };
  }),
);
const words = fc
  .string({ minLength: 1, maxLength: 60 })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const query: fc.Arbitrary<SignalQuery> = fc
  .record(
    {
      only: chosen,
      without: chosen,
      words,
      about: fc.constant(true as const),
      outlets: fc.integer({ min: 2, max: 1_000 }),
      sort: fc.constantFrom(...SORTS),
    },
    { requiredKeys: ['only', 'without'] },
  )
  .chain((one) => dates.map((range) => ({ ...one, ...range }) as SignalQuery))
  .filter((one) => one.sort !== 'relevance' || one.words !== undefined);

describe('the filter of signals', () => {
  it('given any filter, then its address is read as the same filter', () => {
    fc.assert(
      fc.property(query, (given) => {
        expect(filterOfText(new URLSearchParams(parametersOfFilter(given)).toString(), directory)).toEqual(given);
      }),
      { numRuns: 500 },
    );
  });

  it('given names as readers type them, then slugs, and cities as the catalogue writes them', () => {
    expect(
      parse({ brand: 'Kiri Foods, maya-stores', not_city: 'poona', theme: ['Expansion', ''], outlets: '1' }),
    ).toEqual({
      only: { brand: ['kiri-foods', 'maya-stores'], theme: ['expansion'] },
      without: { city: ['Pune'] },
    });
  });

  it('given a day, then from and to of that day, in India', () => {
    const filter = parse({ day: '2026-11-20', days: '7' });
    expect(filter).toEqual({ only: {}, without: {}, from: '2026-11-20', to: '2026-11-20' });
    expect(boundFilter(filter, { now, directory })).toMatchObject({
      since: '2026-11-19T18:30:00.000Z',
      until: '2026-11-20T18:30:00.000Z',
    });
  });

  it.each([
    [{ kind: 'gossip' }, /^kind: "gossip" cannot be used\. Allowed: kinds of move: stores, deals/],
    [{ not_kind: ['deals', 'gossip'] }, /^not_kind: .*"gossip".* Allowed: kinds of move/],
    [{ brand: '<script>' }, /^brand: "<script>" cannot be used\. Allowed: brands, such as zudio/],
    [{ city: Array.from({ length: 51 }, (_, n) => `City ${n}`) }, /^city: .*Allowed: .*at most 50/],
    [{ q: ' ' }, /^q has 0 characters; allowed: 1 to 200/],
    [{ city: '' }, /^city: "" cannot be used\. Allowed: names of cities/],
    [{ not_brand: ',' }, /^not_brand: "," cannot be used\. Allowed: brands/],
    [{ days: '0' }, /^days: "0" cannot be used\. Allowed: a whole number from 1 to 3650/],
    [{ from: '2026-13-01' }, /^from: "2026-13-01" cannot be used\. Allowed: a first day in India/],
    [{ from: '2026-11-02', to: '2026-11-01' }, /^from: "2026-11-02" is after to\. Allowed: a day up to 2026-11-01/],
    [{ outlets: 'many' }, /^outlets: "many" cannot be used\. Allowed: a whole number/],
    [{ sort: 'random' }, /^sort: "random" cannot be used\. Allowed: one of time, salience, relevance/],
    [{ sort: 'relevance' }, /^sort: "relevance" needs words in q\. Allowed: time, salience/],
  ])('given %j, then a refusal that names field, value and what is allowed', (given, message) => {
    expect(() => parse(given)).toThrow(Refusal);
    expect(() => parse(given)).toThrow(message);
  });
});
