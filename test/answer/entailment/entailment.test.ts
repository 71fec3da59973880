import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Refusal, refusal } from '../../../answer/entailment/entailment.ts';
import { CORRUPTIONS, corruptionsOf } from './corruptions.ts';
import { FURTHER_TEXTS, UNREAD_TEXTS } from './further-texts.ts';
import { REWORDED_TEXTS } from './reworded-texts.ts';
import { type CheckedText, TEXTS } from './texts.ts';

/** Holds a sentence against a text that is quoted as a whole. */
const refused = (sentence: string, text: string): Refusal | null =>
  refusal(sentence, [{ text, quoted: [{ start: 0, end: text.length }] }]);

/** Texts kept apart by hash: they were measured only when the rules had been written on the others. */
const isUnseen = ({ text }: CheckedText): boolean => (createHash('sha256').update(text).digest()[0] ?? 0) % 3 === 0;

/** `Kiri Foods Opens 40 Stores In Pune`, as many outlets write headlines. */
const titled = (text: string): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? line.replace(/(?<![\w'])[a-z]/g, (letter) => letter.toUpperCase()) : line))
    .join('\n');

const MOST_FALSE_PASSED = 0.02;
const MOST_TRUE_DROPPED = 0.1;

const falseOf = (texts: readonly CheckedText[]) =>
  texts.flatMap(({ text, truths }) =>
    truths.flatMap((truth) => corruptionsOf(truth, text).map((corrupted) => ({ ...corrupted, text }))),
  );

function measured(texts: readonly CheckedText[]) {
  const truths = texts.flatMap(({ text, truths: own }) => own.map((truth) => ({ truth, text })));
  const dropped = truths.flatMap(({ truth, text }) => {
    const why = refused(truth, text);
    return why ? [`${why}: ${truth}`] : [];
  });
  const lies = falseOf(texts);
  const passed = lies.filter(({ sentence, text }) => refused(sentence, text) === null);
  return {
    truths: truths.length,
    dropped,
    lies: lies.length,
    passed: passed.map(({ kind, sentence }) => `${kind}: ${sentence}`),
  };
}

describe.each([
  ['that the rules were written on', TEXTS.filter((text) => !isUnseen(text)), MOST_TRUE_DROPPED],
  ['kept apart', TEXTS.filter(isUnseen), MOST_TRUE_DROPPED],
  ['of further forms', FURTHER_TEXTS, 0.14],
  // What to expect of a text of a new form, above the aim: where the check lacks a construction, it drops.
  ['of forms that nobody has read', UNREAD_TEXTS, 0.18],
  ['as models reword them', REWORDED_TEXTS, 0.26],
] as const)('sentences about texts %s', (_, texts, mostDropped) => {
  const { truths, dropped, lies, passed } = measured(texts);

  it('given false sentences, then nearly all are dropped', () => {
    expect(lies).toBeGreaterThan(240);
    expect(passed.length / lies, passed.join('\n')).toBeLessThanOrEqual(MOST_FALSE_PASSED);
  });

  it('given true sentences, then few are dropped', () => {
    expect(dropped.length / truths, dropped.join('\n')).toBeLessThanOrEqual(mostDropped);
  });

  it('given headlines with a capital letter at each word, then few true sentences are dropped, and no more false ones pass', () => {
    const capitals = measured(texts.map(({ text, truths: own }) => ({ text: titled(text), truths: own })));
    expect(capitals.dropped.length / truths, capitals.dropped.join('\n')).toBeLessThanOrEqual(2 * mostDropped);
    expect(capitals.passed.length / lies, capitals.passed.join('\n')).toBeLessThanOrEqual(MOST_FALSE_PASSED);
  });
});

describe('the false sentences', () => {
  it('given all texts, then every kind of corruption is made, and no true sentence is among them', () => {
    const made = falseOf(TEXTS);
    expect(TEXTS.flatMap(({ truths }) => truths).length).toBeGreaterThanOrEqual(120);
    expect(new Set(made.map(({ kind }) => kind))).toEqual(new Set(Object.keys(CORRUPTIONS)));
    const truths = new Set(TEXTS.flatMap(({ truths: own }) => own));
    expect(made.filter(({ sentence }) => truths.has(sentence))).toEqual([]);
  });
});

/** Texts with several parties, conditions and figures, each with what does not follow from them. */
const TRAPS: readonly (readonly [string, readonly string[]])[] = [
  [
    'Bodhi Coffee has not received SEBI approval for its IPO',
    ['SEBI has approved the IPO of Bodhi Coffee.', 'Bodhi Coffee got a SEBI nod for its IPO.'],
  ],
  ['Bodhi Coffee seeks SEBI nod for ₹450 crore IPO', ['SEBI has approved the ₹450 crore IPO of Bodhi Coffee.']],
  [
    'Bodhi Coffee gets SEBI nod for ₹450 crore IPO',
    ['Bodhi Coffee approved the IPO of SEBI.', 'SEBI rejected the IPO of Bodhi Coffee.'],
  ],
  [
    'Maya Retail buys 51% of Kiri Foods for ₹140 crore',
    [
      'Kiri Foods has acquired a 51% stake in Maya Retail.',
      'Maya Retail sold a 51% stake in Kiri Foods.',
      'Maya Retail has acquired a 51% stake in Kiri Foods for ₹150 crore.',
    ],
  ],
  [
    'Pallu Capital to buy 9% of Rasa Snacks from Garuda Partners',
    ['Pallu Capital will sell 9% of Rasa Snacks to Garuda Partners.', 'Garuda Partners has sold 9% of Rasa Snacks.'],
  ],
  [
    'Zolo Mart raises ₹90 crore after Garuda Partners led the Series A round of Kiri Foods',
    ['Garuda Partners led the Series A round of Zolo Mart.', 'Garuda Partners led the ₹90 crore round of Zolo Mart.'],
  ],
  [
    'Noor Watches CEO Vikram Sethi steps down, joins Lotus Optics as chairman',
    [
      'Vikram Sethi has resigned as chairman of Lotus Optics.',
      'Vikram Sethi has resigned as chairman of Noor Watches.',
    ],
  ],
  [
    'Kiri Foods hires Zolo Mart CFO Sunita Rao as COO',
    ['Kiri Foods hired a CFO.', 'Sunita Rao is the new CFO of Kiri Foods.'],
  ],
  [
    'Government raises import duty on watches to 20% from 15%',
    ['The import duty on watches now stands at 15%.', 'The government cut the import duty on watches to 20%.'],
  ],
  ['Tilak Shoes never saw its Q1 profit climb 18%', ["Tilak Shoes' Q1 profit climbed 18%."]],
  [
    'Kiri Foods distributor Maya Retail opens 40 stores in Pune and 12 in Surat',
    [
      'Kiri Foods opened 40 stores in Pune.',
      'Maya Retail opened 12 stores in Pune.',
      'Maya Retail opened 40 stores in Surat.',
      'Maya Retail opened 52 stores.',
      'Kiri Foods distributor opened stores in Pune and Nagpur.',
    ],
  ],
  [
    'Maya Retail, owned by Pallu Capital, raises ₹200 crore at a valuation of ₹900 crore',
    [
      'Pallu Capital raised ₹200 crore.',
      'Maya Retail raised ₹900 crore.',
      'Maya Retail owns Pallu Capital.',
      'Pallu Capital was owned by Maya Retail.',
    ],
  ],
  [
    'Tilak Shoes sues former CEO Ravi Kulkarni for ₹9 crore',
    [
      'Tilak Shoes sued CEO Ravi Kulkarni.',
      'Ravi Kulkarni sued Tilak Shoes.',
      'Tilak Shoes sued its CEO for ₹9 crore.',
      'Ravi Kulkarni sued former CEO Tilak Shoes.',
    ],
  ],
  [
    'Zolo Mart fails to win Nagpur licence; Hema Jewels gets nod for Kochi',
    ['Zolo Mart won a Nagpur licence.', 'Zolo Mart got a nod for Kochi.', 'Hema Jewels won a licence.'],
  ],
  [
    'If SEBI approves, Lotus Optics will buy Orna Sarees',
    [
      'Lotus Optics will buy Orna Sarees.',
      'SEBI approved Lotus Optics.',
      'SEBI approves.',
      'Lotus Optics bought Orna Sarees.',
    ],
  ],
  [
    'Kiri Foods revenue up 12% but profit down 8% at ₹40 crore',
    [
      'Kiri Foods profit rose 12%.',
      'Kiri Foods revenue fell 8%.',
      'Kiri Foods revenue was ₹40 crore.',
      'Kiri Foods profit was up 8%.',
      'Kiri Foods revenue rose to ₹40 crore.',
    ],
  ],
  [
    'Rasa Snacks one of the fastest-growing brands, says Noor Watches CEO Neha Bose',
    [
      'Rasa Snacks is the fastest-growing brand.',
      'Neha Bose is CEO of Rasa Snacks.',
      'Rasa Snacks is one of the fastest-growing brands.',
    ],
  ],
  [
    'Vanya Beauty scraps plan to open 30 stores in Indore',
    [
      'Vanya Beauty plans to open 30 stores in Indore.',
      'Vanya Beauty will open 30 stores in Indore.',
      'Vanya Beauty opened 30 stores.',
      'Vanya Beauty opened 30 stores in Indore.',
    ],
  ],
  [
    'Suruchi Dairy CEO says no plan to sell stake to Garuda Partners',
    [
      'Suruchi Dairy CEO plans to sell a stake to Garuda Partners.',
      'Suruchi Dairy sold a stake to Garuda Partners.',
      'Garuda Partners bought a stake.',
      'Suruchi Dairy CEO said it plans to sell stake to Garuda Partners.',
      'Garuda Partners bought a stake in Suruchi Dairy.',
    ],
  ],
  [
    'Bodhi Coffee stops selling tea in 60 cafes',
    ['Bodhi Coffee sold tea in 60 cafes.', 'Bodhi Coffee sells tea in 60 cafes.'],
  ],
  [
    'Maya Retail refuses to acquire Zolo Mart',
    [
      'Maya Retail acquired Zolo Mart.',
      'Maya Retail tried to acquire Zolo Mart.',
      'Zolo Mart was acquired by Maya Retail.',
    ],
  ],
  ['Hema Jewels up to 40% cheaper than Noor Watches', ['Hema Jewels rose 40%.', 'Noor Watches is up 40%.']],
  [
    'Orna Sarees sees up to 20 stores opening in 2027',
    ['Orna Sarees opened 20 stores in 2027.', 'Orna Sarees opened 20 stores.', '20 stores opened in 2027.'],
  ],
  [
    'Kiri Foods margin falls to 12% from 15% in Q1',
    [
      'Kiri Foods margin fell 12% in Q1.',
      'Kiri Foods margin fell to 15% in Q1.',
      'Kiri Foods margin fell to 12% from 15% in Q2.',
      'Kiri Foods margin rose from 12% to 15%.',
      'Kiri Foods margin fell by 15%.',
    ],
  ],
  [
    'Court stays Tilak Shoes takeover of Rasa Snacks',
    [
      'Tilak Shoes took over Rasa Snacks.',
      'Tilak Shoes acquired Rasa Snacks.',
      'The court approved a takeover of Rasa Snacks.',
    ],
  ],
  [
    'Lotus Optics halts acquisition of Noor Watches',
    ['Lotus Optics completed an acquisition of Noor Watches.', 'Lotus Optics acquired Noor Watches.'],
  ],
  [
    'Garuda Partners-backed Zolo Mart buys Kiri Foods arm Rasa Snacks from Maya Retail',
    [
      'Garuda Partners bought Rasa Snacks.',
      'Zolo Mart bought Kiri Foods.',
      'Maya Retail bought Rasa Snacks.',
      'Zolo Mart sold Rasa Snacks to Maya Retail.',
      'Zolo Mart bought Maya Retail.',
    ],
  ],
  [
    'Asha Mehta to leave Kiri Foods, join Maya Retail as CFO',
    [
      'Asha Mehta left Kiri Foods.',
      'Asha Mehta joined Maya Retail as CFO.',
      'Asha Mehta will leave Maya Retail.',
      'Asha Mehta will join Kiri Foods as CFO.',
      'Asha Mehta is CFO of Kiri Foods.',
    ],
  ],
  [
    'Analysts expect Kiri Foods profit to rise 15% in Q2',
    [
      'Kiri Foods profit rose 15% in Q2.',
      'Kiri Foods profit will rise 15% in Q2.',
      'Kiri Foods expects profit to rise 15%.',
    ],
  ],
  [
    'Most Maya Retail stores in Pune closed on Sunday',
    [
      'Maya Retail stores closed.',
      'All Maya Retail stores in Pune closed.',
      'Maya Retail stores in Pune closed on Sunday.',
    ],
  ],
  [
    'Maya Retail joins ONDC; Sunita Rao named head of grocery',
    [
      'Sunita Rao joined ONDC.',
      'Maya Retail named head of grocery.',
      'Sunita Rao was named head of Maya Retail.',
      'ONDC joined Maya Retail.',
    ],
  ],
  [
    'Noor Watches opens 5 stores, to close 12',
    [
      'Noor Watches closed 12 stores.',
      'Noor Watches opened 12 stores.',
      'Noor Watches will open 5 stores.',
      'Noor Watches closed 5 stores.',
    ],
  ],
  [
    'Kiri Foods, Maya Retail deny merger talks',
    [
      'Kiri Foods and Maya Retail are in merger talks.',
      'Kiri Foods and Maya Retail merge.',
      'Kiri Foods and Maya Retail merged.',
    ],
  ],
  [
    'Zolo Mart shares fall 8% after Q1 loss widens to ₹120 crore',
    [
      'Zolo Mart shares fell 8% to ₹120 crore.',
      'Zolo Mart loss fell 8%.',
      'Zolo Mart shares rose after Q1 loss widened.',
      'Zolo Mart Q1 loss was ₹8 crore.',
      'Zolo Mart Q1 loss widened 8%.',
      'Zolo Mart Q1 loss widened by ₹120 crore.',
    ],
  ],
  [
    'Vikram Sethi, Pallu Capital partner, joins Lotus Optics board',
    ['Vikram Sethi joined the Pallu Capital board.', 'Vikram Sethi joined the board of Pallu Capital.'],
  ],
  [
    'Ravi Kulkarni says Maya Retail plans to open 40 stores',
    ['Ravi Kulkarni said Maya Retail opened 40 stores.', 'Maya Retail plans to open 40 stores.'],
  ],
  [
    'Ravi Kulkarni says Maya Retail opened 40 stores',
    ['Ravi Kulkarni said Maya Retail plans to open 40 stores.', 'Maya Retail opened 40 stores.'],
  ],
  [
    'Maya Retail stake in Noor Watches falls to 41%',
    ["Noor Watches' stake in Noor Watches fell to 41%.", "Noor Watches' stake in Maya Retail fell to 41%."],
  ],
  [
    'Hema Jewels board to consider stock split',
    ['The Hema Jewels board considered a stock split.', 'The Hema Jewels board approved a stock split.'],
  ],
  [
    'Zolo Mart temporarily shuts 12 stores in Pune',
    ['Zolo Mart officially shut 12 stores in Pune.', 'Zolo Mart permanently shut 12 stores in Pune.'],
  ],
  [
    'Pallu Capital and Garuda Partners jointly invest ₹90 crore in Orna Sarees',
    ['Pallu Capital jointly invested ₹90 crore in Garuda Partners.', 'Orna Sarees jointly invested ₹90 crore.'],
  ],
  [
    'Bodhi Coffee had planned to open 30 cafes; opened only 4',
    ['Bodhi Coffee opened 30 cafes.', 'Bodhi Coffee plans to open 4 cafes.'],
  ],
];

describe.each(TRAPS)('given %j', (text, sentences) => {
  it.each(sentences)('then %j does not follow', (sentence) => {
    expect(refused(sentence, text)).not.toBeNull();
  });
});

describe('a quotation of a part', () => {
  const text = 'Tilak Shoes denies it will close its Nagpur factory\nKiri Foods opened 40 stores in Pune.';
  const quoting = (part: string, sentence: string): Refusal | null => {
    const start = text.indexOf(part);
    return refusal(sentence, [{ text, quoted: [{ start, end: start + part.length }] }]);
  };

  it('given a quotation that leaves out the negation, then the sentence counts as a whole', () => {
    expect(quoting('it will close its Nagpur factory', 'Tilak Shoes will close its Nagpur factory.')).toBe('modality');
    expect(
      quoting('it will close its Nagpur factory', 'Tilak Shoes denied it will close its Nagpur factory.'),
    ).toBeNull();
  });

  it('given a statement of another sentence than the one quoted, then it does not follow', () => {
    expect(quoting('Tilak Shoes denies', 'Kiri Foods opened 40 stores in Pune.')).toBe('verb');
    expect(quoting('40 stores in Pune', 'Kiri Foods opened 40 stores in Pune.')).toBeNull();
  });
});

it('given a hostile text of a source, then it is read in time that grows with its length, and nothing follows from it', () => {
  for (const words of ['opens and ', 'plans to open ', 'said that ', '₹1 crore to ', 'of the ', 'which, who, ', '12% '])
    expect(refused('Kiri Foods opened 40 stores in Pune.', words.repeat(400))).not.toBeNull();
});
