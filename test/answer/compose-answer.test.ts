/** Drafts from queries and evidence that are given: lists, facts, reasons and refusals. Pure. */
import { describe, expect, it } from 'vitest';
import { compose } from '../../answer/answer-question.ts';
import { disagreements } from '../../answer/compose/disagreement.ts';
import { list, why } from '../../answer/compose/list-answers.ts';
import { bullet, statedBesides } from '../../answer/compose/sentences.ts';
import { confidenceOf, type Draft } from '../../answer/draft.ts';
import { type Evidence, evidenceOf } from '../../answer/evidence.ts';
import type { Found } from '../../answer/find-evidence.ts';
import { EMPTY_QUERY, INTENTS, isCounted, type TypedQuery } from '../../answer/question/typed-query.ts';
import type { Result } from '../../facts/results/fields.ts';
import type { SignalText } from '../../schemas/resources.ts';
import { StoredSignalId } from '../../schemas/scalar.ts';
import { brandSlug } from '../harness/ids.ts';
import { result } from '../projector/signal-events.ts';

import {
  BRANDS,
  checkDraft,
  citedIn,
  type DraftCase,
  dealt,
  draftOf,
  evidence,
  foundOf,
  leadOf,
  named,
  opened,
  periodOf,
  placed,
  queryOf,
  REFUSED,
  type TestBrand,
} from './evidence.ts';
import { catalogue } from './record.ts';

type Query = Partial<TypedQuery>;
const kiri = { brands: named('kiri-foods') } satisfies Query;

/** A report of a result of a company. */
const reported = (
  changes: Partial<Result> = {},
  brand: TestBrand = 'kiri-foods',
  { headline, ...signal }: Partial<SignalText> = {},
): Evidence => {
  const own = result({ company: BRANDS[brand], ...changes });
  const words = `${own.company} ${own.metric} of ${own.period}: ${own.value} (${own.growth_pct}%)`;
  return evidence(headline ?? words, brand, { signal: { move: 'results', ...signal }, results: [own] });
};

describe('what else the reports of a signal say', () => {
  const deal = evidence('Tilak sells its stake in Kiri Foods', 'kiri-foods', {
    signal: {
      summary:
        'The shares were sold at Rs 508 apiece in a block trade. Asha Ventures led the buyers of the holding on 3 June. Tilak sells its stake.',
    },
  });
  const linesOf = (words: readonly string[], said = deal.headline): string =>
    statedBesides(words, said, deal)
      .map(({ markdown }) => markdown)
      .join(' ');

  it('given lines with what the answer lacks, then they are quoted, the one with words of the question first', () => {
    const [price, buyer] = [
      '“The shares were sold at Rs 508 apiece in a block trade.”',
      '“Asha Ventures led the buyers of the holding on 3 June.”',
    ];

    expect(linesOf(['apiece'])).toContain(`${price} — ${buyer}`);
    expect(linesOf(['led', 'buyers'])).toContain(`${buyer} — ${price}`);
  });

  it('given lines that the answer has said in other words, then they are not repeated', () => {
    expect(linesOf([], `${deal.headline}. The shares were sold at Rs 508 apiece in a block trade.`)).not.toContain(
      '508',
    );
    expect(linesOf([], deal.stored)).toBe('');
  });
});

describe('news of companies', () => {
  it('given two companies, then what is about both comes first, and what only mentions one last', () => {
    const both = evidence('Kiri Foods clears up its quarrel with Maya Stores', 'kiri-foods', { signal: {} });
    const asked = { intent: 'happened', brands: named('kiri-foods', 'maya-stores') } satisfies Partial<TypedQuery>;
    const about = { ...both, about: [brandSlug('kiri-foods'), brandSlug('maya-stores')] };
    const mention = { ...evidence('A designer of Kiri Foods starts a label', null), salience: 9 };

    expect(leadOf(draftOf(asked, [mention, evidence('Kiri Foods opens'), about]))).toContain('quarrel');
  });
});

