/**
 * Corrections as operators write them, in forms and on the command line: a line for each fact, its parts between bars. What
 * is shown is written in the form in which it is read. Pure.
 */
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { type BrandSlug, IstDay, MOVES, Move, StoredBrandSlug, slugify } from '../schemas/scalar.ts';
import { CORRECTABLE, type Correctable, type Correction } from '../schemas/signal.ts';
import { Appointment, type BrandMention, Deal, Opening, Result, type Understanding } from '../schemas/story.ts';

/** A brand of the catalogue by any of its names; null for one that it lacks. */
export type FindBrand = (name: string) => { readonly slug: BrandSlug; readonly name: string } | null;

const people = Appointment.shape.direction.options;
const statuses = Opening.shape.status.options;
const deals = Deal.shape.type.options;
const stages = ['rumoured', 'agreed', 'completed'] as const;

/** How each field is written, for labels and for `--help`. */
export const FIELD_FORMS: Readonly<Record<Correctable, string>> = {
  move: MOVES.join(', '),
  brands: 'names, each on a line; "(mention)" after a brand that the story is not about',
  cities: 'names, each on a line',
  delta: 'the figure, such as 40 stores or ₹120 Cr; empty for none',
  people: `a line each: ${people.join('/')} | person | role | company | from | to | YYYY-MM-DD`,
  openings: `a line each: ${statuses.join('/')} | brand | city | mall | locality | stores | YYYY-MM-DD`,
  deal: `${deals.join('/')} | amount | target | buyer, buyer | rumoured/agreed/completed; empty for none`,
  result: 'a line each: company | period | metric | value | growth in per cent; empty for none',
};

const written = (...parts: readonly (string | number | null | undefined)[]): string =>
  parts
    .map((part) => String(part ?? '').replaceAll('|', '/'))
    .join(' | ')
    .replace(/(?: \|\s*)+$/, '');

/** A field of a text as `readCorrection` reads it. */
export function writeField(text: Understanding, field: Correctable): string {
  switch (field) {
    case 'move':
      return text.move;
    case 'brands':
      return text.brands.map(({ name, role }) => (role === 'primary' ? name : `${name} (mention)`)).join('\n');
    case 'cities':
      return text.cities.join('\n');
    case 'delta':
      return text.delta ?? '';
    case 'people':
      return text.people
        .map((one) => written(one.direction, one.person, one.role, one.company, one.from, one.to, one.effective))
        .join('\n');
    case 'openings':
      return text.openings
        .map((one) => written(one.status, one.brand, one.city, one.mall, one.locality, one.stores, one.date))
        .join('\n');
    case 'deal': {
      const { deal } = text;
      return deal ? written(deal.type, deal.amount, deal.target, deal.buyers.join(', '), deal.status) : '';
    }
    case 'result':
      return [text.result, ...(text.other_results ?? [])]
        .filter((one) => one !== null)
        .map((one) => written(one.company, one.period, one.metric, one.value, one.growth_pct))
        .join('\n');
  }
}

/** What is wrong with a line, and what is right. */
const wrong = (field: Correctable, line: string, why: string): Refusal =>
  new Refusal('invalid_request', `${field}: ${quoted(line)} ${why}. Allowed: ${FIELD_FORMS[field]}.`);

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Reads lines of parts. @param read makes a fact of the parts, null for an empty part */
const facts = <Fact>(
  field: Correctable,
  text: string,
  most: number,
  read: (part: (index: number) => string | null, line: string) => Fact,
): Fact[] =>
  linesOf(text).map((line) => {
    const parts = line.split('|').map((part) => part.trim());
    if (parts.length > most) throw wrong(field, line, `has ${parts.length} parts, at most ${most} are known`);
    return read((index) => parts[index] || null, line);
  });

function oneOf<Value extends string>(
  field: Correctable,
  known: readonly Value[],
  said: string | null,
  line: string,
  fault = 'begins with none of',
): Value {
  const found = known.find((value) => value === said?.toLowerCase());
  if (!found) throw wrong(field, line, `${fault} ${known.join(', ')}`);
  return found;
}

function needed(field: Correctable, said: string | null, what: string, line: string): string {
  if (!said) throw wrong(field, line, `names no ${what}`);
  return said;
}

