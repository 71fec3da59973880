/** Parameters and bodies that callers send, checked strictly; each schema describes what it allows. */
import { z } from 'zod';
import { type InputPlace, inputErrorMessage, quoted, Refusal } from './input-errors.ts';
import { BrandSlug, MOVES, Move, Slug } from './scalar.ts';

/** Levels of nesting that a body may have; what the contract takes has four. */
export const MAXIMUM_DEPTH = 64;

/** What is wrong with a text; null when it can be stored. PostgreSQL takes no U+0000, and UTF-8 no lone surrogates. */
function faultOf(text: string): string | null {
  if (text.includes('\u0000')) return 'contains the character U+0000, which is not allowed';
  return text.isWellFormed() ? null : 'contains half of a surrogate pair, which is no character';
}

/**
 * Finds the first text that cannot be stored.
 * @param given what was sent, parsed
 * @returns its path, such as `messages[0].content` (empty for the value itself), and what is wrong with it; null for none
 */
export function unstorableText(given: unknown): { readonly path: string; readonly fault: string } | null {
  const waiting: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [
    { value: given, path: '', depth: 0 },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') {
      const fault = faultOf(value);
      if (fault) return { path, fault };
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAXIMUM_DEPTH)
      return { path: path.slice(0, 60), fault: `is nested deeper than ${MAXIMUM_DEPTH} levels` };
    const inside = Array.isArray(value)
      ? value.map((one, index) => ({ value: one, path: `${path}[${index}]`, depth: depth + 1 }))
      : Object.entries(value).map(([name, one]) => ({
          value: one,
          path: path === '' ? name : `${path}.${name}`,
          depth: depth + 1,
        }));
    // The first field is looked at first.
    waiting.push(...inside.reverse());
  }
  return null;
}

/** True for a JSON text that is nested deeper than any body may be. Reads it once, without recursion. */
export function isNestedTooDeep(text: string): boolean {
  let [depth, inString] = [0, false];
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > MAXIMUM_DEPTH) return true;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return false;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const ZONE = /(?:z|[+-]\d{2}:?\d{2})$/i;

/**
 * A day or time of ISO 8601 as an instant in UTC; null when it is neither. What states no zone is meant in IST, and a
 * day means its first moment in IST. Moments before 1970 count as 1970: nothing was published before.
 */
export function readMoment(text: string): string | null {
  // In a query string a bare "+" arrives as a blank; a blank before an offset can be nothing else.
  const normalised = text.replace(/ (?=\d{2}:?\d{2}$)/, '+');
  if (DAY.test(normalised))
    return z.iso.date().safeParse(normalised).success ? instant(`${normalised}T00:00:00+05:30`) : null;
  const zoned = (ZONE.test(normalised) ? normalised : `${normalised}+05:30`).replace(
    /(T\d{2}:\d{2})(?=[zZ+-])/,
    '$1:00',
  );
  const parsed = z.iso
    .datetime({ offset: true })
    .safeParse(zoned.replace(/z$/, 'Z').replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return parsed.success ? instant(parsed.data) : null;
}

const instant = (text: string): string | null => {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(Math.max(0, time)).toISOString();
};

/** A day of the calendar, and a time of the day, as patterns. */
const DATE = `(?:${String(z.toJSONSchema(z.iso.date()).pattern).slice(1, -1)})`;
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?';

/** What `readMoment` reads; the pattern is exact. */
export const Moment = z
  .string()
  .transform((text, context) => {
    const moment = readMoment(text);
    if (moment === null) context.addIssue({ code: 'custom', message: 'not a date or time' });
    return moment ?? z.NEVER;
  })
  .meta({
    description: 'an ISO 8601 date such as 2026-11-20 or time such as 2026-11-20T09:30:00Z',
    pattern: `^${DATE}(?:T${TIME}(?:[zZ]|[+\\- ](?:[01]\\d|2[0-3]):?[0-5]\\d)?)?$`,
    examples: ['2026-11-20'],
  });

/**
 * Here and below, `parameter` is what the description of the API shows in place of the text that arrives: callers think
 * of a number where the address holds digits.
 */
export const YesOrNo = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ description: 'true or false', parameter: { type: 'boolean' } });

/** A whole number that is written in decimal digits. */
export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
    .meta({
      description: `a whole number from ${minimum} to ${maximum}`,
      parameter: { type: 'integer', minimum, maximum },
    });

export const BrandParameter = BrandSlug.describe('the slug of a brand, such as "zudio"');
export const ThemeParameter = Slug.describe('the slug of a theme, such as "quick-commerce"');
export const MoveKind = Move.describe(`one of ${MOVES.join(', ')}`);
export const Cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,512}$/)
  .describe('the next_cursor of the page before, unchanged');

/** For what takes no parameters at all. */
export const NoParameters = z.strictObject({});

/** How often a parameter of several words may be repeated. */
const MAXIMUM_REPEATS = 100;

/**
 * Words that are separated by commas, blanks around them left out, each once. The parameter may be repeated instead, as
 * many generated clients send lists.
 * @param one what each must be
 * @param what says it to people
 */
export const commaSeparated = <One extends z.ZodType<string, string>>(one: One, maximum: number, what: string) =>
  z
    .union([z.string(), z.array(z.string()).max(MAXIMUM_REPEATS)])
    .transform((given) => [
      ...new Set(
        [given]
          .flat()
          .join(',')
          .split(',')
          .map((word) => word.trim()),
      ),
    ])
    .pipe(z.array(one).min(1).max(maximum))
    .meta({
      description: what,
      parameter: { type: 'array', items: z.toJSONSchema(one, { io: 'input' }), minItems: 1, maxItems: maximum },
    });

/**
 * Checks the parameters of a query as they arrived.
 * @param schema a strict object whose fields are described with what they allow
 * @throws Refusal `invalid_request` naming each parameter, what was sent and what is allowed
 */
export const readParameters = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  given: unknown,
): z.output<z.ZodObject<Shape>> => checked(schema, given, 'query');

/**
 * Checks a JSON body.
 * @param schema as for `readParameters`
 * @throws Refusal `invalid_request` naming each field by its path, such as `messages[0].content`, and what is allowed
 */
export const readBody = <Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  given: unknown,
): z.output<z.ZodObject<Shape>> => checked(schema, given, 'body');

/** The path of a field as a message may repeat it: names of unknown fields are a stranger's text. */
const shown = (path: string): string => (/^[\w.[\]-]{0,80}$/.test(path) ? path : quoted(path));

function checked<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  given: unknown,
  place: InputPlace,
): z.output<z.ZodObject<Shape>> {
  const bad = unstorableText(given);
  if (bad) throw new Refusal('invalid_request', `${shown(bad.path) || 'The value'} ${bad.fault}.`);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new Refusal('invalid_request', inputErrorMessage(parsed.error, schema, given, place));
}
