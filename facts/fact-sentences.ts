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

/** What a headline calls what is opened, the most specific first; the plural of a store counts too. */
const SHOPS =
  /(?<!\p{L})(multiplex|mall|restaurant|café|cafe|showroom|boutique|salon|kiosk|studio|clinic|experience cent(?:re|er)|outlet|store|shop)(?:s|es)?(?!\p{L})/giu;
const shopIn = (headline: string): string | null => {
  const names = [...headline.matchAll(SHOPS)].map(([, name = '']) => name.toLowerCase());
  return (
    names.find((name) => !/^(?:outlet|store|shop|mall)$/.test(name)) ?? names.find((name) => name !== 'mall') ?? null
  );
};

/** A store that was there before. */
const REVAMPS = /\b(?:revamp|renovat|refurbish|re-?open|re-?design|re-?launch)\w*/i;

const ofOpening =
  (headline: string) =>
  ({ brand, city, mall, locality, stores, status, date }: Opening): string | null => {
    const place = joined([mall, locality, city]);
    const isPlan = status === 'announced' || status === 'planned';
    // A number of planned stores may be the size that a chain aims at.
    if (place === '' || (isPlan && stores !== null && stores > 1)) return null;
    const shop = shopIn(headline);
    // `Enters Kolkata`: that it opened a store, nobody says.
    if (!shop) return null;
    const what =
      stores !== null && stores > 1 ? formatCount(stores, shop) : `${/^[aeo]/.test(shop) ? 'an' : 'a'} ${shop}`;
    const isAgain = status === 'opened' && REVAMPS.test(headline);
    const verb = isPlan ? 'plans' : isAgain ? 'reopened' : status;
    return `${brand} ${verb} ${what} ${mall ? 'at' : 'in'} ${place}${date ? `, ${isPlan ? 'for' : 'on'} ${dayInWords(date)}` : ''}.`;
  };

/** A headline that says what may come: its facts are listed, but nothing is said to be so. */
const UNSETTLED =
  /\b(?:in talks|likely|may|might|could|tipped|frontrunner|reportedly|said to|considers?|considering|mulls?|eyes)\b/i;

const ofAppointment =
  (headline: string) =>
  ({ person, company, role, direction, from: former, to, effective }: Appointment): string | null => {
    if (!company || !role || UNSETTLED.test(headline)) return null;
    if (direction === 'left')
      return `${person} leaves ${company} as ${role}${from(effective)}${to ? `, for ${to}` : ''}.`;
    const what = direction === 'promoted' ? 'is promoted to' : 'becomes';
    return `${person} ${what} ${role} at ${company}${former && former !== company ? ` from ${former}` : ''}${effective ? `, effective ${dayInWords(effective)}` : ''}.`;
  };

const DEALS: Readonly<Record<Deal['type'], readonly [what: string, of: string]>> = {
  funding: ['Funding', 'for'],
  acquisition: ['Acquisition', 'of'],
  stake_sale: ['Sale of a stake', 'in'],
  ipo: ['Listing', 'of'],
  jv: ['Joint venture', 'with'],
  merger: ['Merger', 'of'],
};

/** Who led a round did not give all of it. */
const roundOf = (buyers: string): string => (buyers ? ` in a round with ${buyers}` : '');
/** What makes it a round, and not one investor's investment. */
const ROUND = /\b(?:rais\w+|rounds?|series|seed|fund\w*)\b/i;

/** What the buyers of a deal are to it, where only its kind is known. */
const PARTIES: Readonly<Record<Deal['type'], string>> = {
  funding: 'from',
  acquisition: 'by',
  stake_sale: 'to',
  ipo: 'by',
  jv: 'and',
  merger: 'with',
};

