/** get_expansion_map: who opens where. */
import { z } from 'zod';
import { expansionMap } from '../../projector/models/openings/expansion.ts';
import { CATEGORIES, type Category } from '../../schemas/catalogue.ts';
import { ExpansionMap, type Pitch, type ToldOpening } from '../../schemas/expansion.ts';
import { categoryName } from '../../schemas/gazetteer.ts';
import { counted } from '../../web/text.ts';
import type { ToolContext } from '../context.ts';
import { daysBack } from '../look-back.ts';
import { unknownName } from '../names.ts';
import { Noticed, noticed } from '../output.ts';
import { NOTICE, quote } from '../text/quote.ts';
import { citeLine, paragraphs } from '../text/signal-lines.ts';
import { tool } from '../tool.ts';

const NAMED = 8;

const countLine = (
  title: string,
  counts: readonly { readonly name: string; readonly openings: number }[],
): string | false =>
  counts.length > 0 &&
  `${title}: ${counts
    .slice(0, NAMED)
    .map(({ name, openings }) => `${name} ${openings}`)
    .join(', ')}.`;

const pitchLine = ({ brand, category, why, signal }: Pitch): string =>
  `- ${quote(brand, 120)}${category ? ` (${categoryName(category)})` : ''}: ${quote(why, 300)} ${citeLine(signal)}`;

function openingLine({ brand, city, mall, locality, stores, status, date, signal }: ToldOpening): string {
  const place = [mall, locality, city].filter((part): part is string => part !== null).join(', ');
  return `- ${quote([brand, place].filter(Boolean).join(', '), 300)}: ${status}${stores === null ? '' : `, ${counted(stores, 'store')}`}${date ? `, ${date}` : ''}. ${quote(signal.headline)} ${citeLine(signal)}`;
}

function mapText(map: ExpansionMap, days: number): string {
  const { place, openings_total, stores_total, closures_total, by_category, by_city, by_mall, openings } = map;
  const where = [place.name, ...(place.type === 'mall' && place.city ? [place.city] : [])].join(', ');
  const category = map.category === null ? '' : ` in ${categoryName(map.category)}`;
  return paragraphs(
    `${where}: ${counted(openings_total, 'opening')}${category} told in the last ${days} days, at least ${counted(stores_total, 'store')}; ${counted(closures_total, 'closure')}. ${NOTICE}`,
    countLine(
      'By category',
      by_category.map((one) => ({
        name: one.category ? categoryName(one.category) : 'unknown',
        openings: one.openings,
      })),
    ),
    place.type === 'india' &&
      countLine(
        'By city',
        by_city.map((one) => ({ name: one.city, openings: one.openings })),
      ),
    countLine(
      'By mall',
      by_mall.map((one) => ({ name: one.mall, openings: one.openings })),
    ),
    map.who_to_pitch.length > 0 &&
      `Who to pitch (stores still to come):\n${map.who_to_pitch.map(pitchLine).join('\n')}`,
    openings.length > 0 && `Openings, newest report first:\n${openings.map(openingLine).join('\n')}`,
  );
}

/** @throws ToolRefusal offering the nearest names */
function placeNamed({ gazetteer }: ToolContext, city: string | undefined, mall: string | undefined) {
  const foundCity = city === undefined ? null : gazetteer.findCity(city);
  if (city !== undefined && !foundCity?.found) throw unknownName('city', city, foundCity?.nearest ?? []);
  const foundMall = mall === undefined ? null : gazetteer.findMall(mall, foundCity?.found?.name);
  if (mall !== undefined && !foundMall?.found) throw unknownName('mall', mall, foundMall?.nearest ?? []);
  // A mall lies in its city: both together mean the mall.
  return foundMall?.found ? { mall: foundMall.found.name } : { city: foundCity?.found?.name };
}

/** @throws ToolRefusal offering all categories */
function categoryNamed({ gazetteer }: ToolContext, name: string | undefined): Category | undefined {
  if (name === undefined) return undefined;
  const { found, nearest = [] } = gazetteer.findCategory(name);
  if (!found) throw unknownName('category', name, nearest.length > 0 ? nearest : CATEGORIES.map(categoryName));
  return found;
}

export const getExpansionMap = tool({
  name: 'get_expansion_map',
  title: 'Expansion map',
  description:
    'Who is opening where in India, one city or one mall: openings by category, city and mall, brands to pitch space to (stores announced but still to come), and every opening with its report. Use it for "who is opening in Pune", "new stores at Phoenix Palladium", "which brands should a mall call".',
  input: z.strictObject({
    city: z.string().max(120).optional().describe('a city such as "Pune"; leave city and mall out for all India'),
    mall: z.string().max(120).optional().describe('a mall such as "Phoenix Palladium"'),
    category: z.string().max(60).optional().describe('a category such as "jewellery" or "value fashion"'),
    days: daysBack,
    limit: z.int().min(1).max(50).default(20).describe('openings to list, 1 to 50; 20 unless set'),
  }),
  output: ExpansionMap.extend(Noticed),
  icon: '<path d="M12 21s7-6.5 7-12a7 7 0 0 0-14 0c0 5.5 7 12 7 12z"/><circle cx="12" cy="9" r="2.5"/>',
  async run(call) {
    const { args, database, gazetteer, baseUrl, now } = call;
    const { days, limit } = args;
    const place = placeNamed(call, args.city, args.mall);
    const category = categoryNamed(call, args.category);
    const map = await expansionMap(database, { ...place, category, days, limit }, { gazetteer, baseUrl, now: now() });
    return { text: mapText(map, days), structured: { ...map, ...noticed } };
  },
});
