/** Turns an authored event or an authored piece of noise into a happening of one cycle. */
import type { Authored, Noise } from '../authored.ts';
import { DAY, HOUR } from '../calendar.ts';
import { chance } from '../chance.ts';
import { occurrence } from '../cycle.ts';
import { tell } from '../live/tell.ts';
import type { Entry, Facts, Happening } from './happening.ts';
import { type Copy, delayOf, publish } from './publish.ts';

const factsOf = (event: Authored): Facts => ({
  move: event.move,
  brands: event.brands,
  also: event.also,
  cities: event.cities,
  mall: event.mall ?? null,
  figure: event.figure ?? null,
  person: event.person ?? null,
});

const placeOf = ({ brands, cities, mall, person }: Authored): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ brand: brands[0], city: cities[0], mall, person }).filter(
      (pair): pair is [string, string] => !!pair[1],
    ),
  );

const copiesOf = (event: Authored, key: string): Copy[] =>
  'told' in event
    ? Object.entries(event.told).map(([outlet, text]) => ({ outlet, ...text }))
    : tell(event.form, { ...placeOf(event), ...event.facts }, event.outlets, key);

const later = (at: Date, milliseconds: number): Date => new Date(at.getTime() + milliseconds);

/** The event in one cycle with everything that outlets will ever publish about it. */
export function authoredHappening(event: Authored, cycle: number): Happening {
  const key = `${event.id}-c${cycle}`;
  const facts = factsOf(event);
  const occurredAt = occurrence(event, cycle);
  const about = { facts, occurredAt };
  const written = 'told' in event ? event : null;
  const copies = copiesOf(event, key);

  const entries: Entry[] = copies.map((copy, rank) => {
    const publishedAt = later(occurredAt, delayOf(key, copy.outlet, rank));
    const edit = written?.edit?.outlet === copy.outlet ? written.edit : null;
    return publish(copy, {
      ...about,
      key,
      role: 'report',
      publishedAt,
      ...(edit && { edit: { outlet: copy.outlet, ...edit.text, at: later(publishedAt, edit.hours * HOUR) } }),
    });
  });
  const first = (outlet: string): Date =>
    entries.find((entry) => entry.outlet === outlet)?.publishedAt ?? entries[0]?.publishedAt ?? occurredAt;
  const follow = (role: 'correction' | 'resurfaced', copy: Copy, wait: number): Entry =>
    publish(copy, { ...about, role, key: `${key}-${role}`, publishedAt: later(first(copy.outlet), wait) });
  const { correction, again } = written ?? {};
  if (correction)
    entries.push(follow('correction', { outlet: correction.outlet, ...correction.text }, correction.hours * HOUR));
  if (again) entries.push(follow('resurfaced', { outlet: again.outlet, ...again.text }, again.days * DAY));

  const last = copies.at(-1);
  if (last && chance('oracle', key) < 0.7)
    entries.push(
      publish(
        { ...last, outlet: 'tradewatch', summary: null },
        { ...about, key, role: 'oracle', publishedAt: later(occurredAt, delayOf(key, 'tradewatch', 1)) },
      ),
    );
  return { key, event: event.id, facts, noise: null, occurredAt, entries };
}

/** A piece of noise in one cycle. */
export function noiseHappening(noise: Noise, cycle: number): Happening {
  const key = `${noise.id}-c${cycle}`;
  const occurredAt = occurrence(noise, cycle);
  const entry = publish(
    { outlet: noise.outlet, ...noise.text },
    { key, role: 'noise', facts: null, occurredAt, publishedAt: occurredAt },
  );
  return { key, event: noise.id, facts: null, noise: noise.kind, occurredAt, entries: [entry] };
}
