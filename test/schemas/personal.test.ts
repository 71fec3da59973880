/** Every text in an event is declared: a person's own, which the store encrypts, or open. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EVENTS, personalFieldsOf } from '../../schemas/events.ts';
import { declared, ERASED, open, personal, personalFields } from '../../schemas/personal.ts';

/** Fields by which a person is behind an event: each of its fields is declared by itself. */
const OF_A_PERSON = ['account', 'account_id', 'email', 'session_id', 'investigation_id'];

/** Whether a value of a schema can contain words of anybody's choice: a text without a format or pattern. */
function takesWords(schema: z.core.$ZodType, within: readonly z.core.$ZodType[] = []): boolean {
  if (within.includes(schema)) return false;
  const inside = (inner: z.core.$ZodType): boolean => takesWords(inner, [...within, schema]);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return !hasPattern(def);
    case 'object':
      return Object.values(def.shape).some(inside);
    case 'array':
      return inside(def.element);
    case 'union':
      return def.options.some(inside);
    case 'record':
      return inside(def.keyType) || inside(def.valueType);
    case 'tuple':
      return def.items.some(inside);
    case 'lazy':
      return inside(def.getter());
    case 'pipe':
      return inside(def.in);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return inside(def.innerType);
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'null':
    case 'undefined':
    case 'literal':
    case 'enum':
      return false;
    default:
      return true;
  }
}
/** Whether a text has a format or a pattern. An address of a person has a format, and is theirs all the same. */
const hasPattern = (def: z.core.$ZodStringDef): boolean =>
  [def, ...(def.checks ?? []).map(({ _zod }) => _zod.def)].some((part) => 'format' in part && part.format !== 'email');

/** The fields of an event that take words and are not declared. */
function undeclared(schema: z.ZodType): readonly string[] {
  if (!(schema instanceof z.ZodObject)) return declared(schema) ? [] : ['(all)'];
  const fields = Object.entries<z.ZodType>(schema.shape);
  const isOfAPerson = fields.some(([name]) => OF_A_PERSON.includes(name));
  if (declared(schema) && !isOfAPerson) return [];
  return fields.flatMap(([name, field]) => (name === 'by' || declared(field) || !takesWords(field) ? [] : [name]));
}

describe('the schemas of events', () => {
  const versions = Object.entries(EVENTS).flatMap(([type, schemas]) =>
    Object.entries<z.ZodType>(schemas).map(([version, schema]) => ({ type, version, schema })),
  );

  it.each(versions)('declare each text of $type $version', ({ schema }) => {
    expect(undeclared(schema)).toEqual([]);
  });

  it.each(versions)('replace an erased field of $type $version by a value that they take', ({ schema }) => {
    if (!(schema instanceof z.ZodObject)) return;
    for (const [name, { erased }] of personalFields(schema)) {
      const field = schema.shape[name] as z.ZodType | undefined;
      if (field && name !== 'by') expect(field.safeParse(erased).success, name).toBe(true);
    }
  });

  it('find a text that nobody declared', () => {
    const text = z.object({ account_id: z.literal('acc'), note: z.string().max(9).nullable() });
    expect(undeclared(text)).toEqual(['note']);
    expect(undeclared(open(text.extend({ other: z.literal(1) })))).toEqual(['note']);
    expect(undeclared(z.object({ note: personal(z.string(), 'address', ERASED) }))).toEqual([]);
    expect(undeclared(z.object({ list: z.array(z.object({ deep: z.string().optional() })) }))).toEqual(['list']);
    expect(undeclared(z.object({ slug: z.string().regex(/^a+$/), at: z.iso.datetime() }))).toEqual([]);
  });

  it('seal the reading of a question with its words', () => {
    expect([...personalFieldsOf('QuestionAnswered').keys()].toSorted()).toEqual(
      ['by', 'citations', 'content', 'query', 'question'].toSorted(),
    );
    expect([...personalFieldsOf('ProposalSubmitted').keys()].toSorted()).toEqual(['by', 'email', 'outlet', 'reason']);
  });
});
