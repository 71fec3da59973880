import { describe, expect, it } from 'vitest';
import { isTally, leadOf } from '../../../ingest/match/headline-signs.ts';

describe('the lead of an item', () => {
  it.each([
    ['{Funding Alert} Anaya Silks Bags Rs 42 Cr', 'Anaya Silks Bags Rs 42 Cr'],
    ['Retail India News: Brewbarn Opens in Pune', 'Brewbarn Opens in Pune'],
    ['[Update] Exclusive: Tallgrass names a CEO', 'Tallgrass names a CEO'],
    ['Brewbarn opens in Pune', 'Brewbarn opens in Pune'],
    ['{Funding Alert}', '{Funding Alert}'],
  ])('%s reads %s', (title, wanted) => expect(leadOf(title, null).title).toBe(wanted));

  it('is the first story of a digest', () => {
    expect(leadOf('Brewbarn Bags $4 Mn, Tallgrass IPO Day 2 & More', 'Brewbarn raised. Tallgrass rose.')).toEqual({
      title: 'Brewbarn Bags $4 Mn',
      summary: 'Brewbarn raised.',
      digest: true,
    });
    expect(leadOf('Brewbarn raises money for cafes; Tallgrass names a new chief', null).title).toBe(
      'Brewbarn raises money for cafes',
    );
  });

  it('is the complete headline when it reports two facts of one story', () => {
    for (const title of [
      'Brewbarn files for Rs 900 crore IPO; aims to list in July',
      'Brewbarn Nets $6 Mn; Eyes IPO In Two Years',
    ])
      expect(leadOf(title, null)).toMatchObject({ title, digest: false });
  });

  it('distinguishes a tally from one event', () => {
    expect(isTally('Startups raised $426 Mn this week')).toBe(true);
    expect(isTally('Brewbarn raises $4 Mn')).toBe(false);
  });
});
