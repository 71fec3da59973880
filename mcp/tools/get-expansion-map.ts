/** get_expansion_map: who opens where. */

import { z } from 'zod';
import { formatDay } from '../../language/days.ts';
import { formatCount, formatNumber } from '../../language/prose.ts';
import { expansionMap } from '../../projector/models/expansion-map-queries.ts';
import { CATEGORIES, type Category } from '../../schemas/catalogue.ts';
import { categoryName, type Region } from '../../schemas/directory.ts';
import { ExpansionMap, type Pitch, type ReportedOpening } from '../../schemas/moves-by-kind.ts';
import {
  cursorArgument,
  daysArgument,
  limitArgument,
  NoticeField,
  noticeField,
  refuseInvalidCursor,
  resolveFinding,
  type ToolContext,
  tool,
  unknownNameRefusal,
} from '../tool.ts';
import {
  citation,
  citedRow,
  firstNames,
  paragraphs,
  plainLine,
  QUOTE_NOTICE,
  quote,
  truncationLine,
} from '../tool-text.ts';

const MAX_COUNTS = 8;
const NAME = 'get_expansion_map';

type Counts = Pick<ExpansionMap['by_city'][number], 'stores_opened' | 'stores_planned'>;

/** `at least 5 stores opened and 50 announced or planned`. */
const storesText = ({ stores_opened, stores_planned }: Counts): string =>
  `at least ${formatCount(stores_opened, 'store')} opened and ${formatNumber(stores_planned)} announced or planned`;

const countLine = (
  title: string,
  counts: readonly (Counts & { readonly name: string; readonly openings: number })[],
): string | false =>
  counts.length > 0 &&
  `${title}: ${firstNames(
    counts.map(
      ({ name, openings, stores_opened, stores_planned }) =>
        `${plainLine(name, 80)} ${openings} (stores opened ${formatNumber(stores_opened)}, planned ${formatNumber(stores_planned)})`,
    ),
    MAX_COUNTS,
  )}.`;

const pitchLine = ({ brand, category, why, ...cited }: Pitch): string =>
  `- ${quote(brand, 120)}${category ? ` (${categoryName(category)})` : ''}: ${quote(why, 300)} ${citation(cited)}`;

function openingLine({ brand, city, mall, locality, stores, status, date, ...cited }: ReportedOpening): string {
  const place = [mall, locality, city].filter((part): part is string => part !== null).join(', ');
  const line = `${quote([brand, place].filter(Boolean).join(', '), 300)}: ${status}${stores === null ? '' : `, ${formatCount(stores, 'store')}`}${date ? `, on ${formatDay(date)}` : ''}`;
  return citedRow(line, cited);
}

/** @param note about the place, such as that the mall is in another city than the one named */
function mapText(map: ExpansionMap, days: number, note: string | null): string {
  const { place, openings_total, closures_total, rows_total, next_cursor, by_category, by_city, by_mall, openings } =
    map;
  const where = [place.name, ...(place.type === 'mall' && place.city ? [place.city] : [])].join(', ');
  const category = map.category === null ? '' : ` of ${categoryName(map.category)}`;
  const heading =
    rows_total === 0
      ? `No openings${category} found in ${where} in the last ${days} days. Ask for more days (up to 365)${place.type === 'india' ? '' : ', for a larger place'}${map.category ? ', or without the category' : ''}.`
      : `${where}: ${formatCount(openings_total, 'opening')}${category} reported in the last ${days} days, ${storesText(map)}; ${formatCount(closures_total, 'closure')}. ${QUOTE_NOTICE}`;
  return paragraphs(
    note,
    heading,
    countLine(
      'By category',
      by_category.map((one) => ({ ...one, name: one.category ? categoryName(one.category) : 'unknown' })),
    ),
    (place.type === 'india' || place.type === 'region') &&
      countLine(
        'By city',
        by_city.map((one) => ({ ...one, name: one.city })),
      ),
    countLine(
      'By mall',
      by_mall.map((one) => ({ ...one, name: one.mall })),
    ),
    map.who_to_pitch.length > 0 &&
      `Who to pitch (stores announced or planned, not yet opened):\n${map.who_to_pitch.map(pitchLine).join('\n')}`,
    openings.length > 0 && `Openings, newest report first:\n${openings.map(openingLine).join('\n')}`,
    truncationLine(NAME, { shown: openings.length, total: rows_total, next_cursor }, 'row'),
  );
}

