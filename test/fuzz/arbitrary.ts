/** Generates values from JSON schemas: mostly valid, sometimes nearly valid, sometimes hostile. */
import fc from 'fast-check';

export type Json = Record<string, unknown>;

/** Texts that are known to break programs. */
export const HOSTILE = [
  '',
  ' ',
  "'",
  "' OR 1=1 --",
  '"; DROP TABLE read.signals; --',
  '\u0000',
  '\ud800',
  '\u202e',
  '%00',
  '%',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '=cmd|calc',
  '{{7*7}}',
  '$' + '{7*7}',
  'a\r\nSet-Cookie: x=1',
  '9'.repeat(400),
  '-1',
  '1e309',
  'NaN',
  '2026-02-30',
  '2026-11-21T25:61:00Z',
  '0000-00-00',
  '275760-09-13T00:00:00.001Z',
  '🙂'.repeat(50),
  'a'.repeat(5_000),
  '__proto__',
  'constructor',
  'null',
  'sig_0123456789abcdef',
  'zudio',
] as const;

const hostileText = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', maxLength: 60 }));

function textOf({ enum: allowed, minLength = 0, maxLength = 200, format }: Json): fc.Arbitrary<unknown> {
  if (Array.isArray(allowed)) return fc.constantFrom(...allowed);
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'uri') return fc.webUrl({ withQueryParameters: true });
  if (format === 'email') return fc.emailAddress();
  return fc.string({ unit: 'grapheme', minLength: Number(minLength), maxLength: Math.min(Number(maxLength), 600) });
}

/** Values that are valid for the schema. @param resolve returns a schema by its `$ref` */
export function asAsked(schema: Json, resolve: (reference: string) => Json): fc.Arbitrary<unknown> {
  const inner = (one: unknown): fc.Arbitrary<unknown> => asAsked(one as Json, resolve);
  if (typeof schema.$ref === 'string') return inner(resolve(schema.$ref));
  for (const several of ['oneOf', 'anyOf'] as const)
    if (Array.isArray(schema[several])) return fc.oneof(...(schema[several] as unknown[]).map(inner));
  if ('const' in schema) return fc.constant(schema.const);
  const [type] = [schema.type].flat();
  switch (type) {
    case 'integer':
    case 'number':
      return fc.integer({
        min: Math.max(Number(schema.minimum ?? -100), -1e9),
        max: Math.min(Number(schema.maximum ?? 1_000), 1e9),
      });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(inner(schema.items ?? {}), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: Math.min(Number(schema.maxItems ?? 5), 30),
      });
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Json);
      const required = (schema.required ?? []) as string[];
      return fc.record(Object.fromEntries(properties.map(([name, one]) => [name, inner(one)])), {
        requiredKeys: required,
      });
    }
    case 'null':
      return fc.constant(null);
    default:
      return textOf(schema);
  }
}

/** A value for a query or a path: valid two times in three, else hostile. */
export const parameterOf = (schema: Json, resolve: (reference: string) => Json): fc.Arbitrary<string> =>
  fc.oneof({ weight: 2, arbitrary: asAsked(schema, resolve).map(String) }, { weight: 1, arbitrary: hostileText });

/** A body: valid, valid with one field changed or added, or any JSON. */
export function bodyOf(schema: Json, resolve: (reference: string) => Json): fc.Arbitrary<unknown> {
  const good = asAsked(schema, resolve);
  const spoiled = fc
    .tuple(good, fc.nat(20), fc.oneof(hostileText, fc.jsonValue({ maxDepth: 3 })), fc.boolean())
    .map(([value, place, spoil, adds]) => {
      if (value === null || typeof value !== 'object' || Array.isArray(value)) return spoil;
      const names = Object.keys(value);
      const name = adds ? 'unasked' : names[place % Math.max(1, names.length)];
      return name === undefined ? spoil : { ...value, [name]: spoil };
    });
  return fc.oneof(good, spoiled, fc.jsonValue({ maxDepth: 3 }));
}
