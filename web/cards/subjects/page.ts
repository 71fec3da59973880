/** The cards of pages that are about everything. */
import { Refusal } from '../../../schemas/refusal.ts';
import type { Card } from '../draw.ts';
import type { CardSubject } from '../subject.ts';

const card = (heading: string, note: string): Card => ({ kicker: [], heading, note, foot: ['Dated, with its source'] });

/** The card of a page without one of its own. */
export const GENERAL_CARD = 'clarity';

const CARDS: Readonly<Record<string, Card>> = {
  [GENERAL_CARD]: card(
    'Every move in Indian retail, on the record',
    'Store openings, deals, people, results, launches, strategy and rules.',
  ),
  brief: card('The morning brief', 'What mattered most in Indian retail, at 07:30 every day.'),
  ask: card('Ask the record', 'Answers whose every claim names the move it rests on.'),
  watch: card('Competitor Watch', 'Several brands side by side, by kind of move.'),
  map: card('Who is opening where', 'Store openings in India by city, mall and category.'),
  people: card('Who joined, left or rose', 'Appointments in Indian retail, and the seats that stand empty.'),
  sources: card('Where the moves come from', 'Every source, how it does, and what the feed missed.'),
  developers: card('The record as an API', 'REST, feeds, tables and the Model Context Protocol.'),
};

/** The card of a page of the navigation, by the first part of its path. */
export const cardOfPath = (path: string): string => {
  const name = /^\/([a-z]+)/.exec(path)?.[1] ?? GENERAL_CARD;
  return Object.hasOwn(CARDS, name) ? name : GENERAL_CARD;
};

/** @throws Refusal `not_found` for a page that has no picture of its own */
export const pageCard: CardSubject = async (_site, name) => {
  const found = Object.hasOwn(CARDS, name) ? CARDS[name] : undefined;
  if (!found) throw new Refusal('not_found', 'No picture has this address.');
  return found;
};