interface Place {
  readonly city?: string | undefined;
  readonly region?: Region | undefined;
  readonly mall?: string | undefined;
  readonly note: string | null;
}

/**
 * Resolves a city, region or state, a mall, or neither for all India. A mall is in one city, so both together mean the mall; when
 * the city is another one, the answer says so.
 * @throws ToolRefusal offering the nearest names
 */
function resolvePlace(context: ToolContext, city: string | undefined, mall: string | undefined): Place {
  const { gazetteer } = context;
  const region = city === undefined ? null : gazetteer.region(city);
  const knownCity =
    city === undefined || region ? null : resolveFinding(context, 'city', city, gazetteer.findCity(city));
  const among = region?.cities ?? (knownCity ? [knownCity.name] : null);
  if (mall === undefined) return { region: region ?? undefined, city: knownCity?.name, note: null };
  const there = among?.length === 1 ? gazetteer.findMall(mall, among[0]) : null;
  const anywhere = gazetteer.findMall(mall);
  const place = there?.found ?? anywhere.found;
  if (!place) throw unknownNameRefusal(context, 'mall', mall, [...(there?.nearest ?? []), ...(anywhere.nearest ?? [])]);
  const elsewhere = among !== null && !among.includes(place.city);
  return {
    mall: place.name,
    note: elsewhere ? `${plainLine(place.name, 80)} is in ${place.city}, not in ${plainLine(city ?? '', 80)}.` : null,
  };
}

/** Resolves a category. @throws ToolRefusal offering all categories */
function resolveCategory(context: ToolContext, name: string | undefined): Category | undefined {
  if (name === undefined) return undefined;
  const finding = context.gazetteer.findCategory(name);
  return resolveFinding(context, 'category', name, finding, CATEGORIES.map(categoryName));
}

export const getExpansionMap = tool({
  name: NAME,
  title: 'Expansion map',
  description:
    'Who is opening where in India, one city or one mall: stores opened and stores planned by category, city and mall, brands to pitch space to (stores announced, not yet opened), and every opening with its report. Use it for "who is opening in Pune", "which brands should a mall call".',
  input: z.strictObject({
    city: z
      .string()
      .max(120)
      .optional()
      .describe('a city, region or state such as "Pune" or "Kerala"; omit city and mall for all India'),
    mall: z.string().max(120).optional().describe('a mall such as "Phoenix Palladium"'),
    category: z.string().max(60).optional().describe('a category such as "jewellery" or "value fashion"'),
    days: daysArgument,
    limit: limitArgument('openings', 20),
    cursor: cursorArgument,
  }),
  output: ExpansionMap.extend(NoticeField),
  icon: '<path d="M12 21s7-6.5 7-12a7 7 0 0 0-14 0c0 5.5 7 12 7 12z"/><circle cx="12" cy="9" r="2.5"/>',
  async run(call) {
    const { args, database, gazetteer, baseUrl, now } = call;
    const { days, limit, cursor } = args;
    const { note, ...place } = resolvePlace(call, args.city, args.mall);
    const category = resolveCategory(call, args.category);
    const question = { ...place, category, days, limit, cursor };
    const map = await expansionMap(database, question, { gazetteer, baseUrl, now: now() }).catch(
      refuseInvalidCursor(cursor),
    );
    return { text: mapText(map, days, note), structured: { ...map, ...noticeField } };
  },
});
