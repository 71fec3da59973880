/** Ids are branded types: the type check of these tests fails when one is accepted for another text. */
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { AccountId, accountIdOf } from '../../schemas/access.ts';
import { ItemKey } from '../../schemas/poll.ts';
import { BrandSlug, brandSlugOf, SignalId, type Slug, signalId } from '../../schemas/scalar.ts';
import { signalOfStream, signalStream } from '../../schemas/signal.ts';
import { SourceId } from '../../schemas/source.ts';

describe('the id of an account', () => {
  it('given a name, the id of a signal or of a key, then it is no id of an account', () => {
    expectTypeOf<string>().not.toExtend<AccountId>();
    expectTypeOf<SignalId>().not.toExtend<AccountId>();
    expect(AccountId.safeParse('key_0123456789abcdef').success).toBe(false);
    expect(AccountId.parse(accountIdOf('asha@clarity.test'))).toBe(accountIdOf('asha@clarity.test'));
  });
});

describe('the id of a signal', () => {
  const id = signalId('https://outlet.test/one');

  it('given a slug, then it is no id', () => {
    expectTypeOf<string>().not.toExtend<SignalId>();
    expect(() => SignalId.parse('kiri-opens-40-stores')).toThrow('must be sig_ and 16 hexadecimal characters');
  });

  it('given an id, then it is the text as it was, and names its stream', () => {
    expectTypeOf<SignalId>().toExtend<string>();
    expect(SignalId.parse(id)).toBe(id);
    expect(signalOfStream(signalStream(id))).toBe(id);
  });
});

describe('the key of an item', () => {
  it('given an address or the id of an account, then it is no key of an item before it was made one', () => {
    expectTypeOf<string>().not.toExtend<ItemKey>();
    expectTypeOf<AccountId>().not.toExtend<ItemKey>();
    expect(ItemKey.parse('https://outlet.test/one')).toBe('https://outlet.test/one');
  });
});

describe('the id of a source', () => {
  it('given the name of an outlet or the key of an item, then it is no id of a source', () => {
    expectTypeOf<string>().not.toExtend<SourceId>();
    expectTypeOf<ItemKey>().not.toExtend<SourceId>();
    expect(() => SourceId.parse('Daily Trade')).toThrow('must be kebab-case such as');
    expect(SourceId.parse('daily-trade')).toBe('daily-trade');
  });
});

describe('the slug of a brand', () => {
  it('given a name, the slug of a theme or the id of a signal or a source, then it is no slug of a brand', () => {
    expectTypeOf<string>().not.toExtend<BrandSlug>();
    expectTypeOf<z.infer<typeof Slug>>().not.toExtend<BrandSlug>();
    expectTypeOf<SignalId>().not.toExtend<BrandSlug>();
    expectTypeOf<SourceId>().not.toExtend<BrandSlug>();
    expect(() => BrandSlug.parse('Kiri Foods')).toThrow('must be kebab-case ASCII');
  });

  it('given a slug, then it is the text as it was, and no id of a source', () => {
    expectTypeOf<BrandSlug>().toExtend<string>();
    expectTypeOf<BrandSlug>().not.toExtend<SourceId>();
    expect(BrandSlug.parse('kiri-foods')).toBe('kiri-foods');
  });

  it('given any name, then what is made of it is one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (name) => {
        expect(BrandSlug.safeParse(brandSlugOf(name)).success).toBe(true);
      }),
    );
  });
});
