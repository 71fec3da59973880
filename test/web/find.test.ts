/** GET /find: what the box offers while a reader types. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Serving } from '../api/serving.ts';
import { detected, understanding } from '../projector/signal-events.ts';
import { fullRecord } from './full-record.ts';

let site: Serving;
beforeAll(async () => {
  site = await fullRecord();
  await site.append(
    detected('held', { status: 'held', understanding: understanding({ headline: 'Kiri sells secretly' }) }),
  );
});
afterAll(() => site?.close());

const find = async (query: string): Promise<string[]> => {
  const answer = await site.server.inject(`/find?${query}`);
  expect(answer.statusCode).toBe(200);
  return answer.json().hits.map(({ kind, name, path }: Record<string, string>) => `${kind} ${name} ${path}`);
};

describe('names while a reader types', () => {
  it('given the beginning of a name in any case, then brands first, then cities, people, and headlines with the word', async () => {
    expect(await find('q=KIR')).toEqual(['Brand Kiri Foods /brand/kiri-foods']);
    expect(await find('q=pu')).toEqual(['City Pune /city/pune']);
    expect(await find('q=asha')).toContainEqual('Person Asha Rao /signal/slug-kiri-chief');
    expect(await find('q=nagpur')).toEqual([
      'City Nagpur /city/nagpur',
      'Story Maya Stores opens 12 stores in Nagpur /signal/slug-maya-nagpur',
    ]);
  });

  it('given other spaces or a slip of spelling, then the brand too; for a field of brands, nothing else', async () => {
    expect(await find('q=kirifoods')).toContain('Brand Kiri Foods /brand/kiri-foods');
    expect(await find('q=kiri+fods&only=brands')).toEqual(['Brand Kiri Foods /brand/kiri-foods']);
    expect(await find('q=pune&only=brands')).toEqual([]);
  });

  it('given nothing, one letter of no name, or a story that is held, then nothing', async () => {
    for (const query of ['', 'q=', 'q=q', 'q=secretly']) expect(await find(query)).toEqual([]);
  });
});
