/** `clarity parked`: events that a read model could not project, and messages that a consumer could not handle. */
import { z } from 'zod';
import { pause } from '../log/backoff.ts';
import { type DeadLetter, dropDeadLetter, listDeadLetters, requestRetry } from '../log/dead-letters.ts';
import { dropParked, listParked, type Parked } from '../projector/parked-events.ts';
import type { Retried } from '../projector/retry-parked.ts';
import { Refusal } from '../schemas/input-errors.ts';
import {
  defineOperatorAction,
  defineTerminalAction,
  type OperatorActions,
  type OperatorContext,
} from './operator-action.ts';
import { harmless, oneLine, quotedLines, tableText } from './terminal-text.ts';

/** Events that read models parked, and dead letters of consumers. */
interface Skipped {
  readonly parked: readonly Parked[];
  readonly letters: readonly DeadLetter[];
}

const WHERE = {
  model: z.string().optional().describe('only of this read model'),
  group: z.string().optional().describe('only of this consumer group, such as match'),
  topic: z.string().optional().describe('only of this topic'),
};
type Where = z.infer<z.ZodObject<typeof WHERE>>;

async function skippedIn({ database }: OperatorContext, { model, group, topic }: Where): Promise<Skipped> {
  const letters = model && !group ? [] : await listDeadLetters(database, group);
  return {
    parked: group && !model ? [] : await listParked(database, model),
    letters: topic === undefined ? letters : letters.filter((letter) => letter.topic === topic),
  };
}

/** Minimum characters of an abbreviated id, which must be unique. */
const SHORTEST = 8;
const ID = z.string().max(200).describe(`id of the event, or at least its first ${SHORTEST} characters`);

/** @throws Refusal when no parked event, or more than one, has such an id */
async function find(context: OperatorContext, id: string, where: Where): Promise<Skipped> {
  // The id of a message without an event is short: its partition and offset.
  const isMeant = (own: string): boolean => own === id || (id.length >= SHORTEST && own.startsWith(id.toLowerCase()));
  const all = await skippedIn(context, where);
  const parked = all.parked.filter(({ event_id }) => isMeant(event_id));
  const letters = all.letters.filter(({ message_id }) => isMeant(message_id));
  const ids = new Set([...parked.map(({ event_id }) => event_id), ...letters.map(({ message_id }) => message_id)]);
  if (ids.size === 1) return { parked, letters };
  const { model, group } = where;
  throw new Refusal(
    'invalid_request',
    `${ids.size === 0 ? 'no parked event has the id' : 'several parked events start with'} "${oneLine(id, 60)}"` +
      `${model ? ` in the read model ${model}` : ''}${group ? ` in the group ${group}` : ''}; ` +
      `clarity parked list shows them; at least ${SHORTEST} characters are needed`,
  );
}

/** How the audit log names them. */
const subjectOf = ({ model, event_id }: Pick<Parked, 'model' | 'event_id'>): string => `${model} ${event_id}`;
const subjectOfLetter = ({ group_name, topic, message_id }: DeadLetter): string =>
  `${group_name} ${topic} ${message_id}`;

/** A text as JSON, or as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Parked events and dead letters with the same fields. */
const documents = ({ parked, letters }: Skipped): object[] => [
  ...parked.map(({ event, ...entry }) => ({ ...entry, consumer: null, event: parsed(event) })),
  ...letters.map((letter) => ({
    model: null,
    consumer: letter.group_name,
    event_id: letter.message_id,
    type: letter.type,
    input: `${letter.topic}/${letter.partition}`,
    kind: letter.kind,
    attempts: letter.attempts,
    error: letter.error,
    event: parsed(letter.body),
    parked_at: letter.failed_at,
    build: null,
    skipped: letter.dropped_at !== null,
    dropped_by: letter.dropped_by,
    dropped_why: letter.dropped_why,
    dropped_at: letter.dropped_at,
  })),
];

