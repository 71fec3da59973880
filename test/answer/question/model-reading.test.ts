import { describe, expect, it } from 'vitest';
import {
  isFullyRead,
  ModelReading,
  readingOf,
  resolveReading,
  topicsOf,
} from '../../../answer/question/model-reading.ts';
import { readQuestion } from '../../../answer/question/read-query.ts';
import { EMPTY_QUERY, type TypedQuery } from '../../../answer/question/typed-query.ts';
import { loadCatalogue, prepareCatalogue } from '../../../facts/text/catalogue.ts';
import { summaryOf } from './query-summary.ts';

const catalogue = prepareCatalogue(await loadCatalogue('deploy/catalogue'));
/** A Saturday, 12:00 in IST. */
const now = new Date('2026-11-21T06:30:00Z');
const read = (text: string): TypedQuery => readQuestion(text, catalogue, now);
const resolve = (changes: Partial<ModelReading>, byRules = EMPTY_QUERY): string => {
  const reading = { ...readingOf(EMPTY_QUERY), ...changes };
  const query = resolveReading(reading, { catalogue, now, known: [], byRules });
  return query ? summaryOf(query) : 'nothing';
};

describe('a reading of a model', () => {
  it.each([
    'How many stores did Zudio open in Pune last month?',
    'Who raised more, Nykaa or Purplle?',
    'Which jewellery brands other than Tanishq opened stores outside Mumbai since Diwali?',
    'Top 5 cities by store openings this fiscal',
    'who is the new CFO of Trent',
    'Which companies posted losses in Q1?',
    'Which brands grew more than 20% in Q2 FY27?',
    'funding rounds above Rs 100 crore this year',
    'M&A in QSR last quarter',
    'openings in NCR excluding quick commerce',
    'stories reported by at least 3 outlets this week',
    'Compare Zudio and Max store openings this month vs last month',
    'did Peak XV invest in Purplle?',
    'What did Foobar Mart open in UP?',
  ])('given what the rules read of %j, in words, then it is resolved to the same query', (question) => {
    const query = read(question);
    const reading = readingOf(query);

    expect(ModelReading.parse(reading)).toEqual(reading);
    const resolved = resolveReading(reading, { catalogue, now, known: [], byRules: query });
    expect(resolved && summaryOf(resolved)).toBe(summaryOf(query));
  });

  it.each<[string, Partial<ModelReading>, string]>([
    [
      'aliases and other spellings',
      { names: ['DMart', 'Max'], places: ['Bombay', 'UP', 'the South'] },
      'list; brands=dmart+max-fashion; places=Mumbai+Uttar Pradesh+South India',
    ],
    [
      'an outlet and an investor',
      { names: ['Mint', 'Peak XV'] },
      'list; mentions=outlet Mint+investor Peak XV Partners',
    ],
    ['a slug', { names: ['max-fashion'] }, 'list; brands=max-fashion'],
    [
      'topics',
      { topics: ['quick commerce', 'Lab-grown diamonds', 'teleporters'] },
      'list; categories=quick_commerce; themes=lab-grown-diamonds; words=teleporters',
    ],
    [
      'a place that nothing knows',
      { names: ['Zudio'], places: ['Atlantis'] },
      'list; brands=zudio; unknown_names=Atlantis',
    ],
    [
      'a kind of shop with a brand',
      { names: ['Starbucks'], topics: ['restaurants and cafes'] },
      'list; brands=starbucks',
    ],
    [
      'a seat in full',
      { kinds: ['people'], person: { role: 'Chief Executive Officer', direction: null, name: ' ', asks: null } },
      'list; kinds=people; person=CEO',
    ],
    [
      'a result without its figure',
      { intent: 'result', names: ['Trent'] },
      'result; brands=trent; kinds=results; metric=any',
    ],
    [
      'fields that its kinds do not have',
      {
        names: ['Trent'],
        kinds: ['launches'],
        store_status: 'opened',
        metric: 'profit',
        measure: 'stores',
        by: 'city',
      },
      'list; brands=trent; kinds=launches',
    ],
    ['numbers that are none', { names: ['Trent'], limit: -3, minimum_outlets: 1.5 }, 'list; brands=trent'],
    [
      'a time to come',
      { names: ['Trent'], period: { first_day: '2027-01-01', last_day: '2027-01-31', fiscal: null } },
      'list; brands=trent',
    ],
    ['words that ask', { names: ['Trent'], words: ['the', 'stores', 'robots'] }, 'list; brands=trent; words=robots'],
    ['an intent alone', { intent: 'count' }, 'nothing'],
  ])('given %s, then it is read as by the rules', (_, reading, summary) => {
    expect(resolve(reading)).toBe(summary);
  });

  it('given a premise of the rules, then it stays where both sides are names', () => {
    const byRules = read('Did Reliance acquire Lenskart?');
    expect(byRules.premise).not.toBeNull();

    expect(resolve({ names: ['Lenskart'] }, byRules)).toContain('premise=Reliance Industries > Lenskart');
    const wordy = read('Did Reliance acquire flibbering?');
    expect(wordy.premise).not.toBeNull();
    expect(resolve({ names: ['Reliance'] }, wordy)).not.toContain('premise');
  });
});

describe('the topics that a model may name', () => {
  it('then each is one that questions can name', () => {
    const unread = topicsOf(catalogue).filter((topic) =>
      resolve({ names: ['Zudio'], topics: [topic] }).includes('words='),
    );

    expect(unread).toEqual([]);
  });
});

describe('whether the rules have read all of a question', () => {
  it.each([
    ['How many stores did Zudio open in Pune last month?', true],
    ['show me store openings in South India', true],
    ['Should I buy Trent shares?', true],
    ['Which stores did Zudio open with escalators?', false],
    ['What did Foobarium open?', false],
    ['hi', false],
    ['கிரி ஃபுட்ஸ் என்ன திறந்தது?', false],
  ])('given %j, then %s', (question, full) => {
    expect(isFullyRead(read(question))).toBe(full);
  });
});
