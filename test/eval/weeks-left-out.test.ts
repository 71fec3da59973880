import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LabelledItem } from '../../eval/labelled-items.ts';
import { chooseFolds, isoWeekOf, leaveOutWeeks } from '../../eval/weeks-left-out.ts';
import { smallCatalogue } from '../ingest/understand/small-catalogue.ts';

describe('weeks left out', () => {
  it('given days around a new year, then each has the week of its Thursday', () => {
    expect(['2026-06-08', '2026-06-14', '2027-01-01', '2026-12-28', '2025-12-29'].map(isoWeekOf)).toEqual([
      '2026-W24',
      '2026-W24',
      '2026-W53',
      '2026-W53',
      '2026-W01',
    ]);
    expect(() => isoWeekOf('soon')).toThrow('"soon" is no date');
  });

  it('given ten weeks, then every fold has some, and no two weeks in a row share one', () => {
    const days = Array.from({ length: 70 }, (_, day) => new Date(Date.UTC(2026, 5, 1 + day)).toISOString());
    const folds = [...chooseFolds(days).values()];
    expect(folds).toHaveLength(10);
    expect(new Set(folds).size).toBe(3);
    expect(folds.filter((fold, week) => week > 0 && fold === folds[week - 1])).toEqual([]);
  });

  it('given a word that only one week uses, then the models for that week do not know it', async () => {
    const item = (date: string, title: string, move: string) =>
      LabelledItem.parse({
        key: title,
        date,
        outlet: 'Shop News',
        url: 'https://shopnews.example/1',
        title,
        relevant: true,
        move,
        primary: ['HUL'],
      });
    const items = Object.entries({ '2026-06-03': 'kirana', '2026-06-10': 'godown' }).flatMap(([date, word]) =>
      [1, 2, 3].flatMap((index) => [
        item(date, `HUL opens ${index} ${word}s in Pune`, 'stores'),
        item(date, `HUL raises ₹${index} crore`, 'deals'),
      ]),
    );
    const folder = await mkdtemp(join(tmpdir(), 'clarity-weeks-'));
    const folds = await leaveOutWeeks(folder, items, { own: [], newsroom: [] }, smallCatalogue);
    await rm(folder, { recursive: true });
    const wordsOf = async (date: string, title: string): Promise<string> => {
      const fold = folds.find(({ holds }) => holds(date));
      const verdict = await fold?.understander.understand({
        title,
        summary: null,
        url: '',
        outlet: '',
        published_at: date,
      });
      return verdict?.reasons.find(({ field }) => field === 'move')?.words ?? '';
    };
    expect(await wordsOf('2026-06-03', 'HUL opens 5 kiranas in Pune')).not.toContain('kirana');
    expect(await wordsOf('2026-06-03', 'HUL opens 5 godowns in Pune')).toContain('godown');
    expect(await wordsOf('2026-06-10', 'HUL opens 5 kiranas in Pune')).toContain('kirana');
    expect(folds.filter(({ holds }) => holds('2026-08-10'))).toEqual([]);
    expect(folds.every(({ understander }) => !understander.isEncoded)).toBe(true);
  });
});
