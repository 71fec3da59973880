import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Configuration } from '../../schemas/configuration.ts';

const page = readFileSync(new URL('../../docs/operators.md', import.meta.url), 'utf8');
const settings = page.slice(page.indexOf('## Settings'), page.indexOf('## Roster'));

describe('the page for operators', () => {
  it('names every setting, and no other', () => {
    const named = settings.split('\n').flatMap((line) => {
      const [, first = ''] = line.split('|');
      return [...first.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);
    });
    expect(named.toSorted()).toEqual(Object.keys(Configuration.shape).toSorted());
  });
});
