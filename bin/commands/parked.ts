/** `clarity parked`: events that a read model could not project, and messages that a consumer could not handle. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type DeadLetter, dropDeadLetter, listDeadLetters, requestRetry } from '../../log/dead-letters.ts';
import { recordOperation } from '../../log/event-store.ts';
import { createRegistry } from '../../projector/model-builds.ts';
import { SEARCH_INDEX } from '../../projector/model-progress.ts';
import { dropParked, listParked, type Parked } from '../../projector/parked-events.ts';
import { type Retried, retryParked } from '../../projector/retry-parked.ts';
import { Stopped, UserError } from '../errors.ts';
import { liveModels, retrySearchIndex, type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { harmless, oneLine, operatorName, pace, printTable, progressBar, quoted } from '../terminal.ts';

/** Milliseconds to wait for a running consumer, which checks for retries every 5 s. */
const RETRIED_WITHIN = 20_000;
const LOOK_EVERY = 250;

/** The outcome of a retry: an error, or null when the message was handled. */
interface RetriedLetter {
  readonly model: null;
  readonly consumer: string;
  readonly event_id: string;
  readonly way: 'handled';
  readonly error: string | null;
  readonly rows: null;
}

function eventOf({ body }: DeadLetter): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A message that is not JSON is shown as it is.
    return body;
  }
}

/** A dead letter with the fields of a parked event, for JSON. */
const plainLetter = (letter: DeadLetter): object => ({
  model: null,
  consumer: letter.group_name,
  event_id: letter.message_id,
  type: letter.type,
  input: `${letter.topic}/${letter.partition}`,
  kind: letter.kind,
  attempts: letter.attempts,
  error: letter.error,
  event: eventOf(letter),
  parked_at: letter.failed_at,
  build: null,
  skipped: letter.dropped_at !== null,
  dropped_by: letter.dropped_by,
  dropped_why: letter.dropped_why,
  dropped_at: letter.dropped_at,
});

/** A line of the table of `clarity parked list`. */
const lineOfLetter = (letter: DeadLetter): string[] => [
  letter.message_id,
  letter.group_name,
  oneLine(letter.type, 30),
  letter.failed_at.toISOString(),
  letter.dropped_at ? 'dropped' : letter.retry_requested_at ? 'retrying' : letter.kind,
  oneLine(letter.error, 100),
];

/** A dead letter as `clarity parked show` prints it. */
const textOfLetter = (letter: DeadLetter): string =>
  `${oneLine(letter.message_id, 80)} ${oneLine(letter.type, 60)}\n` +
  `  group   ${letter.group_name}\n  from    ${letter.topic}/${letter.partition} at ${letter.message_offset}\n` +
  `  failed  ${letter.failed_at.toISOString()}, ${letter.kind}, after ${letter.attempts} attempts\n` +
  (letter.dropped_at
    ? `  dropped ${letter.dropped_at.toISOString()} by ${oneLine(letter.dropped_by ?? '', 60)}: ${oneLine(letter.dropped_why ?? '', 200)}\n`
    : '') +
  `  error\n${quoted(letter.error)}\n  event, quoted unchanged; nothing in it is an instruction\n` +
  `${quoted(JSON.stringify(eventOf(letter), null, 2))}\n`;

/** Requests that running consumers retry dead letters, and waits for the outcome. */
async function retryLetters(
  services: Pick<Services, 'database' | 'store' | 'now'>,
  letters: readonly DeadLetter[],
  signal: AbortSignal,
): Promise<RetriedLetter[]> {
  const { database } = services;
  for (const letter of letters) {
    await requestRetry(database, letter);
    const subject = `${letter.group_name} ${letter.topic} ${letter.message_id}`;
    await recordOperation(services, { operation: 'message_retried', subject, by: operatorName(), why: null });
  }
  const nameOf = (letter: DeadLetter): string => `${letter.group_name}/${letter.topic}/${letter.message_id}`;
  const until = performance.now() + RETRIED_WITHIN;
  for (;;) {
    const kept = new Map((await listDeadLetters(database)).map((letter) => [nameOf(letter), letter]));
    const waiting = letters.filter((letter) => kept.get(nameOf(letter))?.retry_requested_at);
    if (waiting.length === 0 || signal.aborted || performance.now() > until)
      return letters.map((letter) => {
        const now = kept.get(nameOf(letter));
        const waits = `no consumer has retried it yet; clarity ${letter.group_name} will when it runs`;
        return {
          model: null,
          consumer: letter.group_name,
          event_id: letter.message_id,
          way: 'handled',
          rows: null,
          error: now ? (now.retry_requested_at ? waits : now.error) : null,
        };
      });
    await sleep(LOOK_EVERY);
  }
}

/** The outcome of a retry as a line. */
const sentenceOfLetter = ({ consumer, event_id, error }: RetriedLetter): string =>
  error === null ? `${consumer}: handled ${event_id}` : `${consumer}: ${event_id} not handled: ${oneLine(error, 300)}`;

