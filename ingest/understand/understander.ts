/**
 * Understanding with all that it has: the encoder where its runtime loads, the linear models and rules everywhere. Its
 * two callers: the consumer of the topic `items`, which publishes stories to the topic `stories`; and the pure part of
 * `clarity understand`, JSON lines in, JSON lines out, where a bad line gets an error and the next lines are read.
 */

import { z } from 'zod';
import { FACTS } from '../../facts/all-facts.ts';
import { type ConfidenceModel, SHIPPED_CONFIDENCE } from '../../facts/confidence.ts';
import type { PreparedCatalogue } from '../../facts/text/catalogue.ts';
import { type ItemText, summaryTextOf } from '../../facts/text/item-reading.ts';
import type { DeadLetters } from '../../log/dead-letters.ts';
import { kindOf, messageOf, Stopping } from '../../log/errors.ts';
import { consumeMessages, type HandlingFailure, type MessageConsumer } from '../../log/message-consumer.ts';
import type { Topic } from '../../log/topic.ts';
import { type Event, type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import { fieldsWith } from '../../schemas/facts.ts';
import { type BrandRole, eventId } from '../../schemas/scalar.ts';
import type { ItemVector, Story } from '../../schemas/story.ts';
import {
  ENCODER,
  type EncodedItem,
  EncoderUnavailable,
  type ItemEncoder,
  sharedEncoder,
} from './encoder/item-encoder.ts';
import { type Models, SHIPPED_MODELS } from './model/linear-model.ts';
import type { ItemClaims } from './model-reading.ts';
import type { StoredReadings } from './stored-readings.ts';
import { chooseSummary, judgeSentences } from './summary.ts';
import { UNDERSTAND_VERSION, understandItem, type Verdict } from './understand-item.ts';

/** A verdict with the vector and the meaning of the item; null without the encoder. */
export type EncodedVerdict = Verdict & { readonly vector: ItemVector | null; readonly meaning: ItemVector | null };

export interface Understander {
  readonly catalogue: PreparedCatalogue;
  /** The versions of rules, weights and catalogue: what a story was understood by. */
  readonly version: string;
  readonly isEncoded: boolean;
  /** The encoder, for the same understanding with another catalogue; null without one. */
  readonly encode: ItemEncoder | null;
  /** What a language model said of an item, by the id of its event; unset where none reads. */
  readonly claims?: (itemEvent: string) => Promise<ItemClaims | null>;
  /** Understands one item; see `understandItem`. */
  understand(
    item: ItemText,
    options?: { readonly explain?: boolean; readonly claims?: ItemClaims | null },
  ): Promise<EncodedVerdict>;
}

/** A verdict whose summary is the sentence that the model chose. */
async function withSummary(
  verdict: Verdict,
  item: ItemText,
  encoded: EncodedItem,
  encode: ItemEncoder,
): Promise<Verdict> {
  const { understanding } = verdict;
  const summary = chooseSummary(await judgeSentences(understanding.headline, summaryTextOf(item), encoded, encode));
  return { ...verdict, understanding: { ...understanding, summary } };
}

/**
 * @param encode null to understand by the linear models and the rules alone
 * @param models replaces the shipped linear models, for measuring
 * @param confidence replaces the shipped model of facts; null publishes every fact that the rules propose
 */
export const createUnderstander = (
  catalogue: PreparedCatalogue,
  encode: ItemEncoder | null,
  models: Models = SHIPPED_MODELS,
  confidence: ConfidenceModel | null = SHIPPED_CONFIDENCE,
): Understander => ({
  catalogue,
  version: [UNDERSTAND_VERSION, ...(encode ? [ENCODER] : []), catalogue.catalogue.version].join('+'),
  isEncoded: encode !== null,
  encode,
  async understand(item, options = {}) {
    const encoded = encode && (await encode(item));
    const verdict = understandItem(item, catalogue, { ...options, encoded, models, confidence });
    return {
      ...(encoded && verdict.relevant ? await withSummary(verdict, item, encoded, encode) : verdict),
      vector: encoded?.vector ?? null,
      meaning: encoded?.meaning ?? null,
    };
  },
});

/**
 * Understands with the encoder of the process; without it where the native runtime does not load.
 * @param onUnavailable is called in that case, with the reason
 */
export async function openUnderstander(
  catalogue: PreparedCatalogue,
  onUnavailable: (reason: string) => void,
): Promise<Understander> {
  try {
    return createUnderstander(catalogue, await sharedEncoder());
  } catch (error) {
    if (!(error instanceof EncoderUnavailable)) throw error;
    onUnavailable(messageOf(error));
    return createUnderstander(catalogue, null);
  }
}

export const UNDERSTAND_GROUP = 'understand';

/** The story of an item event that was understood. Idempotent: its id is derived from the id of the item event. */
export function storyOf(
  found: KnownEvent<'ItemFound'>,
  { understanding, certainty, vector, meaning }: EncodedVerdict,
  { version }: Understander,
): KnownEvent<'StoryUnderstood'> {
  return newEvent(
    'StoryUnderstood',
    {
      item: found.data,
      understanding,
      understood_by: version,
      certainty,
      ...(vector && { vector }),
      ...(meaning && { meaning }),
    },
    {
      id: eventId('story', found.id, UNDERSTAND_VERSION),
      time: found.time,
      causation_id: found.id,
      correlation_id: found.correlation_id,
    },
  );
}

/** The key of a story: its first primary brand, else its first brand, else the address of its item. */
export function keyOf({ item, understanding: { brands } }: Story): string {
  const brand = brands.find(({ role }) => role === 'primary') ?? brands[0];
  return brand?.slug ?? item.url;
}

/**
 * Creates the story of an item event, with the key of its partition.
 * @returns null for noise, for items of oracle sources and for events that are no items
 * @throws UnreadableEvent when no schema accepts the event
 */
export async function createStory(
  event: Event,
  understander: Understander,
): Promise<{ key: string; event: Event } | null> {
  const item = readEvent(event);
  if (item.type !== 'ItemFound' || item.data.role === 'oracle') return null;
  const verdict = await understander.understand(item.data, { claims: await understander.claims?.(item.id) });
  if (!verdict.relevant) return null;
  const story = storyOf(item, verdict, understander);
  return { key: keyOf(story.data), event: story };
}

/** Stories of this many items of a batch are published together: matching begins while the rest is understood. */
const PUBLISHED_TOGETHER = 8;

interface Understanding {
  readonly items: Topic;
  readonly stories: Topic;
  readonly understander: Understander;
  /** Unset where no language model reads. */
  readonly readings?: StoredReadings | undefined;
  readonly deadLetters: DeadLetters;
  readonly logger: MessageConsumer['logger'];
  readonly signal: AbortSignal;
  readonly limits?: MessageConsumer['limits'];
}

/**
 * Understands items one after the other and publishes their stories together.
 * @returns the items that failed
 * @throws Stopping, and what publishing throws: none of the stories counts as published then
 */
async function publishStories(
  { stories, understander, readings, signal }: Understanding,
  events: readonly Event[],
): Promise<HandlingFailure[]> {
  const failures: HandlingFailure[] = [];
  const made: { key: string; event: Event }[] = [];
  await readings?.readAhead(events);
  for (const event of events) {
    if (signal.aborted) throw new Stopping('understanding stops within a batch, whose rest comes again');
    try {
      const story = await createStory(event, understander);
      if (story) made.push(story);
    } catch (error) {
      failures.push({ id: event.id, error });
    }
  }
  if (made.length > 0) await stories.publish(made);
  return failures;
}

/**
 * Consumes items and publishes stories until the signal aborts. An item that is unreadable, or that meets a defect, is
 * dead-lettered. When publishing fails for the moment, the items whose stories are published count as handled, and the
 * others are retried. See `consumeMessages`.
 */
export async function runUnderstand(parts: Understanding): Promise<void> {
  const { items, deadLetters, logger, signal, limits } = parts;
  await consumeMessages({
    deadLetters,
    logger,
    signal,
    ...(limits && { limits }),
    topic: items,
    group: UNDERSTAND_GROUP,
    handle: async (events) => {
      const failures: HandlingFailure[] = [];
      for (let from = 0; from < events.length; from += PUBLISHED_TOGETHER)
        try {
          failures.push(...(await publishStories(parts, events.slice(from, from + PUBLISHED_TOGETHER))));
        } catch (error) {
          // Of several stories one may be what the log refuses: each is published alone then.
          if (kindOf(error) !== 'transient') throw error;
          return [...failures, ...events.slice(from).map(({ id }) => ({ id, error }))];
        }
      return failures;
    },
  });
}

/** What a language model says of items, in their order; null for those that it did not read. */
export type ClaimsOf = (items: readonly ItemText[]) => Promise<(ItemClaims | null)[]>;

/** Lines that a language model reads at once, of which it is asked for the uncertain ones. */
const READ_TOGETHER = 16;

/** One line of input. `date` is RFC 3339 or a day in IST. */
const UnderstandLine = z.object({
  key: z.string(),
  title: z.string().min(1),
  summary: z.string().nullish(),
  url: z.string().nullish(),
  outlet: z.string().nullish(),
  date: z.string().nullish(),
});
export type UnderstandLine = z.infer<typeof UnderstandLine>;

/** Why a line is invalid. */
export interface LineError {
  readonly field: string;
  readonly message: string;
}

/** Names as the text writes them; `brands` has the catalogue's names. */
const names = (verdict: Verdict, role: BrandRole): string[] =>
  verdict.understanding.brands
    .filter((brand) => brand.role === role)
    .map((brand) => verdict.written[brand.slug] ?? brand.name);

/**
 * The facts that were read, with names as the text writes them in place of the catalogue's; `sure` is false for those that
 * are held back.
 */
function asWritten({ understanding: { brands }, facts, written }: Verdict): Partial<Verdict['understanding']> {
  const names = new Map(brands.map((brand) => [brand.name, written[brand.slug] ?? brand.name]));
  const own = (name: unknown): unknown => (typeof name === 'string' ? (names.get(name) ?? name) : name);
  return Object.assign(
    {},
    ...FACTS.map(({ kind, read }) =>
      fieldsWith(
        kind,
        facts
          .filter((one) => one.kind === kind)
          .toSorted((one, other) => Number(other.isPublished) - Number(one.isPublished))
          .map(({ fact, isPublished }) => ({
            ...(fact as object),
            ...Object.fromEntries(
              read.names.map((name) => {
                const value = (fact as Record<string, unknown>)[name];
                return [name, Array.isArray(value) ? value.map(own) : own(value)];
              }),
            ),
            ...(isPublished ? {} : { sure: false }),
          })),
      ),
    ),
  );
}

/**
 * Formats the result of one line.
 * @param key of the input line
 * @param explain adds `reasons`
 */
export function formatVerdict(key: string, verdict: Verdict, explain: boolean): Record<string, unknown> {
  return {
    key,
    relevant: verdict.relevant,
    reason: verdict.reason,
    roundup: verdict.roundup,
    ...verdict.understanding,
    ...asWritten(verdict),
    primary: names(verdict, 'primary'),
    secondary: names(verdict, 'secondary'),
    provisional: verdict.understanding.brands.filter((brand) => brand.provisional).map((brand) => brand.name),
    ...(explain ? { reasons: verdict.reasons } : {}),
  };
}

/** Reads one line of input. */
export function readLine(text: string): UnderstandLine | LineError {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The caller sees which line is not JSON; the parser's message adds nothing.
    return { field: 'line', message: 'not JSON: one object per line is expected' };
  }
  const parsed = UnderstandLine.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return { field: issue?.path.join('.') || 'line', message: issue?.message ?? 'not valid' };
}

