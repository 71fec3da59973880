import { expect, test } from 'vitest';
import { listFallen, readCommitted } from '../../eval/evaluate.ts';
import { OWN_ITEMS, readLabelled, toItemText } from '../../eval/labelled-items.ts';
import { measureUnderstanding } from '../../eval/measure-understanding.ts';
import { trainSoftmax } from '../../eval/train-understanding.ts';
import { loadCatalogue, prepareCatalogue } from '../../facts/text/catalogue.ts';
import { openItemEncoder } from '../../ingest/understand/encoder/item-encoder.ts';
import { scoreBoth } from '../../ingest/understand/model/linear-model.ts';
import { createUnderstander } from '../../ingest/understand/understander.ts';
import { MOVES } from '../../schemas/scalar.ts';

test('given items that were not used for training, then no figure is lower than the committed one', async () => {
  const items = (await readLabelled(OWN_ITEMS.pathname)).filter((item) => item.split === 'test');
  const catalogue = prepareCatalogue(await loadCatalogue('deploy/catalogue'));
  const understander = createUnderstander(catalogue, await openItemEncoder());
  expect(listFallen(readCommitted('understanding'), await measureUnderstanding(items, understander))).toEqual([]);
});

test('given the labelled set, then it has every kind, and each headline once', async () => {
  const items = await readLabelled(OWN_ITEMS.pathname);
  expect(new Set(items.map((item) => toItemText(item).title)).size).toBe(items.length);
  for (const move of MOVES)
    expect(
      items.some((item) => item.move === move),
      move,
    ).toBe(true);
});

test('given examples that one feature separates, then the trained weights separate them, and are the same each time', () => {
  const examples = ['a', 'b'].flatMap((label) =>
    [1, 2, 3].map((n) => ({
      label,
      features: new Map([
        [`word:${label}`, 1],
        [`noise:${n}`, 1],
      ]),
    })),
  );
  const weights = trainSoftmax(examples, ['a', 'b'], { ridge: 0.1, steps: 100, atLeast: 2 });
  expect(scoreBoth(weights, weights, new Map([['word:b', 1]]))[0].best).toBe('b');
  expect(trainSoftmax(examples, ['a', 'b'], { ridge: 0.1, steps: 100, atLeast: 2 })).toEqual(weights);
});