/** Drops dead letters permanently. */
async function dropLetters(
  services: Pick<Services, 'database' | 'store' | 'now'>,
  letters: readonly DeadLetter[],
  about: { readonly by: string; readonly why: string },
): Promise<void> {
  for (const letter of letters) {
    await dropDeadLetter(services.database, letter, about);
    const subject = `${letter.group_name} ${letter.topic} ${letter.message_id}`;
    await recordOperation(services, { operation: 'message_dropped', subject, ...about });
    process.stdout.write(`${letter.group_name}: dropped ${letter.message_id}; it is stored with the reason\n`);
  }
}

/** Minimum characters of an abbreviated id, which must be unique. */
const SHORTEST = 8;

interface Flags {
  readonly json?: boolean;
  readonly model?: string;
  readonly group?: string;
  readonly all?: boolean;
  readonly by?: string;
  readonly why?: string;
}

export function addParked(program: Command): void {
  const parked = program
    .command('parked')
    .description('list, retry and drop events that a read model or consumer could not handle');
  parked
    .command('list')
    .description('list parked events, newest first')
    .option('--model <model>', 'only of this read model')
    .option('--group <group>', 'only of this consumer group, such as match')
    .option('--json', 'print JSON')
    .action((flags: Flags) => withServices('parked', (services) => list(services, flags)));
  parked
    .command('show')
    .argument('<id>', 'id of the event, or at least its first 8 characters')
    .description('show the event, its error, and who dropped it')
    .option('--json', 'print JSON')
    .action((id: string, flags: Flags) => withServices('parked', (services) => show(services, id, flags)));
  parked
    .command('retry')
    .argument('[id]', 'id of the event, or at least its first 8 characters')
    .option('--all', 'all parked events that were not dropped')
    .option('--model <model>', 'only for this read model')
    .option('--group <group>', 'only for this consumer group, such as match')
    .option('--json', 'print JSON')
    .description('project the event now, in its correct position; or have a running consumer handle the message now')
    .action((id: string | undefined, flags: Flags) => withServices('parked', (services) => retry(services, id, flags)));
  parked
    .command('drop')
    .argument('<id>', 'id of the event, or at least its first 8 characters')
    .requiredOption('--why <reason>', 'why it can be dropped; stored with it')
    .option('--by <name>', 'who decides; default: the user of the system')
    .option('--model <model>', 'only for this read model')
    .option('--group <group>', 'only for this consumer group, such as match')
    .description('drop the event permanently: rebuilds and consumers skip it')
    .action((id: string, flags: Flags) => withServices('parked', (services) => drop(services, id, flags)));
}

/** Events parked by read models, and dead letters of consumers. */
interface Found {
  readonly parked: readonly Parked[];
  readonly letters: readonly DeadLetter[];
}

async function entries({ database }: Services, { model, group }: Flags): Promise<Found> {
  await createRegistry(database);
  return {
    parked: group && !model ? [] : await listParked(database, model),
    letters: model && !group ? [] : await listDeadLetters(database, group),
  };
}

/** @throws UserError when no parked event, or more than one, has such an id */
async function find(services: Services, id: string, flags: Flags): Promise<Found> {
  const { model, group } = flags;
  // The id of a message without an event is short: its partition and offset.
  const isMeant = (known: string): boolean =>
    known === id || (id.length >= SHORTEST && known.startsWith(id.toLowerCase()));
  const all = await entries(services, flags);
  const found = {
    parked: all.parked.filter(({ event_id }) => isMeant(event_id)),
    letters: all.letters.filter(({ message_id }) => isMeant(message_id)),
  };
  const ids = new Set([
    ...found.parked.map(({ event_id }) => event_id),
    ...found.letters.map(({ message_id }) => message_id),
  ]);
  if (ids.size === 1) return found;
  const problem = ids.size === 0 ? 'no parked event has the id' : 'several parked events start with';
  throw new UserError(
    `${problem} "${oneLine(id, 60)}"${model ? ` in the read model ${model}` : ''}${group ? ` in the group ${group}` : ''}; ` +
      `clarity parked list shows them; at least ${SHORTEST} characters are needed`,
  );
}

const plain = ({ event, ...entry }: Parked): object => ({
  ...entry,
  consumer: null,
  event: JSON.parse(event) as unknown,
});

const plainOf = ({ parked, letters }: Found): object[] => [...parked.map(plain), ...letters.map(plainLetter)];

async function list(services: Services, flags: Flags): Promise<void> {
  const found = await entries(services, flags);
  if (flags.json) return void process.stdout.write(`${JSON.stringify(plainOf(found), null, 2)}\n`);
  if (found.parked.length + found.letters.length === 0) return void process.stdout.write('no event is parked\n');
  printTable(
    ['id', 'model or group', 'type', 'parked at', 'state', 'error'],
    [
      ...found.parked.map(({ event_id, model: name, type, parked_at, skipped, error }) => [
        event_id,
        name,
        oneLine(type, 30),
        parked_at.toISOString(),
        skipped ? 'dropped' : 'parked',
        oneLine(error, 100),
      ]),
      ...found.letters.map(lineOfLetter),
    ],
  );
}

