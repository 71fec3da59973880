/** The authored events and the authored noise: read from YAML, validated, and published in one cycle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { Move, Slug, slugify } from '../schemas/scalar.ts';
import { CYCLE_DAYS, chance, DAY, HOUR, timeInCycle } from './calendar.ts';
import { writeReports } from './live/wording.ts';
import { outletById } from './outlets.ts';
import { type Copy, drawDelay, type Entry, type EventFacts, type Occurrence, publishEntry } from './publishing.ts';

const FOLDER = join(import.meta.dirname, 'events');

/** `Tanishq, Titan` */
const Names = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((name) => name.trim()))
  .transform((names) => names.filter(Boolean));

/** `headline | summary`, the summary being optional. */
const ReportText = z.string().transform((text) => {
  const [headline = '', summary] = text.split(' | ');
  return { headline: headline.trim(), summary: summary?.trim() ?? null };
});
type Text = z.output<typeof ReportText>;

const OutletId = z
  .string()
  .refine((id) => outletById.has(id), { error: ({ input }) => `no outlet is called ${input}` });
const Reports = z.record(OutletId, ReportText);

const EVENT_FIELDS = {
  id: Slug,
  move: Move,
  /** Day of the cycle, 0 to 119; derived from the id where the order of events does not matter. */
  day: z
    .number()
    .min(0)
    .max(CYCLE_DAYS - 1)
    .optional(),
  brands: Names,
  also: Names,
  cities: Names,
  mall: z.string().optional(),
  /** The figure that sums up the move, in neutral form. */
  figure: z.string().optional(),
  person: z.string().optional(),
};

/** An event whose reports were written by hand. */
const WrittenEvent = z.strictObject({
  ...EVENT_FIELDS,
  reports: Reports,
  /** A headline that an outlet changes some hours after publishing it. */
  edit: z.strictObject({ outlet: OutletId, hours: z.number().positive(), text: ReportText }).optional(),
  /** A later item that corrects a figure. */
  correction: z.strictObject({ outlet: OutletId, hours: z.number().positive(), text: ReportText }).optional(),
  /** The same event reported again, weeks later, with nothing new. */
  again: z.strictObject({ outlet: OutletId, days: z.number().min(20).max(90), text: ReportText }).optional(),
});

/** An event given by its facts, which the outlets put into words with the shapes of its form. */
const DispatchEvent = z.strictObject({
  ...EVENT_FIELDS,
  form: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  outlets: Names,
});

type Written = z.output<typeof WrittenEvent>;
type Dispatch = z.output<typeof DispatchEvent>;
export type AuthoredEvent = Written | Dispatch;

/** An item that is no event. */
export interface AuthoredNoise {
  readonly id: string;
  readonly kind: string;
  readonly outlet: string;
  readonly text: Text;
}

const readYaml = <T>(file: string, schema: z.ZodType<T>): T => {
  const parsed = schema.safeParse(parse(readFileSync(join(FOLDER, file), 'utf8')));
  if (!parsed.success) throw new Error(`demo/events/${file}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
};

function requireUniqueIds<T extends { id: string }>(list: T[]): T[] {
  const ids = new Set<string>();
  for (const { id } of list) {
    if (ids.has(id)) throw new Error(`demo/events: the id ${id} occurs twice`);
    ids.add(id);
  }
  return list;
}

const NOISE_FILE = 'noise.yaml';

/** Reads all authored events, from every file of the folder. @throws Error naming file and field, or an id used twice */
export function readAuthoredEvents(): AuthoredEvent[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== NOISE_FILE);
  const events = files
    .sort()
    .flatMap((file) => readYaml<AuthoredEvent[]>(file, z.array(z.union([WrittenEvent, DispatchEvent]))));
  return requireUniqueIds(events);
}

function noiseOf(kind: string, line: string): AuthoredNoise {
  const [outlet = '', ...rest] = line.split(' | ');
  if (!outletById.has(outlet)) throw new Error(`demo/events/${NOISE_FILE}: no outlet is called ${outlet}: ${line}`);
  const text = ReportText.parse(rest.join(' | '));
  const id = `${kind}-${slugify(text.headline)}`.replaceAll('_', '-').slice(0, 60).replace(/-+$/, '');
  return { id, kind, outlet, text };
}

/** Reads the authored noise: lists of `outlet | headline | summary` by kind of noise. */
export function readAuthoredNoise(): AuthoredNoise[] {
  const kinds = readYaml(NOISE_FILE, z.record(z.string(), z.array(z.string())));
  return requireUniqueIds(Object.entries(kinds).flatMap(([kind, lines]) => lines.map((line) => noiseOf(kind, line))));
}

const factsOf = (event: AuthoredEvent): EventFacts => ({
  move: event.move,
  brands: event.brands,
  also: event.also,
  cities: event.cities,
  mall: event.mall ?? null,
  figure: event.figure ?? null,
  person: event.person ?? null,
});

const placeOf = ({ brands, cities, mall, person }: AuthoredEvent): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ brand: brands[0], city: cities[0], mall, person }).filter(
      (pair): pair is [string, string] => !!pair[1],
    ),
  );

const copiesOf = (event: AuthoredEvent, key: string): Copy[] =>
  'reports' in event
    ? Object.entries(event.reports).map(([outlet, text]) => ({ outlet, ...text }))
    : writeReports(event.form, { ...placeOf(event), ...event.facts }, event.outlets, key);

const later = (at: Date, milliseconds: number): Date => new Date(at.getTime() + milliseconds);

/** Publishes an event in one cycle: all items that outlets will ever publish about it. */
export function publishAuthored(event: AuthoredEvent, cycle: number): Occurrence {
  const key = `${event.id}-c${cycle}`;
  const facts = factsOf(event);
  const occurredAt = timeInCycle(event, cycle);
  const about = { facts, occurredAt };
  const written = 'reports' in event ? event : null;
  const copies = copiesOf(event, key);

  const entries: Entry[] = copies.map((copy, rank) => {
    const publishedAt = later(occurredAt, drawDelay(key, copy.outlet, rank));
    const edit = written?.edit?.outlet === copy.outlet ? written.edit : null;
    return publishEntry(copy, {
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
    publishEntry(copy, { ...about, role, key: `${key}-${role}`, publishedAt: later(first(copy.outlet), wait) });
  const { correction, again } = written ?? {};
  if (correction)
    entries.push(follow('correction', { outlet: correction.outlet, ...correction.text }, correction.hours * HOUR));
  if (again) entries.push(follow('resurfaced', { outlet: again.outlet, ...again.text }, again.days * DAY));

  const last = copies.at(-1);
  if (last && chance('oracle', key) < 0.7)
    entries.push(
      publishEntry(
        { ...last, outlet: 'tradewatch', summary: null },
        { ...about, key, role: 'oracle', publishedAt: later(occurredAt, drawDelay(key, 'tradewatch', 1)) },
      ),
    );
  return { key, event: event.id, facts, noise: null, occurredAt, entries };
}

/** Publishes a piece of noise in one cycle. */
export function publishNoise(noise: AuthoredNoise, cycle: number): Occurrence {
  const key = `${noise.id}-c${cycle}`;
  const occurredAt = timeInCycle(noise, cycle);
  const entry = publishEntry(
    { outlet: noise.outlet, ...noise.text },
    { key, role: 'noise', facts: null, occurredAt, publishedAt: occurredAt },
  );
  return { key, event: noise.id, facts: null, noise: noise.kind, occurredAt, entries: [entry] };
}