/** A sentence where the story says how far the deal is and who is in it, else a noun: many headlines do not. */
const ofDeal =
  (headline: string) =>
  ({ type, amount, target, buyers, status }: Deal): string | null => {
    const [what, of] = DEALS[type];
    if (!target || (!amount && buyers.length === 0)) return null;
    const names = joinNames(buyers);
    const price = amount ? ` for ${amount}` : '';
    // A company's own plan is no rumour.
    const stage = status === 'rumoured' && /\bplan/i.test(headline) ? 'planned' : status;
    switch (`${type} ${stage}`) {
      case 'funding completed':
        if (amount) return `${target} raised ${amount}${roundOf(names)}.`;
        return ROUND.test(headline) ? `${target} raised funds${roundOf(names)}.` : `${names} invested in ${target}.`;
      case 'funding agreed':
        return amount ? `${target} is to raise ${amount}${roundOf(names)}.` : null;
      case 'acquisition completed':
        return names ? `${names} acquired ${target}${price}.` : null;
      case 'acquisition agreed':
        return names ? `${names} agreed to acquire ${target}${price}.` : null;
      case 'acquisition rumoured':
        return names ? `${names} may acquire ${target}${price}.` : null;
      case 'ipo planned':
        return `${target} plans a listing${amount ? ` of ${amount}` : ''}.`;
      default: {
        const by = names ? ` ${PARTIES[type]} ${names}` : '';
        return `${what} ${of} ${target}${by}${amount ? `, ${amount}` : ''}${stage === 'rumoured' ? ', not confirmed' : ''}.`;
      }
    }
  };

function ofResult({ company, period, metric, value, growth_pct }: Result): string | null {
  if (metric === 'outlook' || (value === null && growth_pct === null)) return null;
  const growth = growth_pct === null ? '' : `${growth_pct < 0 ? 'down' : 'up'} ${Math.abs(growth_pct)}%`;
  const what = metric.replace(/^expected /, '').replaceAll(/[_-]/g, ' ');
  const figure = joined([value && `of ${value}`, growth]);
  return `${company} ${isExpected(metric) ? 'expects' : 'reports'} ${what} ${figure}${period ? ` for ${period}` : ''}.`;
}

const ofEnforcement = ({ regulator, firm, action, status }: Enforcement): string | null =>
  // That there is a case says nothing of it.
  regulator && firm && action !== 'court case' ? `${regulator}, on ${firm}: ${joined([action, status])}.` : null;

const PRICES = { raised: 'raises', cut: 'cuts', set: 'sets' } as const;

function ofPrice({ brand, product, direction, from: before, to, by, place, effective }: Price): string | null {
  const change = joined([by && `by ${by}`, before && `from ${before}`, to && `to ${to}`], ' ');
  if (change === '') return null;
  const what = product ? `the price of ${product}` : 'prices';
  return `${brand} ${PRICES[direction]} ${what} ${change}${place ? ` in ${place}` : ''}${effective ? `, effective ${dayInWords(effective)}` : ''}.`;
}

type Stated = Partial<Facts> & Pick<Understanding, 'move' | 'headline'>;

const KINDS = [
  ['stores', (facts: Stated) => statedFacts(facts, 'openings').map(ofOpening(facts.headline))],
  ['people', (facts: Stated) => statedFacts(facts, 'people').map(ofAppointment(facts.headline))],
  ['results', (facts: Stated) => statedFacts(facts, 'results').map(ofResult)],
  ['deals', (facts: Stated) => statedFacts(facts, 'deals').map(ofDeal(facts.headline))],
  ['rules', (facts: Stated) => statedFacts(facts, 'enforcement').map(ofEnforcement)],
  ['launches', (facts: Stated) => statedFacts(facts, 'prices').map(ofPrice)],
] as const;

/** More facts are a table. */
const MAXIMUM = 2;

/**
 * What the facts of a story say, those of its kind of move first.
 * @returns null where no fact makes a sentence
 */
export function stateFacts(story: Stated): string | null {
  const own = KINDS.toSorted(([one], [other]) => Number(other === story.move) - Number(one === story.move));
  const sentences = own.flatMap(([, write]) => write(story)).filter((one) => one !== null);
  return sentences.length > 0 ? [...new Set(sentences)].slice(0, MAXIMUM).join(' ') : null;
}