/** A line as the input of `understandItem`. */
export const itemTextOf = (line: UnderstandLine): ItemText => ({
  title: line.title,
  summary: line.summary ?? null,
  url: line.url ?? '',
  outlet: line.outlet ?? '',
  published_at: line.date ?? null,
});

/**
 * Understands JSON lines one by one, with a language model by pages. Empty lines are skipped; lines count from 1.
 * @returns one JSON line per input line: the answer, or `{line, error: {field, message}}`
 */
export async function* understandLines(
  input: AsyncIterable<string>,
  understander: Understander,
  options: { explain?: boolean; claims?: ClaimsOf | undefined } = {},
): AsyncIterable<string> {
  const { explain = false, claims } = options;
  let line = 0;
  let page: (UnderstandLine | { readonly line: number; readonly error: LineError })[] = [];
  async function* answers(): AsyncIterable<string> {
    const read = await claims?.(page.flatMap((one) => ('error' in one ? [] : [itemTextOf(one)])));
    for (const one of page)
      if ('error' in one) yield JSON.stringify(one);
      else {
        const verdict = await understander.understand(itemTextOf(one), { explain, claims: read?.shift() ?? null });
        yield JSON.stringify(formatVerdict(one.key, verdict, explain));
      }
    page = [];
  }
  for await (const text of input) {
    line++;
    if (!text.trim()) continue;
    const read = readLine(text);
    page.push('field' in read ? { line, error: read } : read);
    if (!claims || page.length >= READ_TOGETHER) yield* answers();
  }
  yield* answers();
}
