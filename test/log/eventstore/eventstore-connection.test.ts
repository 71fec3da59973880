import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAddress } from '../../../log/eventstore/eventstore-connection.ts';
import { EventStoreUnavailable } from '../../../log/eventstore/eventstore-errors.ts';

describe('the connection string of an event store', () => {
  test.each([
    ['esdb://localhost:2113?tls=false', 'esdb://localhost:2113?tls=false', 'esdb://localhost:2113'],
    ['kurrentdb://a:1,b:2,c', 'esdb://a:1,b:2,c', 'kurrentdb://a:1,b:2,c'],
    [
      'kurrentdb+discover://u:p@store.internal',
      'esdb+discover://u:p@store.internal',
      'kurrentdb+discover://store.internal',
    ],
    ['esdb://u:p%40ss@host:2113/?tlsCAFile=/a%20b', 'esdb://u:p%40ss@host:2113?tlsCAFile=/a%20b', 'esdb://host:2113'],
  ])('given %s, then the client gets %s and messages show %s', (url, connectionString, shown) => {
    expect(readAddress(url)).toMatchObject({ connectionString, shown });
  });

  test.each([
    ['http://localhost:2113', /http:\/\//],
    ['esdb://', /cannot be read/],
    ['esdb://ho st:2113', /ho st/],
    ['esdb://host:2113?tls=false&kepAliveInterval=1', /kepAliveInterval/],
    ['esdb://host:2113?tlsVerifyCert=false', /tlsCAFile/],
    ['esdb://u:50%@host:2113', /%25/],
  ])('given %s, then it is refused with a reason', (url, reason) => {
    expect(() => readAddress(url)).toThrow(EventStoreUnavailable);
    expect(() => readAddress(url)).toThrow(reason);
  });

  test('given any password, then neither the shown address, nor an error, nor a redacted text contains it', () => {
    const secret = fc.string({ minLength: 6, unit: 'grapheme-ascii' }).map((text) => `#${text}#`);
    const broken = fc.constantFrom('', '?nonsense=1', ':port', '/path/', '?tls');
    fc.assert(
      fc.property(secret, broken, (password, rest) => {
        for (const form of [password, encodeURIComponent(password)]) {
          try {
            const { shown, hide } = readAddress(`esdb://anna:${form}@host:2113${rest}`);
            expect(shown).not.toContain(password);
            expect(hide(`failed for ${form}, that is ${password}`)).not.toContain(password);
          } catch (error) {
            expect(String(error)).not.toContain(password);
          }
        }
      }),
    );
  });
});
