/** Reads the authored events and the authored noise, and refuses a file that is wrong, naming file, event and field. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { Move, Slug, slugify } from '../schemas/scalar.ts';
import { CYCLE_DAYS } from './cycle.ts';
import { outletById } from './outlets.ts';

const FOLDER = join(import.meta.dirname, 'events');

/** `Tanishq, Titan` */
const Names = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((name) => name.trim()))
  .transform((names) => names.filter(Boolean));

/** `headline | summary`, the summary being optional. */
const Text = z.string().transform((text) => {
  const [headline = '', summary] = text.split(' | ');
  return { headline: headline.trim(), summary: summary?.trim() ?? null };
});
export type Text = z.output<typeof Text>;

const OutletId = z
  .string()
  .refine((id) => outletById.has(id), { error: ({ input }) => `no outlet is called ${input}` });
const Told = z.record(OutletId, Text);

const About = {
  id: Slug,
  move: Move,
  /** Of the cycle, 0 up to 119; drawn by lot where the order of events does not matter. */
  day: z
    .number()
    .min(0)
    .max(CYCLE_DAYS - 1)
    .optional(),
  brands: Names,
  also: Names,
  cities: Names,
  mall: z.string().optional(),
  /** The figure that tells the move, in neutral form. */
  figure: z.string().optional(),
  person: z.string().optional(),
};

/** An event whose reports were written by hand. */
const Written = z.strictObject({
  ...About,
  told: Told,
  /** A headline that an outlet changes some hours after it went out. */
  edit: z.strictObject({ outlet: OutletId, hours: z.number().positive(), text: Text }).optional(),
  /** A later item that puts a figure right. */
  correction: z.strictObject({ outlet: OutletId, hours: z.number().positive(), text: Text }).optional(),
  /** The same event told once more, weeks later, with nothing new. */
  again: z.strictObject({ outlet: OutletId, days: z.number().min(20).max(90), text: Text }).optional(),
});

/** An event given by its facts, which the outlets put into words with the shapes of its form. */
const Dispatch = z.strictObject({
  ...About,
  form: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number()])),
  outlets: Names,
});

export type Written = z.output<typeof Written>;
export type Dispatch = z.output<typeof Dispatch>;
export type Authored = Written | Dispatch;

/** An item that is no event. */
export interface Noise {
  readonly id: string;
  readonly kind: string;
  readonly outlet: string;
  readonly text: Text;
}

const read = <T>(file: string, schema: z.ZodType<T>): T => {
  const parsed = schema.safeParse(parse(readFileSync(join(FOLDER, file), 'utf8')));
  if (!parsed.success) throw new Error(`demo/events/${file}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
};

function unique<T extends { id: string }>(list: T[]): T[] {
  const ids = new Set<string>();
  for (const { id } of list) {
    if (ids.has(id)) throw new Error(`demo/events: the id ${id} stands twice`);
    ids.add(id);
  }
  return list;
}

const NOISE_FILE = 'noise.yaml';

/** All authored events, from every file of the folder. @throws Error naming file and field, or an id used twice */
export function authoredEvents(): Authored[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== NOISE_FILE);
  const events = files.sort().flatMap((file) => read<Authored[]>(file, z.array(z.union([Written, Dispatch]))));
  return unique(events);
}

function noiseOf(kind: string, line: string): Noise {
  const [outlet = '', ...rest] = line.split(' | ');
  if (!outletById.has(outlet)) throw new Error(`demo/events/${NOISE_FILE}: no outlet is called ${outlet}: ${line}`);
  const text = Text.parse(rest.join(' | '));
  const id = `${kind}-${slugify(text.headline)}`.replaceAll('_', '-').slice(0, 60).replace(/-+$/, '');
  return { id, kind, outlet, text };
}

/** The authored noise: lists of `outlet | headline | summary` by kind of noise. */
export function authoredNoise(): Noise[] {
  const kinds = read(NOISE_FILE, z.record(z.string(), z.array(z.string())));
  return unique(Object.entries(kinds).flatMap(([kind, lines]) => lines.map((line) => noiseOf(kind, line))));
}