describe('figures that are wanted', () => {
  it('given a question about targets, then reported figures are no answer, and the reverse', () => {
    const row = (metric: string, value: string) => reported({ metric, value, growth_pct: null });
    const all = [row('revenue', '₹20,000 Cr'), row('expected revenue', '₹30,000 Cr')];
    const condition = { metric: 'revenue', is: 'above', value: 1e11, unit: 'rupees' } as const;
    const above = (words: string[]): string =>
      leadOf(draftOf({ kinds: ['results'], metric: 'revenue', condition, words }, all));

    expect(above(['targeting'])).toContain('30,000');
    expect(above([])).toContain('20,000');
  });
});

describe('a list', () => {
  const [newer, older, best] = [
    evidence('Kiri Foods bottles water', 'kiri-foods', { day: '2026-11-18' }),
    evidence('Kiri Foods leases a depot', 'kiri-foods', { day: '2026-10-02' }),
    evidence('Kiri Foods bottles mango juice', 'kiri-foods', { day: '2026-09-01' }),
  ];
  const all = [best, older, newer];
  const facts = ['The chain has 40 shops.', 'It will spend ₹90 crore by 2030.'];
  const expands = evidence('Kiri Foods expands', 'kiri-foods', { signal: { summary: facts[0], key_facts: facts } });
  const opens = evidence('Kiri Foods opens in Pune');
  const leases = evidence('Kiri Foods leases a shop');
  const staff = evidence('Kiri Foods pays its employees late');
  const HEADCOUNT = { ...kiri, words: ['headcount'] } satisfies Query;
  const FY26 = periodOf('2025-04-01', '2026-04-01', 'in FY26', 'FY26');
  const [small, big] = [
    evidence('Kiri Foods paints a wall'),
    evidence('Kiri Foods leaves Pune', 'kiri-foods', { signal: { outlets: 9 } }),
  ];

  it.each<DraftCase>([
    [
      'evidence: the best, then the others, the newest first',
      kiri,
      all,
      { basis: 'named', cited: [best, newer, older] },
    ],
    [
      'an order and a limit',
      { ...kiri, order: 'oldest', limit: 2 },
      all,
      { cited: [best, older], notes: /\b2 of 3 signals\b/ },
    ],
    ['a word that only a further line has', { words: ['2030'] }, [expands], { lead: /by 2030/ }],
    ['another such word', { words: ['chain'] }, [expands], { lead: /40 shops/ }],
    ['the rent of a store, which no report mentions', { words: ['rent'] }, [opens], { basis: 'none' }],
    ['the rent of a store that is leased', { words: ['rent'] }, [leases], { basis: 'likely' }],
    ['an attribute that is only meant, in a list', { ...HEADCOUNT, intent: 'list' }, [staff], { basis: 'none' }],
    ['an attribute that is only meant, in news', { ...HEADCOUNT, intent: 'happened' }, [staff], { basis: 'none' }],
    ['a period that begins before the record', { ...kiri, period: FY26 }, [best], { notes: /27 May 2026/ }],
    ['news in no order: the weightiest first', { ...kiri, intent: 'happened' }, [small, big], { cited: [big, small] }],
  ])('given %s', checkDraft);

  it('given a direct answer, then it is the best alone', () => {
    expect(draftOf(kiri, all).lead.map(({ ids }) => ids)).toEqual([[best.signal.id]]);
  });

  it('given more signals than were read, then the list says that there are more', () => {
    const cut = list(queryOf({ limit: 2 }), foundOf(all, { isCut: true }));

    expect(cut.notes[0]).toContain('2 of more than 3 signals');
  });

  it.each<[string, Query, Partial<Found>, Draft['basis']]>([
    ['all words', { words: ['mango'] }, {}, 'likely'],
    ['most words', { words: ['mango', 'pulp'] }, { unmet: ['pulp'], coverage: 0.6 }, 'likely'],
    ['few words', { words: ['mango', 'pulp'] }, { unmet: ['pulp'], coverage: 0.3 }, 'loosely'],
    ['a filter given up', {}, { givenUp: ['store_status'] }, 'nearest'],
  ])('given %s, then the basis of the answer says so, and so do its notes', (_, changes, found, basis) => {
    const draft = draftOf({ ...kiri, ...changes }, [best], { found });

    expect(draft.basis).toBe(basis);
    for (const word of found.unmet ?? []) expect(draft.notes.join(' ')).toContain(`“${word}”`);
    expect(draft.notes.length > 0).toBe(found.unmet !== undefined || basis === 'nearest');
  });

  it('given a summary, then it is quoted where it adds something and is not long', () => {
    const quotesOf = (summary: string): number =>
      bullet(evidence('Kiri Foods opens a store', 'kiri-foods', { signal: { summary } })).quotes.length;

    expect([quotesOf('It is the first.'), quotesOf('Kiri Foods opens'), quotesOf('x'.repeat(401))]).toEqual([2, 1, 1]);
  });

  it('given an outlet with a name that is Markdown, then it is text on one line', () => {
    const outlet = '[Daily](https://evil.test)\n# Trade';
    const reports = [{ outlet, url: 'https://outlet.test', headline: 'Kiri Foods opens', published_at: null }];
    const { markdown } = bullet(evidence('Kiri Foods opens', 'kiri-foods', { signal: { reports, outlets: 3 } }));

    expect(markdown).toContain(String.raw`(\[Daily\](https://evil.test) \# Trade and 2 more): “Kiri Foods opens”`);
  });

  it('given who put up money, and a report that names them, then its line is quoted in place of another', () => {
    const summary = 'Kiri Foods raised funds.';
    const known = evidence('Kiri Foods gets a cheque', 'kiri-foods', { signal: { move: 'deals', summary } });
    const [own] = dealt('Banyan Partners leads the round', { buyers: ['Banyan Partners'] }).reports;
    const one = evidenceOf({ ...known, reports: [...known.reports, ...(own ? [own] : [])] });
    const wanted = queryOf({ deal: { types: [], role: 'target', status: null }, words: ['raised'] });

    expect(list(wanted, foundOf([one])).lead[0]?.markdown).toContain(own?.title);
  });
});