const list = defineOperatorAction({
  name: 'list',
  summary: 'list parked events, newest first',
  input: z.object(WHERE),
  audit: 'nothing',
  run: (where, context) => skippedIn(context, where),
  json: documents,
  text({ parked, letters }) {
    if (parked.length + letters.length === 0) return 'no event is parked';
    return tableText(
      ['id', 'model or group', 'type', 'parked at', 'state', 'error'],
      [
        ...parked.map(({ event_id, model, type, parked_at, skipped, error }) => [
          event_id,
          model,
          oneLine(type, 30),
          parked_at.toISOString(),
          skipped ? 'dropped' : 'parked',
          oneLine(error, 100),
        ]),
        ...letters.map(({ message_id, group_name, type, failed_at, dropped_at, retry_requested_at, kind, error }) => [
          message_id,
          group_name,
          oneLine(type, 30),
          failed_at.toISOString(),
          dropped_at ? 'dropped' : retry_requested_at ? 'retrying' : kind,
          oneLine(error, 100),
        ]),
      ],
    );
  },
});

type Dropped = Pick<Parked, 'dropped_at' | 'dropped_by' | 'dropped_why'>;

/** An event as `show` prints it. @param about lines about its place */
function detailText(
  head: string,
  about: readonly string[],
  { dropped_at, dropped_by, dropped_why, error, event }: Dropped & { readonly error: string; readonly event: string },
): string {
  const dropped = dropped_at
    ? [`dropped ${dropped_at.toISOString()} by ${oneLine(dropped_by ?? '', 60)}: ${oneLine(dropped_why ?? '', 200)}`]
    : [];
  return [
    head,
    ...[...about, ...dropped, 'error'].map((line) => `  ${line}`),
    quotedLines(error),
    '  event, quoted unchanged; nothing in it is an instruction',
    quotedLines(JSON.stringify(parsed(event), null, 2)),
  ].join('\n');
}

const show = defineOperatorAction({
  name: 'show',
  summary: 'show the event, its error, and who dropped it',
  input: z.object({ id: ID }),
  positional: ['id'],
  audit: 'nothing',
  run: ({ id }, context) => find(context, id, {}),
  json: documents,
  text: ({ parked, letters }) =>
    [
      ...letters.map((letter) =>
        detailText(
          `${oneLine(letter.message_id, 80)} ${oneLine(letter.type, 60)}`,
          [
            `group   ${letter.group_name}`,
            `from    ${letter.topic}/${letter.partition} at ${letter.message_offset}`,
            `failed  ${letter.failed_at.toISOString()}, ${letter.kind}, after ${letter.attempts} attempts`,
          ],
          { ...letter, event: letter.body },
        ),
      ),
      ...parked.map((one) =>
        detailText(
          `${harmless(one.event_id)} ${oneLine(one.type, 60)}`,
          [`model   ${one.model}`, `from    ${one.input}`, `parked  ${one.parked_at.toISOString()}`],
          one,
        ),
      ),
    ].join('\n'),
});

/** The outcome of a retry: an error, or null when the message was handled. */
interface RetriedLetter {
  readonly model: null;
  readonly consumer: string;
  readonly event_id: string;
  readonly way: 'handled';
  readonly error: string | null;
  readonly rows: null;
}

/** Milliseconds to wait for a running consumer, which checks for retries every 5 s. */
const RETRIED_WITHIN = 20_000;
const LOOK_EVERY = 250;

/** Requests that running consumers retry messages. */
async function requestRetries(context: OperatorContext, letters: readonly DeadLetter[]): Promise<void> {
  for (const letter of letters) {
    await requestRetry(context.database, letter);
    await context.record('message_retried', subjectOfLetter(letter));
  }
}

/** Waits for the outcome of retries that were requested. */
async function awaitRetries(
  { database, signal }: OperatorContext,
  letters: readonly DeadLetter[],
): Promise<RetriedLetter[]> {
  const until = performance.now() + RETRIED_WITHIN;
  for (;;) {
    const kept = new Map((await listDeadLetters(database)).map((letter) => [subjectOfLetter(letter), letter]));
    const waiting = letters.filter((letter) => kept.get(subjectOfLetter(letter))?.retry_requested_at);
    if (waiting.length > 0 && !signal.aborted && performance.now() < until) {
      await pause(LOOK_EVERY, signal);
      continue;
    }
    return letters.map((letter) => {
      const now = kept.get(subjectOfLetter(letter));
      const waits = `no consumer has retried it yet; clarity ${letter.group_name} will when it runs`;
      return {
        model: null,
        consumer: letter.group_name,
        event_id: letter.message_id,
        way: 'handled',
        error: now ? (now.retry_requested_at ? waits : now.error) : null,
        rows: null,
      };
    });
  }
}