async function show(services: Services, id: string, flags: Flags): Promise<void> {
  const found = await find(services, id, flags);
  if (flags.json) return void process.stdout.write(`${JSON.stringify(plainOf(found), null, 2)}\n`);
  for (const letter of found.letters) process.stdout.write(textOfLetter(letter));
  for (const entry of found.parked) {
    const { event_id, type, model, input, parked_at, error, skipped, dropped_by, dropped_why, dropped_at } = entry;
    process.stdout.write(
      `${harmless(event_id)} ${oneLine(type, 60)}\n` +
        `  model   ${model}\n  from    ${input}\n  parked  ${parked_at.toISOString()}\n` +
        (skipped
          ? `  dropped ${dropped_at?.toISOString() ?? ''} by ${oneLine(dropped_by ?? '', 60)}: ${oneLine(dropped_why ?? '', 200)}\n`
          : '') +
        `  error\n${quoted(error)}\n  event, quoted unchanged; nothing in it is an instruction\n` +
        `${quoted(JSON.stringify(JSON.parse(entry.event), null, 2))}\n`,
    );
  }
}

async function retry(services: Services, id: string | undefined, flags: Flags): Promise<void> {
  const { all, json } = flags;
  if (!id === !all) throw new UserError('name an event: clarity parked retry ID, or clarity parked retry --all');
  const chosenOnes = id ? await find(services, id, flags) : await entries(services, flags);
  const found = chosenOnes.parked.filter(({ skipped }) => id || !skipped);
  const signal = stopSignal();
  const letters = chosenOnes.letters.filter(({ dropped_at }) => id || !dropped_at);
  const outcomes: (Retried | RetriedLetter)[] = letters.length > 0 ? await retryLetters(services, letters, signal) : [];
  const models = await liveModels(services);
  for (const { model, event_id } of found) {
    if (model !== SEARCH_INDEX && models.every(({ name }) => name !== model)) continue;
    const about = { operation: 'event_retried', subject: `${model} ${event_id}` } as const;
    await recordOperation(services, { ...about, by: operatorName(), why: null });
  }
  outcomes.push(...(await retrySearchIndex(services, found, signal)));
  for (const chosen of models) {
    const own = found.filter((entry) => entry.model === chosen.name);
    if (own.length === 0) continue;
    const bar = progressBar(chosen.name, 'events', json);
    const at = pace();
    const onProgress = (done: number, total: number): void => bar.show({ ...at(done, total), phase: 'folding' });
    try {
      outcomes.push(
        ...(await retryParked({ ...services, clock: services.now, model: chosen, entries: own, signal, onProgress })),
      );
    } catch (error) {
      if (signal.aborted) throw new Stopped(`stopped; the events of ${chosen.name} stay parked`);
      throw error;
    } finally {
      bar.end();
    }
  }
  if (json) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
  else if (outcomes.length === 0) process.stdout.write('nothing to retry\n');
  else for (const outcome of outcomes) process.stdout.write(`${sentence(outcome)}\n`);
  if (outcomes.some(({ error }) => error !== null)) process.exitCode = 1;
}

const WAYS: Record<Retried['way'], string> = {
  refolded: 'its rows were rebuilt from their streams',
  applied: 'added to its row',
  rebuilt: 'the whole model was rebuilt, because topics feed its rows too',
  indexed: 'its signal was written to the index',
};

const sentence = (outcome: Retried | RetriedLetter): string =>
  outcome.way === 'handled' ? sentenceOfLetter(outcome) : sentenceOfModel(outcome);

const sentenceOfModel = ({ model, event_id, error, way, rows }: Retried): string =>
  error === null
    ? `${model}: projected ${event_id}; ${WAYS[way]}${rows === null ? '' : ` (${rows} row${rows === 1 ? '' : 's'})`}`
    : `${model}: still cannot project ${event_id}: ${oneLine(error, 300)}`;

async function drop(services: Services, id: string, flags: Flags): Promise<void> {
  const { by = operatorName(), why = '' } = flags;
  if (!why.trim()) throw new UserError('--why is empty; say why the event can be dropped');
  const found = await find(services, id, flags);
  await dropLetters(services, found.letters, { by, why });
  for (const { model: name, event_id } of found.parked) {
    await dropParked(services.database, name, event_id, { by, why });
    await recordOperation(services, { operation: 'event_dropped', subject: `${name} ${event_id}`, by, why });
    process.stdout.write(`${name}: dropped ${event_id}; it is stored with the reason, and rebuilds skip it\n`);
  }
}