describe('a result', () => {
  const RESULT = { intent: 'result', kinds: ['results'], ...kiri } as const satisfies Query;
  const key_facts = ['Stores doubled', 'Revenue rose 18% to ₹230 Cr'];
  const quarter = reported({}, 'kiri-foods', { headline: 'Kiri Foods results', key_facts });
  const QUOTED = /^Kiri Foods, revenue in Q2 FY27: ₹230 Cr, up 18%: “Revenue rose 18% to ₹230 Cr\.”/;
  const first = reported({ period: 'Q1 FY27', value: '₹200 Cr' });
  const Q2 = periodOf('2026-07-01', '2026-10-01', 'in Q2 FY27', 'Q2 FY27');
  const loss = reported({ metric: 'loss', value: '₹9 Cr', growth_pct: null }, 'tilak-shoes');
  const slumps = evidence('Maya Stores profit slumps on higher rents', 'maya-stores', { signal: { move: 'results' } });
  const isDown = { metric: 'profit', is: 'down', value: null, unit: null } as const;
  const isFar = { metric: 'revenue', is: 'above', value: 90, unit: 'percent' } as const;

  it.each<DraftCase>([
    [
      'a figure: its line, company, quarter and growth',
      { ...RESULT, metric: 'revenue' },
      [quarter],
      { lead: QUOTED, basis: 'fact' },
    ],
    [
      'a quarter, and another',
      { ...RESULT, metric: 'revenue', period: Q2 },
      [first, reported()],
      { lead: /Q2 FY27: ₹230 Cr/ },
    ],
    [
      'another metric than that of the reports',
      { ...RESULT, metric: 'profit' },
      [reported()],
      { not: /^Kiri Foods, / },
    ],
    [
      'a loss for a profit',
      { ...RESULT, metric: 'profit' },
      [reported({ metric: 'loss' })],
      { lead: /Kiri Foods, loss/ },
    ],
    ['a fall of a headline', { kinds: ['results'], condition: isDown }, [slumps, reported()], { cited: [slumps] }],
    ['a condition that nothing meets', { kinds: ['results'], condition: isFar }, [reported()], { basis: 'none' }],
  ])('given %s', checkDraft);

  it('given another metric than the question asks for, then no figure is certain', () => {
    expect(['loosely', 'nearest', 'none']).toContain(draftOf({ ...RESULT, metric: 'profit' }, [reported()]).basis);
  });

  it.each<[string, NonNullable<TypedQuery['condition']>, readonly string[]]>([
    ['losses', { metric: 'loss', is: 'loss', value: null, unit: null }, ['Tilak Shoes']],
    ['growth above 20%', { metric: 'revenue', is: 'above', value: 20, unit: 'percent' }, ['Maya Stores']],
    ['growth below 20%', { metric: 'revenue', is: 'below', value: 20, unit: 'percent' }, ['Kiri Foods']],
    ['a revenue that rose', { metric: 'revenue', is: 'up', value: null, unit: null }, ['Kiri Foods', 'Maya Stores']],
    ['a revenue above ₹300 crore', { metric: 'revenue', is: 'above', value: 3e9, unit: 'rupees' }, ['Maya Stores']],
  ])('given the condition %s, then only the companies that meet it', (_, condition, companies) => {
    const all = [reported(), reported({ value: '₹400 Cr', growth_pct: 31 }, 'maya-stores'), loss];
    const draft = draftOf({ kinds: ['results'], condition }, all);
    const cited = [...draft.lead, ...draft.items].map(({ markdown }) => markdown.split(',')[0] ?? '');

    expect(cited.toSorted()).toEqual(companies);
  });

  it('given outlets that give different figures, then both are listed, and the answer says that they disagree', () => {
    const stating = (value: string) =>
      reported({ value }, 'kiri-foods', { headline: `Kiri Foods revenue at ${value}` });
    const draft = draftOf({ ...RESULT, metric: 'revenue' }, [stating('₹230 Cr'), stating('₹245 Cr')]);

    expect(leadOf(draft)).toContain(
      'Reports give different figures of the revenue of Kiri Foods in Q2 FY27: ' +
        'Daily Trade: “Kiri Foods revenue at ₹230 Cr”; Daily Trade: “Kiri Foods revenue at ₹245 Cr”.',
    );
    expect(draft.items[0]?.markdown).toContain('₹245 Cr');
  });

  it('given two sums of one penalty, then both are quoted', () => {
    const enforcement = { regulator: 'FSSAI', firm: 'Kiri Foods', action: 'penalty', status: 'decided' } as const;
    const fined = (headline: string) => evidence(headline, 'kiri-foods', { signal: { move: 'rules' }, enforcement });
    const [one, other] = [fined('FSSAI fines Kiri Foods Rs 14 crore'), fined('Kiri Foods to pay Rs 140 crore')];
    const both = { ...one, reports: [...one.reports, ...other.reports] };

    expect(disagreements([both])[0]?.markdown).toContain('different figures of the penalty');
  });
});

