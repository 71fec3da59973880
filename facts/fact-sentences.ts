/**
 * The sentence that states the facts of a story, for one of which no report has a summary. It says what the tables say,
 * and nothing of a fact that lacks what makes a sentence of it.
 */
import { dayInWords } from '../language/days.ts';
import { formatCount, joinNames } from '../language/prose.ts';
import { type Facts, statedFacts } from '../schemas/facts.ts';
import type { Understanding } from '../schemas/story.ts';
import type { Deal } from './deals/fields.ts';
import type { Enforcement } from './enforcement/fields.ts';
import type { Opening } from './openings/fields.ts';
import type { Appointment } from './people/fields.ts';
import type { Price } from './prices/fields.ts';
import { isExpected, type Result } from './results/fields.ts';
import { joined } from './wording.ts';

const from = (day: string | null): string => (day ? ` from ${dayInWords(day)}` : '');

function ofOpening({ brand, city, mall, locality, stores, status, date }: Opening): string | null {
  const place = joined([mall, locality, city]);
  const isPlan = status === 'announced' || status === 'planned';
  // A number of planned stores may be the size that a chain aims at.
  if (place === '' || (isPlan && stores !== null && stores > 1)) return null;
  const what = stores !== null && stores > 1 ? formatCount(stores, 'store') : 'a store';
  const verb = isPlan ? 'plans' : status;
  return `${brand} ${verb} ${what} ${mall ? 'at' : 'in'} ${place}${date ? `, ${isPlan ? 'for' : 'on'} ${dayInWords(date)}` : ''}.`;
}

function ofAppointment({ person, company, role, direction, from: former, to, effective }: Appointment): string | null {
  if (!company || !role) return null;
  if (direction === 'left')
    return `${person} leaves ${company} as ${role}${from(effective)}${to ? `, for ${to}` : ''}.`;
  const what = direction === 'promoted' ? 'is promoted to' : 'becomes';
  return `${person} ${what} ${role} at ${company}${former && former !== company ? ` from ${former}` : ''}${effective ? `, effective ${dayInWords(effective)}` : ''}.`;
}

const DEALS: Readonly<Record<Deal['type'], readonly [what: string, of: string]>> = {
  funding: ['Funding', 'for'],
  acquisition: ['Acquisition', 'of'],
  stake_sale: ['Sale of a stake', 'in'],
  ipo: ['Listing', 'of'],
  jv: ['Joint venture', 'with'],
  merger: ['Merger', 'of'],
};

/** A noun, since many headlines do not say how far a deal is. */
function ofDeal({ type, amount, target, buyers, status }: Deal): string | null {
  const [what, of] = DEALS[type];
  if (!target || (!amount && buyers.length === 0)) return null;
  const names = buyers.length > 0 ? ` ${type === 'funding' ? 'from' : 'by'} ${joinNames(buyers)}` : '';
  return `${what} ${of} ${target}${names}${amount ? `, ${amount}` : ''}${status ? ` (${status})` : ''}.`;
}

function ofResult({ company, period, metric, value, growth_pct }: Result): string | null {
  if (metric === 'outlook' || (value === null && growth_pct === null)) return null;
  const growth = growth_pct === null ? '' : `${growth_pct < 0 ? 'down' : 'up'} ${Math.abs(growth_pct)}%`;
  const what = metric.replace(/^expected /, '').replaceAll(/[_-]/g, ' ');
  const figure = joined([value && `of ${value}`, growth]);
  return `${company} ${isExpected(metric) ? 'expects' : 'reports'} ${what} ${figure}${period ? ` for ${period}` : ''}.`;
}

const ofEnforcement = ({ regulator, firm, action, status }: Enforcement): string | null =>
  regulator && firm ? `${regulator}, on ${firm}: ${joined([action, status])}.` : null;

const PRICES = { raised: 'raises', cut: 'cuts', set: 'sets' } as const;

function ofPrice({ brand, product, direction, from: before, to, by, place, effective }: Price): string | null {
  const change = joined([by && `by ${by}`, before && `from ${before}`, to && `to ${to}`], ' ');
  if (change === '') return null;
  const what = product ? `the price of ${product}` : 'prices';
  return `${brand} ${PRICES[direction]} ${what} ${change}${place ? ` in ${place}` : ''}${effective ? `, effective ${dayInWords(effective)}` : ''}.`;
}

const KINDS = [
  ['stores', (facts: Partial<Facts>) => statedFacts(facts, 'openings').map(ofOpening)],
  ['people', (facts: Partial<Facts>) => statedFacts(facts, 'people').map(ofAppointment)],
  ['results', (facts: Partial<Facts>) => statedFacts(facts, 'results').map(ofResult)],
  ['deals', (facts: Partial<Facts>) => statedFacts(facts, 'deals').map(ofDeal)],
  ['rules', (facts: Partial<Facts>) => statedFacts(facts, 'enforcement').map(ofEnforcement)],
  ['launches', (facts: Partial<Facts>) => statedFacts(facts, 'prices').map(ofPrice)],
] as const;

/** More facts are a table. */
const MAXIMUM = 2;

/**
 * What the facts of a story say, those of its kind of move first.
 * @returns null where no fact makes a sentence
 */
export function stateFacts(story: Partial<Facts> & Pick<Understanding, 'move'>): string | null {
  const own = KINDS.toSorted(([one], [other]) => Number(other === story.move) - Number(one === story.move));
  const sentences = own.flatMap(([, write]) => write(story)).filter((one) => one !== null);
  return sentences.length > 0 ? [...new Set(sentences)].slice(0, MAXIMUM).join(' ') : null;
}