function numberIn(field: Correctable, said: string | null, line: string, whole: boolean): number | null {
  if (said === null) return null;
  const number = Number(said.replace(/\s?%$/, ''));
  if (!Number.isFinite(number) || (whole && !(Number.isInteger(number) && number >= 0)))
    throw wrong(field, line, `has ${quoted(said)} where a ${whole ? 'whole ' : ''}number belongs`);
  return number;
}

function dayIn(field: Correctable, said: string | null, line: string): string | null {
  if (said !== null && !IstDay.safeParse(said).success) throw wrong(field, line, `has ${quoted(said)} as its day`);
  return said;
}

function brandsIn(text: string, before: Understanding, find: FindBrand): BrandMention[] {
  const lines = [...new Set(linesOf(text))];
  return lines.map((line) => {
    const name = line.replace(/\s*\(mention\)$/i, '');
    const role = name === line ? 'primary' : 'secondary';
    const known = before.brands.find((brand) => brand.name === name);
    if (known) return { ...known, role };
    const listed = find(name);
    if (listed) return { slug: listed.slug, name: listed.name, role, provisional: false };
    const slug = StoredBrandSlug.safeParse(slugify(name));
    if (!slug.success) throw wrong('brands', line, 'is no name');
    return { slug: slug.data, name, role, provisional: true };
  });
}

function resultsIn(text: string): Pick<Correction, 'result' | 'other_results'> {
  const [result = null, ...other_results] = facts('result', text, 5, (part, line) =>
    Result.parse({
      company: needed('result', part(0), 'company', line),
      period: part(1),
      metric: needed('result', part(2), 'metric', line),
      value: part(3),
      growth_pct: numberIn('result', part(4), line, false),
    }),
  );
  return { result, other_results };
}

/** Reads one field as it is written. @throws Refusal that names the line and what is allowed */
function readField(field: Correctable, text: string, before: Understanding, find: FindBrand): Correction {
  switch (field) {
    case 'move': {
      const move = Move.safeParse(text.trim().toLowerCase());
      if (!move.success) throw wrong(field, text, 'is no kind of move');
      return { move: move.data };
    }
    case 'brands':
      return { brands: brandsIn(text, before, find) };
    case 'cities':
      return { cities: [...new Set(linesOf(text))] };
    case 'delta':
      return { delta: text.trim() || null };
    case 'people':
      return {
        people: facts(field, text, 7, (part, line) => ({
          direction: oneOf(field, people, part(0), line),
          person: needed(field, part(1), 'person', line),
          ...{ role: part(2), company: part(3), from: part(4), to: part(5) },
          effective: dayIn(field, part(6), line),
        })),
      };
    case 'openings':
      return {
        openings: facts(field, text, 7, (part, line) => ({
          status: oneOf(field, statuses, part(0), line),
          brand: needed(field, part(1), 'brand', line),
          ...{ city: part(2), mall: part(3), locality: part(4) },
          stores: numberIn(field, part(5), line, true),
          date: dayIn(field, part(6), line),
        })),
      };
    case 'deal': {
      const all = facts(field, text, 5, (part, line) => ({
        type: oneOf(field, deals, part(0), line),
        ...{ amount: part(1), target: part(2) },
        buyers: (part(3) ?? '')
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
        status: part(4) === null ? null : oneOf(field, stages, part(4), line, 'ends with none of'),
      }));
      if (all.length > 1) throw wrong(field, text, 'is more than one deal');
      return { deal: all[0] ?? null };
    }
    case 'result':
      return resultsIn(text);
  }
}

/**
 * Reads the fields that differ from what a signal says.
 * @param sent texts by field; a field that is not sent, or is as `writeField` writes it, is not corrected
 * @throws Refusal that names the field, the line and what is allowed
 */
export function readCorrection(
  before: Understanding,
  sent: Readonly<Partial<Record<Correctable, string>>>,
  find: FindBrand,
): Correction {
  const correction: Correction = {};
  for (const field of CORRECTABLE) {
    const text = sent[field]?.replaceAll('\r\n', '\n');
    if (text === undefined || text.trim() === writeField(before, field).trim()) continue;
    Object.assign(correction, readField(field, text, before, find));
  }
  return correction;
}