describe('why and when', () => {
  const shut = (summary: string | null, event_at: string | null = '2026-11-03T20:00:00Z'): Evidence =>
    evidence('Kiri Foods shuts its Pune shop', 'kiri-foods', { signal: { summary, event_at } });
  const WHY = { intent: 'why', ...kiri } as const satisfies Query;
  const WHEN = { intent: 'when', ...kiri } as const satisfies Query;
  const quotesOf = ({ lead }: Draft) => lead[0]?.quotes.map(({ text }) => text);
  const NO_REASON = /^No report was found that gives the reason\. The reports of it:$/;

  it.each([
    'The lease ran out owing to a dispute with the mall.',
    'Kiri Foods profit falls 3% on tea margins.',
    'The regulator found fault with misleading claims.',
    'Kiri Foods fined Rs 7 lakh for hidden charges.',
    'The rise of 5% follows dearer freight.',
  ])('given a report that says %j, then that is the reason, in its words', (line) => {
    const draft = draftOf(WHY, [shut(line)]);

    expect(quotesOf(draft)).toContain(line);
    expect(draft.notes.length).toBeGreaterThan(0);
  });

  it.each<DraftCase>([
    ['no reason on record', WHY, [shut('The shop was small.')], { lead: NO_REASON, basis: 'loosely' }],
    ['a time that has passed since', WHY, [shut('It shut after four years.')], { lead: NO_REASON }],
    ['a day, which is that of IST', WHEN, [shut(null)], { lead: /4 November 2026: “Kiri Foods shuts/ }],
    ['no day', WHEN, [shut(null, null)], { lead: /^Reported as follows/, not: /^On \d/ }],
    [
      'no day of its own and a line with one',
      WHEN,
      [shut('It will close its doors on March 14.', null)],
      { lead: /It will close its doors on March 14\./, not: /^On \d/ },
    ],
  ])('given %s', checkDraft);

  it('given no reason in what was found, and one in a close report of the brand, then that is quoted', () => {
    const line = 'Kiri Foods retreats from Pune amid a dispute with its landlord';
    const ranked = [evidence('Maya Stores shuts amid a dispute', 'maya-stores'), evidence(line)];

    expect(quotesOf(why(queryOf(WHY), foundOf([shut(null)], { ranked }), []))).toEqual([line]);
  });

  it('given a report of the brand about something else with a reason, then it is not the reason of the event', () => {
    const other = evidence('Kiri Foods profit falls on weak demand', 'kiri-foods', { signal: { move: 'results' } });

    expect(leadOf(why(queryOf(WHY), foundOf([shut('The shop was small.'), other])))).toContain(
      'No report was found that gives the reason.',
    );
  });
});

