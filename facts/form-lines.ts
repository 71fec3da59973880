/** Facts as operators write them: a line for each fact, its parts between bars. What is shown is in the form that is read. */
import { z } from 'zod';
import { type Facts, fieldsWith, withContinued } from '../schemas/facts.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import type { FactKind } from './fact.ts';

/** A part of a line, as the schema of the fact has it. */
interface Part {
  readonly name: string;
  readonly what: string;
  readonly schema: z.ZodType;
  readonly isRequired: boolean;
}

const partsOf = ({ form, stored }: FactKind): Part[] =>
  form.parts.map((part) => {
    const [name, what] = typeof part === 'string' ? [part, part] : part;
    let schema = stored.schema.shape[name] as z.ZodType;
    let isRequired = true;
    while (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
      schema = schema.unwrap() as z.ZodType;
      isRequired = false;
    }
    return { name, what, schema, isRequired };
  });

/** Whether a text states one fact of the kind at most. */
export const isSingle = ({ stored: { fields, field } }: FactKind): boolean =>
  Object.keys(fields).length === 1 && fieldTakes(fields[field], null);
const fieldTakes = (field: unknown, value: unknown): boolean => (field as z.ZodType).safeParse(value).success;

const choices = (schema: z.ZodType): readonly string[] | null =>
  schema instanceof z.ZodEnum ? (schema.options as string[]) : null;

/** A part of a fact as a field of a form. */
export interface FormPart {
  readonly what: string;
  readonly choices: readonly string[] | null;
  readonly isDay: boolean;
}

/** The parts of the facts of a kind, in the order of a line. */
export const formParts = (fact: FactKind): FormPart[] =>
  partsOf(fact).map(({ what, schema }) => ({ what, choices: choices(schema), isDay: schema instanceof z.ZodISODate }));

/** How the facts of a kind are written, for labels and for `--help`. */
export function formHelp(fact: FactKind): string {
  const parts = partsOf(fact).map(({ what, schema }) =>
    schema instanceof z.ZodISODate ? 'YYYY-MM-DD' : (choices(schema)?.join('/') ?? what),
  );
  return `${isSingle(fact) ? '' : 'a line each: '}${parts.join(' | ')}; empty for none`;
}

const written = (value: unknown): string => [value ?? ''].flat().join(', ').replaceAll('|', '/');

/** The facts of a kind in a text as `readFacts` reads them. */
export const writeFacts = (fact: FactKind, text: Partial<Facts>): string =>
  Object.keys(fact.stored.fields)
    .flatMap((field) => (text as Record<string, unknown>)[field] ?? [])
    .map((one) =>
      fact.form.parts
        .map((part) => written((one as Record<string, unknown>)[typeof part === 'string' ? part : part[0]]))
        .join(' | ')
        .replace(/(?: \|\s*)+$/, ''),
    )
    .join('\n');

/** The lines of a text, without empty ones. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Says what is wrong with a line, and what is right. */
export const wrongLine = (field: string, line: string, why: string, allowed: string): Refusal =>
  new Refusal('invalid_request', `${field}: ${quoted(line)} ${why}. Allowed: ${allowed}.`);

/** Reads a part. @param refuse throws a refusal of the line for a reason */
function readPart({ what, schema, isRequired }: Part, text: string, place: string, refuse: (why: string) => never) {
  if (schema instanceof z.ZodArray)
    return text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
  const allowed = choices(schema);
  if (allowed && (text || isRequired))
    return (
      allowed.find((value) => value === text.toLowerCase()) ?? refuse(`${place} with none of ${allowed.join(', ')}`)
    );
  if (!text) return isRequired ? refuse(`names no ${what}`) : null;
  if (schema instanceof z.ZodNumber) {
    const number = Number(text.replace(/\s?%$/, ''));
    const isWhole = schema instanceof z.ZodNumberFormat;
    if (Number.isFinite(number) && (!isWhole || (Number.isInteger(number) && number >= 0))) return number;
    return refuse(`has ${quoted(text)} where a ${isWhole ? 'whole ' : ''}number belongs`);
  }
  if (!schema.safeParse(text).success) return refuse(`has ${quoted(text)} as its day`);
  return text;
}

/**
 * Reads the facts of a kind as operators write them.
 * @returns the field of the kind, and those that continue it
 * @throws Refusal that names the field, the line and what is allowed
 */
export function readFacts(fact: FactKind, text: string): Partial<Facts> {
  const { field, fields, schema } = fact.stored;
  const parts = partsOf(fact);
  const facts = linesOf(text).map((line) => {
    const refuse = (why: string): never => {
      throw wrongLine(field, line, why, formHelp(fact));
    };
    const texts = line.split('|').map((part) => part.trim());
    if (texts.length > parts.length) refuse(`has ${texts.length} parts, at most ${parts.length} are known`);
    const values = parts.map((part, index) => {
      const place = index === 0 ? 'begins' : index === parts.length - 1 ? 'ends' : `has part ${index + 1}`;
      return [part.name, readPart(part, texts[index] ?? '', place, refuse)];
    });
    return schema.parse(Object.fromEntries(values));
  });
  if (facts.length > 1 && isSingle(fact)) throw wrongLine(field, text, `is more than one ${field}`, formHelp(fact));
  const none = fieldTakes(fields[field], null) ? null : [];
  return withContinued({ [field]: none, ...fieldsWith(fact.kind, facts) });
}
