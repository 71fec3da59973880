/** Drafts from queries and evidence that are given: lists, facts, reasons and refusals. Pure. */
import { describe, expect, it } from 'vitest';
import { compose } from '../../answer/answer-question.ts';
import { disagreements } from '../../answer/compose/disagreement.ts';
import { list, why } from '../../answer/compose/list-answers.ts';
import { bullet, statedBesides } from '../../answer/compose/sentences.ts';
import { confidenceOf, type Draft, Verifier } from '../../answer/draft.ts';
import { type Evidence, evidenceOf } from '../../answer/evidence.ts';
import type { Found } from '../../answer/find-evidence.ts';
import { EMPTY_QUERY, INTENTS, isCounted, type TypedQuery } from '../../answer/question/typed-query.ts';
import type { Result } from '../../facts/results/fields.ts';
import { StoredSignalId } from '../../schemas/scalar.ts';
import { brandSlug } from '../harness/ids.ts';
import { result } from '../projector/signal-events.ts';

import {
  BRANDS,
  citedIn,
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
    const row = (metric: string, value: string): Evidence =>
      evidence(`Kiri Foods ${metric} ${value}`, 'kiri-foods', {
        signal: { move: 'results' },
        results: [result({ company: 'Kiri Foods', metric, value, growth_pct: null })],
      });
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

  it('given evidence, then the best is the direct answer, and the others follow, the newest first', () => {
    const draft = draftOf({ brands: named('kiri-foods') }, [best, older, newer]);

    expect(draft.basis).toBe('named');
    expect(citedIn(draft.lead, [best])).toEqual([best.signal.headline]);
    expect(citedIn(draft.items, [older, newer])).toEqual([newer.signal.headline, older.signal.headline]);
  });

  it('given an order or a limit, then they are kept, and the answer says how many more fit', () => {
    const draft = draftOf({ brands: named('kiri-foods'), order: 'oldest', limit: 2 }, [best, older, newer]);

    expect(citedIn([...draft.lead, ...draft.items], [best, older])).toEqual([
      best.signal.headline,
      older.signal.headline,
    ]);
    expect(draft.notes.join(' ')).toMatch(/\b2 of 3 signals\b/);
    const cut = list(queryOf({ limit: 2 }), foundOf([best, older, newer], { isCut: true }));
    expect(cut.notes[0]).toContain('2 of more than 3 signals');
  });

  it.each<[string, Partial<TypedQuery>, Partial<Found>, Draft['basis']]>([
    ['all words', { words: ['mango'] }, {}, 'likely'],
    ['most words', { words: ['mango', 'pulp'] }, { unmet: ['pulp'], coverage: 0.6 }, 'likely'],
    ['few words', { words: ['mango', 'pulp'] }, { unmet: ['pulp'], coverage: 0.3 }, 'loosely'],
    ['a filter given up', {}, { givenUp: ['store_status'] }, 'nearest'],
  ])('given %s, then the basis of the answer says so, and so do its notes', (_, changes, found, basis) => {
    const draft = draftOf({ brands: named('kiri-foods'), ...changes }, [best], { found });

    expect(draft.basis).toBe(basis);
    for (const word of found.unmet ?? []) expect(draft.notes.join(' ')).toContain(`“${word}”`);
    expect(draft.notes.length > 0).toBe(found.unmet !== undefined || basis === 'nearest');
  });

  it('given a summary, then it is quoted where it adds something and is not long', () => {
    const quotesOf = (summary: string): number =>
      bullet(evidence('Kiri Foods opens a store', 'kiri-foods', { signal: { summary } })).quotes.length;

    expect([quotesOf('It is the first.'), quotesOf('Kiri Foods opens'), quotesOf('x'.repeat(401))]).toEqual([2, 1, 1]);
  });

  it('given a word that only a further line has, then that line is quoted in the direct answer', () => {
    const facts = ['The chain has 40 shops.', 'It will spend ₹90 crore by 2030.'];
    const one = evidence('Kiri Foods expands', 'kiri-foods', { signal: { summary: facts[0], key_facts: facts } });

    expect(leadOf(draftOf({ words: ['2030'] }, [one]))).toContain('by 2030');
    expect(leadOf(draftOf({ words: ['chain'] }, [one]))).toContain('40 shops');
  });

  it('given the rent of a store, which no report mentions, then the opening of the store is no answer', () => {
    const one = evidence('Kiri Foods opens in Pune');

    expect(draftOf({ words: ['rent'] }, [one]).basis).toBe('none');
    expect(draftOf({ words: ['rent'] }, [evidence('Kiri Foods leases a shop')]).basis).not.toBe('none');
  });

  it('given an outlet with a name that is Markdown, then it is text on one line', () => {
    const outlet = '[Daily](https://evil.test)\n# Trade';
    const reports = [{ outlet, url: 'https://outlet.test', headline: 'Kiri Foods opens', published_at: null }];
    const { markdown } = bullet(evidence('Kiri Foods opens', 'kiri-foods', { signal: { reports, outlets: 3 } }));

    expect(markdown).toContain(String.raw`(\[Daily\](https://evil.test) \# Trade and 2 more): “Kiri Foods opens”`);
  });

  it('given a period that begins before the record, then the answer says since when there is one', () => {
    const period = periodOf('2025-04-01', '2026-04-01', 'in FY26', 'FY26');

    expect(draftOf({ brands: named('kiri-foods'), period }, [best]).notes.join(' ')).toContain('27 May 2026');
  });
});