describe('sources', () => {
  it('given the signals that the answer before cited, then each report with its outlet and link', () => {
    const report = (outlet: string, url: string) => ({ outlet, url, headline: 'Kiri opens', published_at: null });
    const reports = [report('Daily Trade', 'https://outlet.test/a'), report('Gazette', 'javascript:alert(1)')];
    const cited = [evidence('Kiri Foods opens', 'kiri-foods', { signal: { reports } })];
    const among = cited.map(({ signal }) => StoredSignalId.parse(signal.id));
    const draft = draftOf({ intent: 'sources', among }, [opened(3)], { cited });

    expect(draft.lead[0]?.ids).toEqual([cited[0]?.signal.id]);
    expect(draft.items.map(({ markdown }) => markdown)).toEqual([
      expect.stringContaining('<https://outlet.test/a>'),
      expect.not.stringContaining('javascript'),
    ]);
  });

  it.each<DraftCase>([
    ['a question of its own', { intent: 'sources', ...kiri }, [opened(3)], { cited: [opened(3)] }],
    ['nothing before', { intent: 'sources' }, [], { basis: 'none' }],
  ])('given %s', checkDraft);
});

describe('a false premise', () => {
  const premise = (object: string): NonNullable<TypedQuery['premise']> => ({
    kind: 'deals',
    subject: { slug: brandSlug('maya-stores'), name: 'Maya Stores' },
    object: { slug: null, name: object },
    text: `Maya Stores bought ${object}`,
  });
  const bought = evidence('Maya Stores buys Lime Labels', 'maya-stores', { signal: { move: 'deals' } });

  const backed = evidence('Maya Stores-backed Kiri Foods lets its staff sell shares', 'kiri-foods', {
    signal: { move: 'deals' },
  });
  const side = (slug: TestBrand) => ({ slug: brandSlug(slug), name: BRANDS[slug] });
  const owned = { kind: 'deals', subject: side('maya-stores'), object: side('kiri-foods'), text: '' } as const;

  it.each<DraftCase>([
    [
      'sides that no deal has together: that there is none, and what is near',
      { kinds: ['deals'], premise: premise('Plum Foods') },
      [bought],
      { basis: 'none', lead: /^No deal between Maya Stores and Plum Foods/, cited: [bought] },
    ],
    [
      'a side that the report names only as the owner of another',
      { intent: 'when', kinds: ['deals'], premise: owned },
      [backed],
      { basis: 'none' },
    ],
    [
      'sides that a deal has',
      { kinds: ['deals'], premise: premise('Lime Labels') },
      [bought],
      { cited: [bought], not: /^No/ },
    ],
  ])('given %s', checkDraft);

  it('given a side that only the closest report names, then that report is the answer, and nothing is denied', () => {
    const near = evidence('Maya Stores emerges front-runner for Crisps maker Lime Foods', 'maya-stores', {
      signal: { move: 'deals' },
    });
    const query = queryOf({ kinds: ['deals'], brands: named('maya-stores'), premise: premise('Crisps') });
    const draft = compose(query, foundOf([bought], { ranked: [near] }), { catalogue, cited: [], before: null });

    expect(citedIn(draft.lead, [bought, near])).toEqual([near.signal.headline]);
  });
});

