/** The rule and the words behind each field that was filled, for `--explain`. */
import type { Reason, Understanding } from '../../schemas/story.ts';
import type { WrittenBrand } from './brand-candidates.ts';
import { type ConfidenceModel, type FactKind, type Judged, strongestSigns } from './facts/confidence.ts';
import { findLocality } from './facts/places.ts';
import type { Figure } from './figures.ts';
import type { Subject } from './headline-subject.ts';
import type { Reading } from './item-reading.ts';
import type { Relevance } from './relevance.ts';

interface ExplainedItem {
  readonly reading: Reading;
  readonly subject: Subject;
  readonly relevance: Relevance;
  /** The features that decided the kind of move. */
  readonly moveWords: readonly string[];
  readonly brands: readonly WrittenBrand[];
  readonly delta: Figure | null;
  /** Every fact that the rules proposed, and the model that judged them; null where none did. */
  readonly facts: readonly Judged<unknown>[];
  readonly confidence: ConfidenceModel | null;
  readonly understanding: Understanding;
}

/** Which text a value was read in. */
function placeOf(reading: Reading, value: string): string {
  const isIn = (text: string): boolean => text.toLowerCase().includes(value.toLowerCase());
  return isIn(reading.title.text) ? 'headline' : isIn(reading.summary.text) ? 'summary' : 'catalogue';
}

/** Explains an item: one reason per value, in the order of the fields. */
export function explainUnderstanding(item: ExplainedItem): Reason[] {
  const { reading, subject, relevance, moveWords, brands, delta, understanding } = item;
  const { title } = reading;
  const reasons: Reason[] = [];
  const add = (field: string, rule: string, words: string): void => void reasons.push({ field, rule, words });
  add('relevant', `${relevance.rule}: ${relevance.reason}`, relevance.words().join(', '));
  add('move', 'move model', moveWords.join(', '));
  if (understanding.kind) add('kind', 'label of the move', understanding.kind);
  for (const brand of brands)
    add(
      'brands',
      `${brand.role}${brand.provisional ? ', provisional' : ''}, ${placeOf(reading, brand.written)}`,
      brand.written,
    );
  const verb = title.tokens[subject.verb];
  if (verb) add('subject', 'verb', verb.text);
  if (delta) add('delta', delta.kind, title.text.includes(delta.text) ? delta.text : spanOf(reading, delta));
  for (const city of understanding.cities) add('cities', `place, ${placeOf(reading, city)}`, city);
  if (understanding.mall) add('mall', `mall, ${placeOf(reading, understanding.mall)}`, understanding.mall);
  const locality = findLocality(title);
  if (locality) add('cities', 'part of a city, headline', locality.name);
  if (understanding.theme) add('theme', 'words and categories of the theme', understanding.theme.slug);
  if (understanding.event_at) add('event_at', 'date in the text', understanding.event_at);
  const fieldOf: Record<FactKind, string> = {
    people: 'people',
    openings: 'openings',
    deals: 'deal',
    results: 'result',
  };
  for (const { person, direction } of understanding.people)
    add('people', `${direction}, ${placeOf(reading, person)}`, person);
  for (const { brand, status } of understanding.openings) add('openings', status, brand);
  const { deal, result } = understanding;
  if (deal) add('deal', deal.type, [deal.target, deal.amount].filter(Boolean).join(', '));
  if (result) add('result', result.metric, [result.company, result.period, result.value].filter(Boolean).join(', '));
  if (item.confidence)
    for (const judged of item.facts)
      add(
        fieldOf[judged.kind],
        `${judged.isPublished ? 'confidence' : 'left out, confidence'} ${judged.confidence.toFixed(2)}`,
        strongestSigns(item.confidence, judged).join(', '),
      );
  return reasons;
}

/** A figure as its own text, headline or summary, writes it. */
function spanOf(reading: Reading, figure: Figure): string {
  const part = reading.title.figures.includes(figure) ? reading.title : reading.summary;
  return part.text.slice(figure.start, figure.end);
}
