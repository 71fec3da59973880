/** What the fields that operators correct are called. */
import { FACTS } from '../facts/all-facts.ts';
import type { Correctable } from '../schemas/signal.ts';

const ofFacts = (part: 'title' | 'phrase') =>
  Object.fromEntries(FACTS.map(({ form, stored }) => [stored.field, form[part]]));

/** As the head of a field. */
export const FIELD_TITLES = {
  headline: 'Headline',
  summary: 'Summary',
  move: 'Kind',
  brands: 'Brands',
  cities: 'Cities',
  delta: 'Figure',
  ...ofFacts('title'),
} as Readonly<Record<Correctable, string>>;

/** In a sentence. */
export const FIELD_PHRASES = {
  headline: 'the headline',
  summary: 'the summary',
  move: 'the kind of move',
  brands: 'the brands',
  cities: 'the cities',
  delta: 'the figure',
  ...ofFacts('phrase'),
} as Readonly<Record<Correctable, string>>;
