/** Ids are branded types: the type check of these tests fails when one is accepted for another text. */
import fc from 'fast-check';
import { expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { AccountId, accountIdOf } from '../../schemas/access.ts';
import type { ItemKey } from '../../schemas/poll.ts';
import { BrandSlug, brandSlugOf, SignalId, type Slug, signalId } from '../../schemas/scalar.ts';
import { signalOfStream, signalStream } from '../../schemas/signal.ts';
import { SourceId } from '../../schemas/source.ts';

it('given another text, then it is no id of an account, a signal, an item or a source, and no slug of a brand', () => {
  expectTypeOf<string>().not.toExtend<AccountId>();
  expectTypeOf<SignalId>().not.toExtend<AccountId>();
  expectTypeOf<string>().not.toExtend<SignalId>();
  expectTypeOf<string>().not.toExtend<ItemKey>();
  expectTypeOf<AccountId>().not.toExtend<ItemKey>();
  expectTypeOf<string>().not.toExtend<SourceId>();
  expectTypeOf<ItemKey>().not.toExtend<SourceId>();
  expectTypeOf<BrandSlug>().not.toExtend<SourceId>();
  expectTypeOf<string>().not.toExtend<BrandSlug>();
  expectTypeOf<z.infer<typeof Slug>>().not.toExtend<BrandSlug>();
  expectTypeOf<SignalId>().not.toExtend<BrandSlug>();
  expectTypeOf<SourceId>().not.toExtend<BrandSlug>();
  expect(AccountId.safeParse('key_0123456789abcdef').success).toBe(false);
  expect(() => SignalId.parse('kiri-opens-40-stores')).toThrow('must be sig_ and 16 hexadecimal characters');
  expect(() => SourceId.parse('Daily Trade')).toThrow('must be kebab-case such as');
  expect(() => BrandSlug.parse('Kiri Foods')).toThrow('must be kebab-case ASCII');
});

it('given an id, then it is the text as it was, and that of a signal names its stream', () => {
  const id = signalId('https://outlet.test/one');
  expectTypeOf<SignalId>().toExtend<string>();
  expect(signalOfStream(signalStream(SignalId.parse(id)))).toBe(id);
  expect(AccountId.parse(accountIdOf('asha@clarity.test'))).toBe(accountIdOf('asha@clarity.test'));
});

it('given any name, then what is made of it is the slug of a brand', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (name) => {
      expect(BrandSlug.safeParse(brandSlugOf(name)).success).toBe(true);
    }),
  );
});
