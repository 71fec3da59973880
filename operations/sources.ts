/** `clarity sources`: the roster with the health of its sources, polls on request, and changes of single sources. */
import { z } from 'zod';
import { foldSources, hideHeaderValues, loadRoster, readKnownEvents } from '../ingest/roster/roster.ts';
import { addSource, changeSource, chosenSourceId, editSource, namedSource } from '../ingest/roster/source-commands.ts';
import { pause } from '../log/backoff.ts';
import { mayBeSourceAddress } from '../log/guarded-connection.ts';
import { answeredPoll, requestPoll } from '../log/postgres/poll-requests.ts';
import { healthReason } from '../presentation/quality.ts';
import {
  healthSnapshot,
  operatedSources,
  pollState,
  type RecentPoll,
} from '../projector/models/source-health-queries.ts';
import { restatesItems } from '../projector/models/source-health-read-model.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { Source, sourceStream } from '../schemas/source.ts';
import { defineOperatorAction, type OperatorActions, type OperatorContext } from './operator-action.ts';
import { applyFile, checkFile, discover, exportRoster, importFile, test } from './roster-exchange.ts';
import { givenFields, SOURCE_FIELDS } from './source-fields.ts';
import { oneLine, tableText } from './terminal-text.ts';

const ID = z.string().max(100).describe('as "clarity sources list" shows it');
const OneSource = z.object({ id: ID });

/** Projected health by source, with its reason; empty before the first projector has run. */
async function healthById({ database, now }: OperatorContext) {
  const all = { limit: Number.POSITIVE_INFINITY };
  const [snapshot, operated] = await Promise.all([
    healthSnapshot(database, now()).catch(() => null),
    operatedSources(database, now(), all).catch(() => null),
  ]);
  const reasons = new Map<string, string>(
    operated?.sources.map(({ id, cause, facts, polls }) => [
      id,
      healthReason(cause, facts, polls?.recent ?? [], now()),
    ]),
  );
  return new Map(snapshot?.sources.map((source) => [source.id, { ...source, reason: reasons.get(source.id) ?? null }]));
}

const unknownSource = (id: string): Refusal =>
  new Refusal('invalid_request', `no source has the id ${quoted(id)}; "clarity sources list" shows all`);

const list = defineOperatorAction({
  name: 'list',
  summary: 'list sources with their health',
  input: z.object({
    health: z.string().optional().meta({
      description: 'only sources that are healthy, degraded, failing, silent, paused or new',
      placeholder: 'state',
    }),
    retired: z.boolean().default(false).describe('sources that were removed from the roster'),
  }),
  audit: 'nothing',
  async run({ health: wanted, retired }, context) {
    const [{ roster }, states] = await Promise.all([loadRoster(context.store), healthById(context)]);
    return [...roster.values()]
      .filter((entry) => Boolean(entry.retired) === retired)
      .map(({ source }) => {
        const state = states.get(source.id);
        const health: string = source.paused ? 'paused' : (state?.health ?? 'new');
        return { ...hideHeaderValues(source), reason: null, ...state, health };
      })
      .filter(({ health }) => !wanted || health === wanted);
  },
  text(sources) {
    if (sources.length === 0) return 'no sources';
    return tableText(
      ['id', 'outlet', 'kind', 'role', 'health', 'items 24 h', 'reason'],
      sources.map((source) => [
        source.id,
        oneLine(source.outlet, 40),
        source.kind,
        source.role,
        source.health,
        String(source.items_24h ?? 0),
        oneLine(source.reason ?? '', 120),
      ]),
    );
  },
});

