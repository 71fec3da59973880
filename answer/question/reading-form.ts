/**
 * The form in which a model writes how it reads a question: pairs of a field and a value, so that what a question does not say
 * costs nothing, and the description of the form is short. Values are words; `model-reading.ts` says what they mean.
 */
import { z } from 'zod';
import type { ModelReading } from './model-reading.ts';

/** Queries that one question is read into. */
export const MAX_QUERIES = 3;

export const ReadingForm = z.object({
  queries: z.array(
    z.object({ intent: z.string(), fields: z.array(z.object({ field: z.string(), value: z.string() })) }),
  ),
});
export type QueryForm = z.infer<typeof ReadingForm>['queries'][number];

/** The fields and what they hold, as the prompt lists them. */
export const FIELDS = `name: company, brand, investor, mall or outlet as commonly spelled; topic: kind of shop or theme; place: city, state or region;
kind: stores, deals, people, results, launches, strategy, rules or other; not_name, not_topic, not_place, not_kind: what is excluded;
from, to: first and last day, YYYY-MM-DD; fiscal: Q2 FY27 or FY26, for results, without from and to;
against_from, against_to, against_fiscal: the period compared with; store_status: openings, opened, planned, closed;
deal: funding, acquisition, stake_sale, ipo, jv, merger; deal_role: target, buyer, seller; deal_status: rumoured, agreed, completed;
seat: such as CEO; person: a name; person_move: joined, left, promoted; person_asks: predecessor, successor;
metric: revenue, profit, loss, ebitda, margin, same-store sales, gmv, any; action, of rules: penalty, notice, investigation, raid, recall, ban;
condition: such as "revenue up 20 percent", "amount above 1000000000 rupees", "any loss"; of metric, amount or stores; loss, profit, up, down,
above, below, at least, at most; percent, rupees, dollars, stores;
measure: stores, network, signals, raised, spent, fined, people, metric; by: brand, city, category, kind, outlet, theme, period, investor;
order: newest, oldest, largest, smallest; limit; outlets: least number of outlets; word: a further word that fitting reports have.`;

const CONDITION =
  /^(.+?) (loss|profit|up|down|above|below|at least|at most)(?: (-?\d[\d.]*)(?: (percent|rupees|dollars|stores))?)?$/;

const sideText = ({ is, or_equal }: NonNullable<ModelReading['condition']>): string =>
  or_equal ? (is === 'below' ? 'at most' : 'at least') : is;

/** A reading as pairs, as a model is given that of the question before. */
export function formOf(reading: ModelReading): QueryForm {
  const { intent, except, period, against, deal, person, condition } = reading;
  const pairs: (readonly [string, string | number | null | undefined])[] = [
    ...reading.names.map((value) => ['name', value] as const),
    ...reading.topics.map((value) => ['topic', value] as const),
    ...reading.places.map((value) => ['place', value] as const),
    ...reading.kinds.map((value) => ['kind', value] as const),
    ...except.names.map((value) => ['not_name', value] as const),
    ...except.topics.map((value) => ['not_topic', value] as const),
    ...except.places.map((value) => ['not_place', value] as const),
    ...except.kinds.map((value) => ['not_kind', value] as const),
    ['from', period?.first_day],
    ['to', period?.last_day],
    ['fiscal', period?.fiscal],
    ['against_from', against?.first_day],
    ['against_to', against?.last_day],
    ['against_fiscal', against?.fiscal],
    ['store_status', reading.store_status],
    ...(deal?.types ?? []).map((value) => ['deal', value] as const),
    ['deal_role', deal?.role],
    ['deal_status', deal?.status],
    ['seat', person?.role],
    ['person', person?.name],
    ['person_move', person?.direction],
    ['person_asks', person?.asks],
    ['metric', reading.metric],
    ['action', reading.action],
    [
      'condition',
      condition &&
        [condition.metric, sideText(condition), condition.value, condition.unit]
          .filter((one) => one !== null)
          .join(' '),
    ],
    ['measure', reading.measure],
    ['by', reading.by],
    ['order', reading.order === 'relevance' ? null : reading.order],
    ['limit', reading.limit],
    ['outlets', reading.minimum_outlets],
    ...reading.words.map((value) => ['word', value] as const),
  ];
  const fields = pairs.flatMap(([field, value]) => (value == null ? [] : [{ field, value: String(value) }]));
  return { intent, fields };
}

/** The fields of a form as an object, which `ModelReading` checks. */
export function valuesOf({ intent, fields }: QueryForm): unknown {
  const all = (field: string): string[] => fields.filter((one) => one.field === field).map(({ value }) => value.trim());
  const one = (field: string): string | null => all(field).find((value) => value !== '' && value !== 'null') ?? null;
  const number = (field: string): number | null => (one(field) === null ? null : Number(one(field)));
  const days = (before: string) => {
    const [first_day, last_day, fiscal] = [one(`${before}from`), one(`${before}to`), one(`${before}fiscal`)];
    return first_day === null && last_day === null && fiscal === null ? null : { first_day, last_day, fiscal };
  };
  const deal = { types: [...new Set(all('deal'))], role: one('deal_role'), status: one('deal_status') };
  const person = { role: one('seat'), name: one('person'), direction: one('person_move'), asks: one('person_asks') };
  const condition = one('condition');
  const [, metric, side, value, unit] = CONDITION.exec(condition ?? '') ?? [];
  const is = side?.replace('at least', 'above').replace('at most', 'below');
  return {
    intent,
    names: all('name'),
    topics: all('topic'),
    places: all('place'),
    kinds: all('kind'),
    except: { names: all('not_name'), topics: all('not_topic'), places: all('not_place'), kinds: all('not_kind') },
    period: days(''),
    against: days('against_'),
    store_status: one('store_status'),
    deal: deal.types.length > 0 || deal.role || deal.status ? deal : null,
    person: Object.values(person).some((each) => each !== null) ? person : null,
    metric: one('metric'),
    action: one('action'),
    condition:
      condition === null
        ? null
        : {
            metric,
            is,
            value: value === undefined ? null : Number(value),
            unit: unit ?? null,
            ...(is !== side && { or_equal: true }),
          },
    measure: one('measure'),
    by: one('by'),
    order: one('order') ?? 'relevance',
    limit: number('limit'),
    minimum_outlets: number('outlets'),
    words: all('word'),
  };
}
