import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldsOf, readInput, TextFile } from '../../operations/fields.ts';

const input = z.object({
  id: z.string().min(1),
  count: z.number().min(1).max(9).nullable().optional().describe('a number from 1 to 9'),
  kind: z.enum(['one', 'other']).optional(),
  names: z.array(z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional().meta({ separator: ':' }),
  file: TextFile.optional(),
  dry_run: z.boolean().default(false),
});

describe('the fields of an action', () => {
  it('given a schema, then each field has its kind, and whether it is required', () => {
    expect(fieldsOf(input).map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['id', 'text', true],
      ['count', 'number', false],
      ['kind', 'choice', false],
      ['names', 'list', false],
      ['headers', 'map', false],
      ['file', 'file', false],
      ['dry_run', 'flag', false],
    ]);
  });

  it('given texts of a form, then they are read as the schema has them, and other fields are ignored', () => {
    const sent = {
      id: 'a',
      count: '3',
      names: 'one\n\ntwo',
      headers: 'X-Key: v',
      file: 'text',
      dry_run: 'on',
      form_token: 't',
    };
    expect(readInput({ input }, sent)).toEqual({
      id: 'a',
      count: 3,
      names: ['one', 'two'],
      headers: { 'X-Key': 'v' },
      file: { name: 'the text', text: 'text' },
      dry_run: true,
    });
  });

  it('given an emptied field that may have no value, then it has none', () => {
    expect(readInput({ input }, { id: 'a', count: '' })).toMatchObject({ count: null });
  });

  it.each([
    [{ id: 'a', count: '12' }, 'count: 12 cannot be used. Allowed: a number from 1 to 9.'],
    [{ id: 'a', count: 'many' }, 'count: "many" cannot be used. Allowed: a number from 1 to 9.'],
    [{ id: 'a', kind: 'third' }, 'kind: "third" cannot be used. Allowed: one, other.'],
    [{ id: 'a', headers: ['no separator'] }, 'headers: it must be name:value.'],
    [{}, 'id is missing. Allowed:'],
  ])('given %j, then it is refused with field, value and what is allowed', (sent, message) => {
    expect(() => readInput({ input }, sent)).toThrow(message);
  });
});