const show = defineOperatorAction({
  name: 'show',
  summary: 'show a source: its fields, health, rhythm, and all changes with author and reason',
  input: OneSource,
  positional: ['id'],
  audit: 'nothing',
  async run({ id: named }, context) {
    const id = namedSource(named);
    const stored = await context.store.read(sourceStream(id));
    const entry = foldSources(readKnownEvents(stored)).get(id);
    if (!entry) throw unknownSource(id);
    const health = (await healthById(context)).get(id) ?? null;
    // Before the first projector has run there is no read model.
    const polls = await pollState(context.database, id).catch(() => null);
    const history = [...readKnownEvents(stored)].map(({ event }) => {
      const { by, why } = event.data as { by: string; why: string };
      return { time: event.time, change: event.type, by, why };
    });
    return {
      ...hideHeaderValues(entry.source),
      retired: entry.retired,
      health,
      usual_gap_seconds: polls?.usual_gap_seconds ?? null,
      restates_items: restatesItems(polls?.recent ?? []),
      hours: polls?.hours ?? [],
      history,
    };
  },
  text({ hours, history, health, retired, restates_items, ...source }) {
    const newest = hours.slice(-24).map(({ items }) => items);
    const rows: [string, unknown][] = [
      ...Object.entries(source).map(([field, value]): [string, unknown] => [
        field,
        typeof value === 'object' ? JSON.stringify(value) : value,
      ]),
      ...(retired ? [['retired', `by ${retired.by}: ${retired.why}`] as [string, unknown]] : []),
      ...(health ? Object.entries(health).filter(([field]) => !(field in source)) : []),
      ...(health ? [] : [['health', 'not polled yet'] as [string, unknown]]),
      ...(restates_items ? [['unstable', RESTATES] as [string, unknown]] : []),
      ['items by hour, newest last', newest.join(' ') || 'none'],
    ];
    const changes = history.map(
      ({ time, change, by, why }) => `  ${time}  ${change.padEnd(14)} ${oneLine(by, 40)}: ${oneLine(why, 200)}`,
    );
    return [
      ...rows.map(([field, value]) => `${field.padEnd(22)} ${oneLine(String(value ?? '-'), 300)}`),
      '\nchanges',
      ...changes,
    ].join('\n');
  },
});

const RESTATES = 'gives its items other ids or dates at every poll; only changed words count as edits';

const CHECK_INTERVAL = 200;

export const pollNow = defineOperatorAction({
  name: 'poll',
  summary: 'have the poller read a source now, and print what it found',
  input: z.object({
    id: ID,
    wait: z
      .number()
      .min(1)
      .max(3_600)
      .default(60)
      .meta({ description: 'how long to wait for the poller; default: 60', placeholder: 'seconds' }),
  }),
  positional: ['id'],
  audit: ['source_polled'],
  async run({ id: named, wait }, context) {
    const { database, store, now } = context;
    const id = namedSource(named);
    const entry = (await loadRoster(store)).roster.get(id);
    if (!entry) throw unknownSource(id);
    if (entry.retired) throw new Refusal('invalid_request', `the source ${id} is retired; add it again`);
    if (entry.source.paused)
      throw new Refusal('invalid_request', `the source ${id} is paused; run clarity sources resume`);
    const late = AbortSignal.any([context.signal, AbortSignal.timeout(wait * 1_000)]);
    await requestPoll(database, id, now());
    await context.record('source_polled', id);
    for (;;) {
      const poll = await answeredPoll(database, id);
      if (poll || late.aborted) return poll;
      await pause(CHECK_INTERVAL, late);
    }
  },
  text(poll, { id, wait }) {
    if (!poll)
      return `no poller has read ${id} within ${wait} s; check that clarity poll or clarity up runs. The request stays open until then`;
    const { items_found, items_new, items_edited, items_refused, http_status, bytes, error } = poll;
    return error
      ? `${id}: failed: ${oneLine(`${error.code}: ${error.message}`, 500)}`
      : `${id}: HTTP ${http_status}, ${items_found} items, ${items_new} new, ${items_edited} edited, ${items_refused} refused, ${bytes ?? 0} bytes`;
  },
  exitCode: (poll) => (poll ? 0 : 2),
});

const history = defineOperatorAction({
  name: 'history',
  summary: 'list the last 50 polls of a source: status, items, bytes and trigger',
  input: OneSource,
  positional: ['id'],
  audit: 'nothing',
  async run({ id: named }, { database, store }) {
    const id = namedSource(named);
    // Before the first projector has run there is no read model.
    const polls = (await pollState(database, id).catch(() => null))?.recent ?? [];
    if (polls.length === 0 && !(await loadRoster(store)).roster.has(id)) throw unknownSource(id);
    return polls;
  },
  text(polls) {
    if (polls.length === 0) return 'no polls yet';
    const table = tableText(
      ['time', 'why', 'status', 'found', 'new', 'edited', 'refused', 'bytes', 'ms', 'outcome'],
      polls.map((poll) => [
        poll.started_at,
        poll.trigger ?? '-',
        String(poll.http_status ?? '-'),
        String(poll.items_found),
        String(poll.items_new),
        String(poll.items_edited),
        String(poll.items_refused),
        String(poll.bytes ?? '-'),
        String(poll.duration_ms),
        poll.error ? oneLine(poll.error, 100) : poll.outcome,
      ]),
    );
    return `${table}\n\n${pollSummary(polls)}`;
  },
});

