/**
 * The archive of a topic: its messages as gzipped JSON Lines in an object store, for longer than the topic keeps them. The
 * archiver is a consumer group: messages that it has not stored are not removed from a topic in PostgreSQL.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { type Event, readEnvelope } from '../../schemas/events.ts';
import { keepRunning, RETRY } from '../backoff.ts';
import { type ErrorLogger, logError } from '../errors.ts';
import { type Batch, consumeToEnd, type Topic } from '../topic.ts';
import type { ObjectStore } from './object-store.ts';

export const ARCHIVE_GROUP = 'archive';

/** Messages of an object. */
const BATCH = 5_000;
/** An object of the largest messages has less, in bytes. */
const MAXIMUM_TEXT = 2_000_000_000;

/** An object of the archive is not what was stored. */
export class ArchiveDamaged extends Error {
  override name = 'ArchiveDamaged';
}

/** `items/0003/000000000012345-000000000017345-8f3a….jsonl.gz`: partition, offsets, and the beginning of the hash of the text. */
const NAME = /^(\d{4})\/(\d{15})-(\d{15})-([0-9a-f]{16})\.jsonl\.gz$/;
const Line = z.object({ key: z.string(), offset: z.coerce.bigint(), event: z.unknown() });

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
const padded = (number: number | bigint, digits: number): string => String(number).padStart(digits, '0');

/**
 * Stores a batch as one object. The name is made of the content: storing it again changes nothing, and a recreated topic,
 * whose offsets begin at 0 again, replaces nothing.
 */
async function store(objects: ObjectStore, topic: string, { partition, messages, from, to }: Batch): Promise<void> {
  if (messages.length === 0) return;
  const lines = messages.map(({ key, offset, event }) => JSON.stringify({ offset: String(offset), key, event }));
  const text = `${lines.join('\n')}\n`;
  const name = `${padded(partition, 4)}/${padded(from, 15)}-${padded(to, 15)}-${hashOf(text)}.jsonl.gz`;
  await objects.put(`${topic}/${name}`, await promisify(gzip)(text));
}

interface Archiving {
  readonly objects: ObjectStore;
  readonly signal: AbortSignal;
  /** Called with the messages stored so far, and of those to store. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Stores what the archive lacks, up to the end of the topic. Several processes may do so at once: they share the partitions. A
 * process that dies has stored an object without remembering it at most: the next one stores it again.
 * @returns the number of messages that were stored
 * @throws what the object store throws
 */
export const archiveTopic = (topic: Topic, { objects, ...archiving }: Archiving): Promise<number> =>
  consumeToEnd(topic, {
    ...archiving,
    group: ARCHIVE_GROUP,
    batchSize: BATCH,
    handle: (batch) => store(objects, topic.name, batch),
  });

/**
 * Reads the archive of a topic, each partition in its order. An event may arrive twice.
 * @param take receives the events of an object
 * @param onProgress called with the objects read so far, and of those to read
 * @throws ArchiveDamaged, what the object store throws, or the reason of `signal`
 */
export async function readArchive(
  topic: string,
  { objects, signal, onProgress }: Archiving,
  take: (events: readonly Event[]) => void | Promise<void>,
): Promise<void> {
  const names = (await objects.list(`${topic}/`)).filter((name) => NAME.test(name.slice(topic.length + 1)));
  for (const [index, name] of names.entries()) {
    signal.throwIfAborted();
    const hash = NAME.exec(name.slice(topic.length + 1))?.[4];
    const packed = await objects.get(name);
    const text = await promisify(gunzip)(packed, { maxOutputLength: MAXIMUM_TEXT }).then(String, () => null);
    if (text === null || hashOf(text) !== hash)
      throw new ArchiveDamaged(`the object ${name} of the archive is not what was stored; restore it from a copy`);
    const lines = text.split('\n').slice(0, -1);
    await take(lines.map((line) => readEnvelope(Line.parse(JSON.parse(line)).event)));
    onProgress?.(index + 1, names.length);
  }
}

/** Milliseconds between two rounds: an object has the messages of an hour. */
const EVERY = 3_600_000;

export interface ArchiveJob {
  readonly topics: readonly Topic[];
  readonly objects: ObjectStore;
  readonly logger: ErrorLogger & Readonly<Record<'info', (about: object, message: string) => void>>;
  readonly signal: AbortSignal;
  readonly every?: number;
}

/** Archives at the start and every hour, until the signal aborts. */
export async function runArchive({ topics, objects, logger, signal, every = EVERY }: ArchiveJob): Promise<void> {
  const archive = async (): Promise<void> => {
    for (const topic of topics) {
      const messages = await archiveTopic(topic, { objects, signal });
      if (messages > 0) logger.info({ topic: topic.name, messages }, 'messages were archived');
    }
  };
  await keepRunning(archive, {
    ...RETRY.job,
    maximum: every,
    every,
    signal,
    failed: (error) => logError(logger, error, {}, 'topics could not be archived; trying again'),
  });
}