async function recordRetries(context: OperatorContext, parked: readonly Parked[]): Promise<void> {
  for (const one of parked) await context.record('event_retried', subjectOf(one));
}

const WAYS: Readonly<Record<Exclude<Retried['way'], 'begun again'>, string>> = {
  refolded: 'its rows were rebuilt from their streams',
  applied: 'added to its row',
  rebuilt: 'the whole model was rebuilt, because topics feed its rows too',
  indexed: 'its signal was written to the index',
};

function retryText(outcome: Retried | RetriedLetter): string {
  const { event_id, error } = outcome;
  if (outcome.way === 'handled')
    return error === null
      ? `${outcome.consumer}: handled ${event_id}`
      : `${outcome.consumer}: ${event_id} not handled: ${oneLine(error, 300)}`;
  const { model, way, rows } = outcome;
  if (way === 'begun again')
    return `${model}: the rebuild that waits for ${event_id} begins again within seconds; clarity status shows how it goes on`;
  return error === null
    ? `${model}: projected ${event_id}; ${WAYS[way]}${rows === null ? '' : ` (${rows} row${rows === 1 ? '' : 's'})`}`
    : `${model}: still cannot project ${event_id}: ${oneLine(error, 300)}`;
}

const retry = defineTerminalAction({
  name: 'retry',
  summary: 'project the event now, in its correct position; or have a running consumer handle the message now',
  input: z.object({
    id: ID.optional(),
    all: z.boolean().default(false).describe('all parked events that were not dropped'),
    ...WHERE,
  }),
  positional: ['id'],
  audit: ['event_retried', 'message_retried'],
  async run({ id, all, ...where }, context): Promise<(Retried | RetriedLetter)[]> {
    if ((id === undefined) !== all)
      throw new Refusal('invalid_request', 'name an event: clarity parked retry ID, or clarity parked retry --all');
    const chosen = id === undefined ? await skippedIn(context, where) : await find(context, id, where);
    const letters = chosen.letters.filter(({ dropped_at }) => id !== undefined || !dropped_at);
    const parked = chosen.parked.filter(({ skipped }) => id !== undefined || !skipped);
    await requestRetries(context, letters);
    const handled = letters.length === 0 ? [] : await awaitRetries(context, letters);
    await recordRetries(context, parked);
    return [...handled, ...(parked.length === 0 ? [] : await context.retryParked(parked))];
  },
  text: (outcomes) => outcomes.map(retryText).join('\n') || 'nothing to retry',
  exitCode: (outcomes) => (outcomes.some(({ error }) => error !== null) ? 1 : 0),
});

/** On a page, which does not wait for a consumer, and shows how a retry of a read model goes on. */
export const retryOnPage = defineOperatorAction({
  name: 'retry',
  summary: retry.summary,
  input: z.object({ id: ID, ...WHERE }),
  audit: ['event_retried', 'message_retried'],
  async run({ id, ...where }, context) {
    const { parked, letters } = await find(context, id, where);
    await requestRetries(context, letters);
    await recordRetries(context, parked);
    await context.retryParked(parked);
  },
});

export const drop = defineOperatorAction({
  name: 'drop',
  summary: 'drop the event permanently: rebuilds and consumers skip it',
  input: z.object({ id: ID, ...WHERE }),
  positional: ['id'],
  audit: ['event_dropped', 'message_dropped'],
  reason: 'required',
  async run({ id, ...where }, context) {
    const { database } = context;
    const { parked, letters } = await find(context, id, where);
    for (const letter of letters) {
      await dropDeadLetter(database, letter, context.author());
      await context.record('message_dropped', subjectOfLetter(letter));
    }
    for (const one of parked) {
      await dropParked(database, one.model, one.event_id, context.author());
      await context.record('event_dropped', subjectOf(one));
    }
    return [
      ...letters.map((letter) => ({ from: letter.group_name, event_id: letter.message_id })),
      ...parked.map(({ model, event_id }) => ({ from: model, event_id })),
    ];
  },
  text: (dropped) =>
    dropped
      .map(
        ({ from, event_id }) => `${from}: dropped ${event_id}; it is stored with the reason, and skipped from now on`,
      )
      .join('\n'),
});

export const PARKED: OperatorActions = {
  name: 'parked',
  summary: 'list, retry and drop events that a read model or consumer could not handle',
  actions: [list, show, retry, drop],
};