describe('what happened', () => {
  it('given no order, then the weightiest signal is the direct answer', () => {
    const [small, big] = [
      evidence('Kiri Foods paints a wall'),
      evidence('Kiri Foods leaves Pune', 'kiri-foods', { signal: { outlets: 9 } }),
    ];

    expect(citedIn(draftOf({ intent: 'happened', brands: named('kiri-foods') }, [small, big]).lead, [big])).toEqual([
      big.signal.headline,
    ]);
  });
});

describe('a result', () => {
  const reported = (changes: Partial<Result> = {}, brand: TestBrand = 'kiri-foods', headline?: string): Evidence => {
    const own = result({ company: BRANDS[brand], ...changes });
    return evidence(
      headline ?? `${own.company} ${own.metric} of ${own.period}: ${own.value} (${own.growth_pct}%)`,
      brand,
      {
        signal: { move: 'results' },
        results: [own],
      },
    );
  };
  const RESULT = {
    intent: 'result',
    kinds: ['results'],
    brands: named('kiri-foods'),
  } as const satisfies Partial<TypedQuery>;

  it('given a figure, then the line that states it is quoted, with company, metric, quarter and growth', () => {
    const quarter = evidence('Kiri Foods results', 'kiri-foods', {
      signal: { move: 'results', key_facts: ['Stores doubled', 'Revenue rose 18% to ₹230 Cr'] },
      results: [result()],
    });
    const draft = draftOf({ ...RESULT, metric: 'revenue' }, [quarter]);

    expect(leadOf(draft)).toMatch(/^Kiri Foods, revenue in Q2 FY27: ₹230 Cr, up 18%: “Revenue rose 18% to ₹230 Cr\.”/);
    expect(draft.basis).toBe('fact');
    expect(new Verifier([quarter]).check(draft)).toEqual(draft);
  });

  it('given a quarter, then figures of another are left out', () => {
    const all = [reported({ period: 'Q1 FY27', value: '₹200 Cr' }), reported()];
    const period = periodOf('2026-07-01', '2026-10-01', 'in Q2 FY27', 'Q2 FY27');

    expect(leadOf(draftOf({ ...RESULT, metric: 'revenue', period }, all))).toMatch(/Q2 FY27: ₹230 Cr/);
  });

  it('given another metric than the question asks for, then no figure is stated as the answer', () => {
    const draft = draftOf({ ...RESULT, metric: 'profit' }, [reported()]);

    expect(['loosely', 'nearest', 'none']).toContain(draft.basis);
    expect(leadOf(draft)).not.toMatch(/^Kiri Foods, /);
  });

  it('given the question for a profit, then a loss answers it', () => {
    expect(leadOf(draftOf({ ...RESULT, metric: 'profit' }, [reported({ metric: 'loss', value: '₹9 Cr' })]))).toMatch(
      /Kiri Foods, loss/,
    );
  });

  it.each<[string, NonNullable<TypedQuery['condition']>, readonly string[]]>([
    ['losses', { metric: 'loss', is: 'loss', value: null, unit: null }, ['Tilak Shoes']],
    ['growth above 20%', { metric: 'revenue', is: 'above', value: 20, unit: 'percent' }, ['Maya Stores']],
    ['growth below 20%', { metric: 'revenue', is: 'below', value: 20, unit: 'percent' }, ['Kiri Foods']],
    ['a revenue that rose', { metric: 'revenue', is: 'up', value: null, unit: null }, ['Kiri Foods', 'Maya Stores']],
    ['a revenue above ₹300 crore', { metric: 'revenue', is: 'above', value: 3e9, unit: 'rupees' }, ['Maya Stores']],
  ])('given the condition %s, then only the companies that meet it', (_, condition, companies) => {
    const all = [
      reported(),
      reported({ value: '₹400 Cr', growth_pct: 31 }, 'maya-stores'),
      reported({ metric: 'loss', value: '₹9 Cr', growth_pct: null }, 'tilak-shoes'),
    ];
    const draft = draftOf({ kinds: ['results'], condition }, all);
    const cited = [...draft.lead, ...draft.items].map(({ markdown }) => markdown.split(',')[0] ?? '');

    expect(cited.toSorted()).toEqual(companies);
  });

  it('given a fall that only a headline states, then it meets the condition', () => {
    const fell = evidence('Maya Stores profit slumps on higher rents', 'maya-stores', { signal: { move: 'results' } });
    const condition = { metric: 'profit', is: 'down', value: null, unit: null } as const;

    expect(citedIn(draftOf({ kinds: ['results'], condition }, [fell, reported()]).lead, [fell])).toEqual([
      fell.signal.headline,
    ]);
  });

  it('given a condition that nothing meets, then it is a refusal', () => {
    const condition = { metric: 'revenue', is: 'above', value: 90, unit: 'percent' } as const;

    expect(draftOf({ kinds: ['results'], condition }, [reported()])).toMatchObject(REFUSED);
  });

  it('given outlets that give different figures, then both are listed, and the answer says that they disagree', () => {
    const stating = (value: string) =>
      evidence(`Kiri Foods revenue at ${value}`, 'kiri-foods', {
        signal: { move: 'results' },
        results: [result({ value })],
      });
    const draft = draftOf({ ...RESULT, metric: 'revenue' }, [stating('₹230 Cr'), stating('₹245 Cr')]);

    expect(leadOf(draft)).toContain(
      'Reports give different figures of the revenue of Kiri Foods in Q2 FY27: ' +
        'Daily Trade: “Kiri Foods revenue at ₹230 Cr”; Daily Trade: “Kiri Foods revenue at ₹245 Cr”.',
    );
    expect(draft.items[0]?.markdown).toContain('₹245 Cr');
  });
});

