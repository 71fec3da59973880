import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { wantReader } from '../../../answer/question/learned-reading.ts';
import {
  isCertain,
  type ModelReading,
  readingOf,
  readingsIn,
  resolveReading,
} from '../../../answer/question/model-reading.ts';
import { readQuestion } from '../../../answer/question/read-query.ts';
import { formOf } from '../../../answer/question/reading-form.ts';
import { EMPTY_QUERY, type TypedQuery } from '../../../answer/question/typed-query.ts';
import { questionModel } from '../../../answer/question-model.ts';
import { loadCatalogue, prepareCatalogue } from '../../../facts/text/catalogue.ts';
import { budgetOfRun, openLanguageModel } from '../../../log/language-model.ts';
import { closeProvider, completion, openProvider } from '../../harness/model-provider.ts';
import { summaryOf } from './query-summary.ts';

const catalogue = prepareCatalogue(await loadCatalogue('deploy/catalogue'));
/** A Saturday, 12:00 in IST. */
const now = new Date('2026-11-21T06:30:00Z');
const readWant = wantReader(null);
const read = async (text: string): Promise<TypedQuery> =>
  (await readQuestion(text, { catalogue, now, readWant })).query;
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
  ])('given what the rules read of %j, in words, then it is resolved to the same query', async (question) => {
    const query = await read(question);
    const reading = readingOf(query);

    expect(readingsIn([formOf(reading)])).toEqual([reading]);
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
      'a topic without a part of it',
      { topics: ['whisky', 'rum'], except: { names: [], topics: ['beer'], places: [], kinds: [] } },
      'list; categories=alcohol',
    ],
    [
      'topics',
      { topics: ['quick commerce', 'Lab-grown diamonds', 'teleporters', 'layoffs'] },
      'list; categories=quick_commerce; themes=lab-grown-diamonds; words=teleporters+layoffs',
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

  it('given a premise of the rules, then it stays where both sides are names', async () => {
    const byRules = await read('Did Reliance acquire Lenskart?');
    expect(byRules.premise).not.toBeNull();

    expect(resolve({ names: ['Lenskart'] }, byRules)).toContain('premise=Reliance Industries > Lenskart');
    const wordy = await read('Did Reliance acquire flibbering?');
    expect(wordy.premise).not.toBeNull();
    expect(resolve({ names: ['Reliance'] }, wordy)).not.toContain('premise');
  });
});

describe('the form in which a model writes', () => {
  it('given a field that is none, then it is ignored; given a value that is none, then the query is dropped', () => {
    const fields = [{ field: 'name', value: 'Zudio' }];
    const good = { intent: 'list', fields: [...fields, { field: 'among', value: 'sig_0123456789abcdef' }] };
    const bad = (field: string, value: string) => ({ intent: 'list', fields: [...fields, { field, value }] });

    expect(readingsIn([good])).toEqual([{ ...readingOf(EMPTY_QUERY), names: ['Zudio'] }]);
    expect(
      readingsIn([bad('kind', 'weather'), bad('limit', 'many'), bad('condition', 'sunny'), bad('by', 'mood')]),
    ).toEqual([]);
    expect(readingsIn([{ ...good, intent: 'sell' }, good])).toHaveLength(1);
    expect(readingsIn(Array.from({ length: 50 }, () => good))).toHaveLength(3);
  });

  it('given a question of the longest length, then all that is sent to read it is at most 4 kB', async () => {
    const sent: string[] = [];
    const url = await openProvider((request, response) => {
      text(request).then((body) => {
        sent.push(body);
        response.setHeader('content-type', 'application/json').end(completion('{"queries":[]}'));
      });
    });
    const options = {
      baseUrl: url,
      apiKey: undefined,
      model: 'm',
      prices: { input: 1, output: 1 },
      budget: budgetOfRun(1),
    };
    await questionModel(openLanguageModel(options)).read({
      question: 'What did Zudio open in Pune last month?',
      today: '2026-11-21',
    });
    closeProvider();

    expect(sent).toHaveLength(1);
    expect(Buffer.byteLength(sent[0] ?? '')).toBeLessThanOrEqual(4_000);
  });
});

describe('whether the rules are certain of all of a question', () => {
  it.each([
    ['How many stores did Zudio open in Pune last month?', true],
    ['show me store openings in South India', true],
    ['Should I buy Trent shares?', false],
    ['Which stores did Zudio open with escalators?', false],
    ['How many stores did Zudio open in Pune last month and who heads it?', false],
    ['How has the profit of Trent changed?', false],
    ['Zudio vs Max', false],
    ['What did Foobarium open?', false],
    ['hi', false],
    ['கிரி ஃபுட்ஸ் என்ன திறந்தது?', false],
  ])('given %j, then %s', async (question, certain) => {
    expect(isCertain(await read(question), question)).toBe(certain);
  });
});