describe('a refusal', () => {
  it.each(['outside', 'unreadable'] as const)(
    'given a question that is %s, then evidence does not matter',
    (intent) => {
      const draft = draftOf({ intent, language: intent === 'unreadable' ? 'ta' : null }, [opened(3)]);

      expect(draft).toMatchObject({ ...REFUSED, items: [], notes: [] });
      expect(leadOf(draft)).not.toBe('');
    },
  );

  it('given nothing that fits, then it says what was looked for, and how the nearest signals differ', () => {
    const near = [opened(3)];
    const draft = draftOf({ ...kiri, kinds: ['deals'], places: placed('Nagpur') }, [], {
      found: { near, givenUp: ['places'] },
    });

    expect(draft).toMatchObject(REFUSED);
    expect(leadOf(draft)).toMatch(/^No deals about Kiri Foods in Nagpur/);
    expect(citedIn(draft.items, near)).toEqual([near[0]?.signal.headline]);
    expect(draft.notes.join(' ')).toContain('anywhere');
  });

  it.each(INTENTS)('given no evidence for the intent %j, then it is a refusal that cites nothing', (intent) => {
    const draft = draftOf({ intent, ...kiri }, []);

    expect(draft).toMatchObject({ ...REFUSED, items: [] });
    expect(confidenceOf(draft)).toBe(0);
  });

  it.each(INTENTS)('given evidence without a fact for the intent %j, then every sentence holds', (intent) => {
    const draft = draftOf({ intent, brands: named('kiri-foods', 'maya-stores') }, [evidence('Kiri Foods moves')]);

    expect(draft.lead.length).toBeGreaterThan(0);
  });
});

it('given an intent, then numbers that are added up are distinguished from others', () => {
  expect(INTENTS.filter((intent) => isCounted({ ...EMPTY_QUERY, intent }))).toEqual([
    'count',
    'sum',
    'rank',
    'compare',
  ]);
});

it('given evidence without all words, then the list names those that are missing', () => {
  const found = foundOf([evidence('Kiri Foods bottles water')], { unmet: ['mango'], coverage: 0.4 });

  expect(list(queryOf({ words: ['mango', 'bottle'] }), found).notes.join(' ')).toContain('“mango”');
});