describe('why and when', () => {
  const shut = (summary: string | null, event_at: string | null = '2026-11-03T20:00:00Z'): Evidence =>
    evidence('Kiri Foods shuts its Pune shop', 'kiri-foods', { signal: { summary, event_at } });

  it('given a line that states a reason, then it is quoted in the words of its source', () => {
    const line = 'The lease ran out owing to a dispute with the mall.';
    const draft = draftOf({ intent: 'why', brands: named('kiri-foods') }, [shut(line)]);

    expect(draft.lead[0]?.quotes.map(({ text }) => text)).toContain(line);
    expect(draft.notes.length).toBeGreaterThan(0);
  });

  it('given no reason in what was found, and one in a close report of the brand, then that is quoted', () => {
    const line = 'Kiri Foods retreats from Pune amid a dispute with its landlord';
    const query = queryOf({ intent: 'why', brands: named('kiri-foods') });
    const [own, other] = [evidence(line), evidence('Maya Stores shuts amid a dispute', 'maya-stores')];
    const draft = why(query, foundOf([shut(null)], { ranked: [other, own] }), []);

    expect(draft.lead[0]?.quotes.map(({ text }) => text)).toEqual([line]);
  });

  it('given a report of the brand about something else with a reason, then it is not the reason of the event', () => {
    const other = evidence('Kiri Foods profit falls on weak demand', 'kiri-foods', { signal: { move: 'results' } });
    const query = queryOf({ intent: 'why', brands: named('kiri-foods') });
    const draft = why(query, foundOf([shut('The shop was small.'), other]));

    expect(leadOf(draft)).toContain('No report was found that gives the reason.');
  });

  it.each([
    'Kiri Foods profit falls 3% on tea margins',
    'The regulator found fault with misleading claims.',
    'Kiri Foods fined Rs 7 lakh for hidden charges',
    'The rise of 5% follows dearer freight.',
  ])('given a report that says %j, then that is the reason', (line) => {
    const draft = draftOf({ intent: 'why', brands: named('kiri-foods') }, [shut(line)]);

    expect(draft.lead[0]?.quotes.map(({ text }) => text)).toContain(line.endsWith('.') ? line : `${line}.`);
  });

  it('given a time that has passed since, then that is no reason', () => {
    const draft = draftOf({ intent: 'why', brands: named('kiri-foods') }, [shut('It shut after four years.')]);

    expect(leadOf(draft)).toContain('No report was found that gives the reason.');
  });

  it('given no reason on record, then it says so, and its confidence is low', () => {
    const draft = draftOf({ intent: 'why', brands: named('kiri-foods') }, [shut('The shop was small.')]);

    expect(leadOf(draft)).toBe('No report was found that gives the reason. The reports of it:');
    expect(draft.basis).toBe('loosely');
  });

  it('given a day, then it is stated as that of IST', () => {
    expect(leadOf(draftOf({ intent: 'when', brands: named('kiri-foods') }, [shut(null)]))).toMatch(
      /4 November 2026: “Kiri Foods shuts/,
    );
  });

  it('given no day, then the answer claims none', () => {
    const lead = leadOf(draftOf({ intent: 'when', brands: named('kiri-foods') }, [shut(null, null)]));

    expect(lead).not.toMatch(/^On \d/);
    expect(lead).toMatch(/^Reported as follows/);
  });

  it('given no day of its own and a line with one, then the line is quoted, and nothing is said to be missing', () => {
    const line = 'It will close its doors on March 14.';
    const lead = leadOf(draftOf({ intent: 'when', brands: named('kiri-foods') }, [shut(line, null)]));

    expect(lead).toContain(line);
    expect(lead).not.toMatch(/^On \d/);
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

  it('given a question of its own, then the reports of what it finds', () => {
    const own = opened(3);

    expect(draftOf({ intent: 'sources', brands: named('kiri-foods') }, [own]).lead[0]?.ids).toEqual([own.signal.id]);
  });

  it('given nothing before, then it asks for a question', () => {
    expect(draftOf({ intent: 'sources' }, [])).toMatchObject(REFUSED);
  });
});

describe('a false premise', () => {
  const premise = (object: string): NonNullable<TypedQuery['premise']> => ({
    kind: 'deals',
    subject: { slug: brandSlug('maya-stores'), name: 'Maya Stores' },
    object: { slug: null, name: object },
    text: `Maya Stores bought ${object}`,
  });
  const bought = evidence('Maya Stores buys Lime Labels', 'maya-stores', { signal: { move: 'deals' } });

  it('given sides that no deal has together, then it says that there is none, and lists what is near', () => {
    const draft = draftOf({ kinds: ['deals'], premise: premise('Plum Foods') }, [bought]);

    expect(draft).toMatchObject(REFUSED);
    expect(leadOf(draft)).toMatch(/^No deal between Maya Stores and Plum Foods/);
    expect(citedIn(draft.items, [bought])).toEqual([bought.signal.headline]);
  });

  it('given a side that the report names only as the owner of another, then it has no part in the deal', () => {
    const own = evidence('Maya Stores-backed Kiri Foods lets its staff sell shares', 'kiri-foods', {
      signal: { move: 'deals' },
    });
    const side = (slug: 'kiri-foods' | 'maya-stores') => ({ slug: brandSlug(slug), name: BRANDS[slug] });
    const premise = { kind: 'deals', subject: side('maya-stores'), object: side('kiri-foods'), text: '' } as const;

    expect(draftOf({ intent: 'when', kinds: ['deals'], premise }, [own]).basis).toBe('none');
  });

  it('given a side that only the closest report names, then that report is the answer, and nothing is denied', () => {
    const near = evidence('Maya Stores emerges front-runner for Crisps maker Lime Foods', 'maya-stores', {
      signal: { move: 'deals' },
    });
    const query = queryOf({ kinds: ['deals'], brands: named('maya-stores'), premise: premise('Crisps') });
    const draft = compose(query, foundOf([bought], { ranked: [near] }), { catalogue, cited: [], before: null });

    expect(citedIn(draft.lead, [bought, near])).toEqual([near.signal.headline]);
  });

  it('given sides that a deal has, then it is the answer', () => {
    expect(citedIn(draftOf({ kinds: ['deals'], premise: premise('Lime Labels') }, [bought]).lead, [bought])).toEqual([
      bought.signal.headline,
    ]);
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
    const draft = draftOf({ brands: named('kiri-foods'), kinds: ['deals'], places: placed('Nagpur') }, [], {
      found: { near, givenUp: ['places'] },
    });

    expect(draft).toMatchObject(REFUSED);
    expect(leadOf(draft)).toMatch(/^No deals about Kiri Foods in Nagpur/);
    expect(citedIn(draft.items, near)).toEqual([near[0]?.signal.headline]);
    expect(draft.notes.join(' ')).toContain('anywhere');
  });

  it.each(INTENTS)('given no evidence for the intent %j, then it is a refusal that cites nothing', (intent) => {
    const draft = draftOf({ intent, brands: named('kiri-foods') }, []);

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

it.each(['list', 'happened'] as const)(
  'given an attribute that no report states, and words that say the same, then a %s is refused',
  (intent) => {
    const staff = evidence('Kiri Foods pays its employees late');

    expect(draftOf({ intent, brands: named('kiri-foods'), words: ['headcount'] }, [staff]).basis).toBe('none');
  },
);

it('given who put up money, and a report that names them, then its line is quoted in place of another', () => {
  const known = evidence('Kiri Foods gets a cheque', 'kiri-foods', {
    signal: { move: 'deals', summary: 'Kiri Foods raised funds.' },
  });
  const [own] = known.reports;
  const deal = {
    type: 'funding',
    amount: null,
    target: 'Kiri Foods',
    buyers: ['Banyan Partners'],
    status: null,
  } as const;
  const title = 'Banyan Partners leads the round';
  const more = own && {
    ...own,
    url: 'https://outlet.test/2',
    title,
    summary: null,
    facts: { deal: { ...deal, buyers: [...deal.buyers] } },
  };
  const one = evidenceOf({ ...known, reports: own && more ? [own, more] : [] });
  const wanted = { types: [], role: 'target', status: null } as const;

  expect(
    list(queryOf({ deal: { ...wanted, types: [] }, words: ['raised'] }), foundOf([one])).lead[0]?.markdown,
  ).toContain(title);
});

it('given two sums of one penalty, then both are quoted', () => {
  const known = evidence('FSSAI fines Kiri Foods Rs 14 crore', 'kiri-foods', { signal: { move: 'rules' } });
  const facts = {
    enforcement: { regulator: 'FSSAI', firm: 'Kiri Foods', action: 'penalty', status: 'decided' },
  } as const;
  const [own] = known.reports;
  const title = 'Kiri Foods to pay Rs 140 crore';
  const reports = own
    ? [
        { ...own, facts },
        { ...own, facts, title, text: title, lines: [title], url: 'https://outlet.test/2' },
      ]
    : [];

  expect(disagreements([{ ...known, reports }])[0]?.markdown).toContain('different figures of the penalty');
});
