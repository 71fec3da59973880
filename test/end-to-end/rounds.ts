/**
 * Invented items for tests that compare two runs: one outlet per round reports an event, so that the first report does not
 * depend on timing.
 */
import type { Outlets } from '../harness/outlets.ts';

export const OUTLETS = ['first-paper', 'second-paper', 'third-paper', 'fourth-paper'] as const;

interface ReportedEvent {
  readonly event: string;
  /** One headline and summary per outlet, in the order of their reports, one per round. */
  readonly reports: readonly (readonly [title: string, summary: string])[];
  /** The round in which the first of them appears. */
  readonly from: number;
}

const openings: readonly (readonly [brand: string, city: string, mall: string])[] = [
  ['Zudio', 'Pune', 'Phoenix Marketcity'],
  ['Lenskart', 'Jaipur', 'World Trade Park'],
  ['Tanishq', 'Kochi', 'Lulu Mall'],
  ['Starbucks', 'Lucknow', 'Phoenix Palassio'],
  ['Croma', 'Indore', 'Treasure Island Mall'],
  ['Decathlon', 'Nagpur', 'Eternity Mall'],
  ['IKEA', 'Noida', 'DLF Mall of India'],
  ['Westside', 'Surat', 'VR Surat'],
  ['Kalyan Jewellers', 'Patna', 'City Centre'],
  ['Nykaa', 'Bhopal', 'DB City Mall'],
  ['Haldiram’s', 'Amritsar', 'Mall of Amritsar'],
  ['Bata', 'Coimbatore', 'Brookefields Mall'],
];

const raised: readonly (readonly [brand: string, amount: number, investor: string])[] = [
  ['Mamaearth', 310, 'Fireside Ventures'],
  ['Blue Tokai', 295, 'Verlinvest'],
  ['BlueStone', 540, 'Accel'],
  ['Country Delight', 175, 'Elevation Capital'],
  ['Wakefit', 220, 'Peak XV Partners'],
  ['Snitch', 330, 'IvyCap Ventures'],
];

const ROUNDS_OF_STARTS = 5;

const reportedEvents: readonly ReportedEvent[] = [
  ...openings.map(([brand, city, mall], index) => ({
    event: `opening-${index}`,
    from: index % ROUNDS_OF_STARTS,
    reports: [
      [
        `${brand} opens ${20 + index},000 sq ft store at ${mall}, ${city}`,
        `${brand} has opened its new store of ${20 + index},000 sq ft at ${mall} in ${city}, the company said.`,
      ],
      [
        `${city}: ${brand} opens a new store at ${mall}`,
        `The ${brand} outlet at ${mall}, ${city}, is spread over ${20 + index},000 sq ft.`,
      ],
      [
        `${brand} launches ${mall} outlet in ${city}`,
        `${brand} opened the ${20 + index},000 sq ft store in ${city} this week.`,
      ],
    ].slice(0, 1 + (index % 3)) as [string, string][],
  })),
  ...raised.map(([brand, amount, investor], index) => ({
    event: `funding-${index}`,
    from: (index + 2) % ROUNDS_OF_STARTS,
    reports: [
      [
        `${brand} raises ₹${amount} crore led by ${investor}`,
        `${brand} has raised Rs ${amount} crore in a round led by ${investor}.`,
      ],
      [
        `${brand} bags Rs ${amount} Cr from ${investor}`,
        `The round of ₹${amount} Cr in ${brand} was led by ${investor}.`,
      ],
    ].slice(0, 1 + (index % 2)) as [string, string][],
  })),
];

/** The number of rounds: in each, some events are reported for the first time and others again. */
export const ROUNDS = ROUNDS_OF_STARTS + 2;
export const EVENTS = reportedEvents.length;
/** All reports of the rounds. */
export const NEWS = reportedEvents.flatMap(({ reports }) => reports.flat()).join('\n');

/** Every headline of all rounds. */
export const roundTitles = (): string[] => reportedEvents.flatMap(({ reports }) => reports.map(([title]) => title));

/** Reports of all rounds up to and including this one. */
export const reportsUpTo = (round: number): number =>
  reportedEvents.reduce((sum, { from, reports }) => sum + Math.max(0, Math.min(reports.length, round - from + 1)), 0);

/** Publishes a round; `at` is the date that its items carry. */
export function publishRound(outlets: Outlets, round: number, at: Date): void {
  for (const [index, { event, from, reports }] of reportedEvents.entries()) {
    const report = reports[round - from];
    const outlet = OUTLETS[(index + round - from) % OUTLETS.length];
    if (!report || !outlet) continue;
    outlets.publish(outlet, { guid: `${event}-${outlet}`, title: report[0], summary: report[1], published: at });
  }
}
