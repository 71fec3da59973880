import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readArguments } from '../../mcp/tool.ts';

const schema = z.strictObject({ brands: z.array(z.string()).optional(), query: z.string().optional() });

describe('readArguments', () => {
  it.each([
    [{ query: 'a\u0000b' }, 'The argument query contains the character U+0000'],
    [{ brands: ['zudio', 'a\ud800'] }, 'The argument brands[1] contains half of a surrogate pair'],
  ])('given text that cannot be stored, then it is refused and the argument is named', (given, words) => {
    expect(() => readArguments(schema, given)).toThrow(words);
  });
});
