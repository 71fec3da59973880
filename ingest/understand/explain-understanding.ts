/** The rule and the words behind each field that was filled, for `--explain`. */
import type { Reason, Understanding } from '../../schemas/story.ts';
import type { NamedBrand } from './brands.ts';
import { findLocality } from './facts/places.ts';
import type { Figure } from './figures.ts';
import type { Subject } from './headline-subject.ts';
import type { Reading } from './item-reading.ts';
import type { Relevance } from './relevance.ts';

export interface ExplainedItem {
  readonly reading: Reading;
  readonly subject: Subject;
  readonly relevance: Relevance;
  /** The features that decided the kind of move. */
  readonly moveWords: readonly string[];
  readonly brands: readonly NamedBrand[];
  readonly delta: Figure | null;
  readonly understanding: Understanding;
}

/** Which text a value was read in. */
function placeOf(reading: Reading, value: string): string {
  const held = (text: string): boolean => text.toLowerCase().includes(value.toLowerCase());
  return held(reading.title.text) ? 'headline' : held(reading.summary.text) ? 'summary' : 'catalogue';
}

/** One reason a field, in the order of the fields. */
export function explainUnderstanding(told: ExplainedItem): Reason[] {
  const { reading, subject, relevance, moveWords, brands, delta, understanding } = told;
  const { title } = reading;
  const reasons: Reason[] = [];
  const say = (field: string, rule: string, words: string): void => void reasons.push({ field, rule, words });
  say('relevant', `${relevance.rule}: ${relevance.reason}`, relevance.words().join(', '));
  say('move', 'move model', moveWords.join(', '));
  if (understanding.kind) say('kind', 'label of the move', understanding.kind);
  for (const brand of brands)
    say(
      'brands',
      `${brand.role}${brand.provisional ? ', provisional' : ''}, ${placeOf(reading, brand.written)}`,
      brand.written,
    );
  const verb = title.tokens[subject.verb];
  if (verb) say('subject', 'verb', verb.text);
  if (delta) say('delta', delta.kind, title.text.includes(delta.text) ? delta.text : spanOf(reading, delta));
  for (const city of understanding.cities) say('cities', `place, ${placeOf(reading, city)}`, city);
  if (understanding.mall) say('mall', `mall, ${placeOf(reading, understanding.mall)}`, understanding.mall);
  const locality = findLocality(title);
  if (locality) say('cities', 'part of a city, headline', locality.name);
  if (understanding.theme) say('theme', 'words and categories of the theme', understanding.theme.slug);
  if (understanding.event_at) say('event_at', 'date in the text', understanding.event_at);
  for (const { person, direction } of understanding.people)
    say('people', `${direction}, ${placeOf(reading, person)}`, person);
  for (const { brand, status } of understanding.openings) say('openings', status, brand);
  const { deal, result } = understanding;
  if (deal) say('deal', deal.type, [deal.target, deal.amount].filter(Boolean).join(', '));
  if (result) say('result', result.metric, [result.company, result.period, result.value].filter(Boolean).join(', '));
  return reasons;
}

/** A figure as its own text writes it: it stands in the headline when its place is inside it and reads the same. */
function spanOf(reading: Reading, figure: Figure): string {
  const part = reading.title.figures.includes(figure) ? reading.title : reading.summary;
  return part.text.slice(figure.start, figure.end);
}