function pollSummary(polls: readonly RecentPoll[]): string {
  const count = (fits: (poll: RecentPoll) => boolean): number => polls.filter(fits).length;
  const bytes = polls.reduce((sum, poll) => sum + (poll.bytes ?? 0), 0);
  return [
    `${polls.length} polls`,
    `${count(({ items_new }) => items_new > 0)} with new items`,
    `${count(({ http_status }) => http_status === 304)} times 304`,
    `${count(({ error }) => error !== null)} failed`,
    `${bytes} bytes read`,
  ].join(', ');
}

/** @throws Refusal for an address that no poll would ask */
function refusePrivate(url: string, { privateSources }: Pick<OperatorContext, 'privateSources'>): void {
  if (URL.canParse(url) && !mayBeSourceAddress(url, privateSources))
    throw new Refusal('invalid_request', `url: ${quoted(url)} is on a private or internal network.`);
}

/** What changes of the roster have in common. */
const CHANGE = { audit: 'events', reason: 'on pages', seenIn: ['source_health'] } as const;

export const add = defineOperatorAction({
  ...CHANGE,
  name: 'add',
  summary: 'poll the address once and add it if that succeeds; sources test URL shows its items',
  input: z.object({
    url: z.string().describe('address of the feed, listing or sitemap'),
    id: z.string().optional().describe('kebab-case; default: derived from the outlet'),
    untested: z
      .boolean()
      .default(false)
      .describe('add it without polling it, such as while the outlet does not answer'),
    ...SOURCE_FIELDS,
  }),
  positional: ['url'],
  run({ url, id, untested, ...fields }, context) {
    const { store, fetchPage, signal, now: clock } = context;
    // What is polled first is refused by the poll.
    if (untested) refusePrivate(url, context);
    const wanted = {
      url,
      id: id === undefined ? undefined : chosenSourceId(id),
      fields: givenFields(fields),
      untested,
    };
    return addSource({ store, fetchPage, signal, clock }, wanted, context.author('add by command'));
  },
  text: ({ id, outlet, items }) =>
    `added ${id}: ${oneLine(outlet, 120)}, ${items === null ? 'not tested' : `${items} items now`}`,
});

/** A source after a command; `is_changed` is false where it was so already. */
interface ChangedSource {
  readonly id: string;
  readonly change: string;
  readonly is_changed: boolean;
}

const changedText = ({ id, change, is_changed }: ChangedSource): string =>
  is_changed ? `${change} ${id}` : `${id} is unchanged`;

export const edit = defineOperatorAction({
  ...CHANGE,
  name: 'edit',
  summary: 'change fields of a source',
  input: z.object({
    id: ID,
    url: Source.shape.url.optional().meta({ description: 'new address', label: 'Address' }),
    ...SOURCE_FIELDS,
  }),
  positional: ['id'],
  async run({ id: named, ...given }, context): Promise<ChangedSource> {
    const fields = givenFields(given);
    if (Object.keys(fields).length === 0)
      throw new Refusal('invalid_request', 'set at least one option, such as --authority 0.8');
    const id = namedSource(named);
    const { store, now } = context;
    const url = (await loadRoster(store)).roster.get(id)?.source.url;
    if (given.url !== undefined && given.url !== url) refusePrivate(given.url, context);
    const event = await editSource(store, id, fields, context.author('edit by command'), now);
    return { id, change: 'changed', is_changed: event !== null };
  },
  text: changedText,
});

/** A command that needs nothing but the source. */
const command = (name: 'pause' | 'resume' | 'retire', change: string, summary: string) =>
  defineOperatorAction({
    ...CHANGE,
    name,
    summary,
    input: OneSource,
    positional: ['id'],
    async run({ id: named }, context): Promise<ChangedSource> {
      const id = namedSource(named);
      const { store, now } = context;
      const event = await changeSource(store, { do: name, id }, context.author(`${name} by command`), now);
      return { id, change, is_changed: event !== null };
    },
    text: changedText,
  });

export const pauseSource = command('pause', 'paused', 'stop polling it until it is resumed');
export const resumeSource = command('resume', 'resumed', 'poll it again');
export const retireSource = command('retire', 'retired', 'remove it from the roster; what it reported stays');

export const SOURCES: OperatorActions = {
  name: 'sources',
  summary: 'show, test, change, import and export the roster',
  actions: [
    list,
    show,
    pollNow,
    history,
    test,
    discover,
    add,
    edit,
    pauseSource,
    resumeSource,
    retireSource,
    checkFile,
    applyFile,
    importFile,
    exportRoster,
  ],
};
