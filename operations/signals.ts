/** `clarity signals`: the history of signals, and the decisions of operators on them. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { correctSignal, FIELD_FORMS, LONGEST_TEXTS, splitReport, writeField } from '../ingest/correct-signals.ts';
import {
  confirmSignal,
  type HistoryEntry,
  holdSignal,
  mergeSignal,
  readSignal,
  releaseSignal,
  retractSignal,
  signalHistory,
} from '../ingest/review-signals.ts';
import type { EventStore } from '../log/event-store.ts';
import { countPublished, listHeld, listSignals } from '../projector/models/signals-queries.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { Moment } from '../schemas/parameters.ts';
import { CORRECTABLE } from '../schemas/signal.ts';
import type { Review } from '../signal/review-decisions.ts';
import type { SignalState } from '../signal/signal.ts';
import {
  defineOperatorAction,
  defineTerminalAction,
  type OperatorAction,
  type OperatorActions,
  type OperatorContext,
} from './operator-action.ts';
import { oneLine, tableText } from './terminal-text.ts';

const SIGNAL = z.string().trim().min(1).max(200).meta({ description: 'id or slug', label: 'Id or slug' });
const OneSignal = z.object({ signal: SIGNAL });

const reviewOf = (context: OperatorContext): Review => ({
  ...context.author(),
  time: context.now().toISOString(),
  id: randomUUID(),
});

/** What a decision was made on. */
interface Decided {
  readonly id: string;
  readonly slug: string;
  readonly outcome: string;
}

const decided = ({ id, slug }: Pick<Decided, 'id' | 'slug'>, outcome: string): Decided => ({ id, slug, outcome });

/** What all decisions have in common. */
const DECISION = {
  role: 'reviewer',
  audit: 'events',
  reason: 'required',
  positional: ['signal'],
  seenIn: ['signals', 'review'],
  text: ({ id, slug, outcome }: Decided) => `${id} ${slug}: ${outcome}`,
} as const;

type Decide = (store: EventStore, signal: string, review: Review) => Promise<SignalState>;

/** A decision that needs nothing but the signal. @param outcome in words */
const decision = (name: string, summary: string, outcome: string, decide: Decide) =>
  defineOperatorAction({
    ...DECISION,
    name,
    summary,
    input: OneSignal,
    run: async ({ signal }, context) => decided(await decide(context.store, signal, reviewOf(context)), outcome),
  });

export const release = decision('release', 'make a held or retracted signal public', 'public', releaseSignal);
export const hold = decision(
  'hold',
  'remove a public signal from all public answers until it is released',
  'held',
  holdSignal,
);
export const retract = decision(
  'retract',
  'take back a signal that is no move; no later report brings it back',
  'retracted',
  retractSignal,
);
export const confirm: OperatorAction<typeof OneSignal, Decided, 'anywhere'> = {
  ...decision(
    'confirm',
    'say that nothing is wrong with a signal: it leaves the review desk, and is a label for training',
    'confirmed',
    confirmSignal,
  ),
  reason: 'optional',
};

export const merge = defineOperatorAction({
  ...DECISION,
  name: 'merge',
  summary: 'merge a signal into another that reports the same event; its slug redirects there',
  input: z.object({
    signal: SIGNAL.meta({ description: 'id or slug', label: 'Signal to merge: id or slug' }),
    into: SIGNAL.meta({ description: 'id or slug of the signal that stays', label: 'Into signal: id or slug' }),
  }),
  positional: ['signal', 'into'],
  run: async ({ signal, into }, context) =>
    decided(await mergeSignal(context.store, signal, into, reviewOf(context)), 'merged into it'),
});

export const split = defineOperatorAction({
  ...DECISION,
  name: 'split',
  summary: 'take a report out of a signal: it becomes a signal of its own, or joins another',
  input: z.object({
    signal: SIGNAL,
    report: z
      .string()
      .max(2_048)
      .describe('its address, or its number in the order of "clarity signals fields", from 1'),
    into: z.string().trim().max(200).optional().meta({
      description: 'id or slug of the signal that it joins',
      label: 'Into signal: id or slug; empty for a signal of its own',
      placeholder: 'signal',
    }),
  }),
  positional: ['signal', 'report'],
  async run({ signal, report, into }, context) {
    const { store, understand } = context;
    const review = reviewOf(context);
    return decided(
      await splitReport(store, signal, report, into || undefined, understand, review),
      'has the report now',
    );
  },
});

/** Sentences: a semicolon of theirs separates nothing. */
const isText = (field: string): boolean => Object.hasOwn(LONGEST_TEXTS, field);

const FIELDS = Object.fromEntries(
  CORRECTABLE.map((field) => [
    field,
    z.string().optional().meta({ description: FIELD_FORMS[field], placeholder: 'value' }),
  ]),
);

export const correct = defineOperatorAction({
  ...DECISION,
  name: 'correct',
  summary: 'correct fields of a signal; no later report or edit changes them again',
  help: `A field that is not named stays as it is. Several facts are separated by line breaks, or by " ; ". An empty value means none.
"clarity signals fields SIGNAL" prints what it says now, in the same form.

Examples:
  clarity signals correct SIGNAL --why "the report names Patna" --cities "Patna"
  clarity signals correct SIGNAL --why "a plan, not an opening" \\
    --openings "planned | Zudio | Patna | City Centre | | 1"
  clarity signals correct SIGNAL --why "a person, not a store" --move people --openings "" \\
    --people "joined | Asha Rao | CFO | Kiri Foods | Tilak Shoes | | 2026-11-30"
  clarity signals correct SIGNAL --why "the report says 41" --headline "Zudio opens its 41st store in Patna"
  clarity signals correct SIGNAL --why "Trent is only mentioned" --brands "Zudio ; Trent (mention)"`,
  input: z.object({
    signal: SIGNAL,
    ...FIELDS,
    revisions: z.number().int().min(0).optional().describe('only while the signal has so many revisions'),
  }),
  async run({ signal, revisions, ...given }, context) {
    const texts: Readonly<Record<string, string | undefined>> = given;
    const named = CORRECTABLE.filter((field) => texts[field] !== undefined);
    if (named.length === 0)
      throw new Refusal('invalid_request', `name a field: ${CORRECTABLE.map((field) => `--${field}`).join(', ')}`);
    const sent = Object.fromEntries(
      named.map((field) => {
        const text = texts[field] ?? '';
        return [field, isText(field) ? text : text.split(' ; ').join('\n')];
      }),
    );
    const directory = await context.directory();
    const find = (name: string) => directory.brandNamed(name);
    return decided(await correctSignal(context.store, signal, sent, find, reviewOf(context), revisions), 'corrected');
  },
});

/** One event as text. Text of sources follows `>`. */
function paragraph({ time, type, signal_id, revision, changes, causes }: HistoryEntry): string {
  const changed = changes.map(({ field, before, after }) => {
    const [was, is] = [before, after].map((text) => (text === null ? '(nothing)' : oneLine(text, 160)));
    return before === null
      ? `    ${field}\n      > ${is}`
      : `    ${field}\n      > ${was}\n      becomes\n      > ${is}`;
  });
  const because = causes.map(({ id, type: kind, time: at, about }, step) => {
    const link = step === 0 ? 'because of' : 'and that of';
    if (!kind) return `    ${link} ${id}, which is no longer in any topic`;
    return `    ${link} ${kind} ${at} ${id}${about ? `\n      > ${oneLine(about, 160)}` : ''}`;
  });
  return [`${time}  ${type}  ${signal_id} #${revision}`, ...changed, ...because].join('\n');
}

const history = defineTerminalAction({
  name: 'history',
  summary: 'list the events of a signal: when, what changed, and the story, item and poll that caused it',
  input: OneSignal,
  positional: ['signal'],
  audit: 'nothing',
  run: ({ signal: named }, { store, topics, signal }) => signalHistory(named, { store, topics, signal }),
  text: (entries) => entries.map(paragraph).join('\n'),
});

const held = defineTerminalAction({
  name: 'held',
  summary: 'list held signals, newest first',
  input: z.object({
    limit: z.number().int().min(1).max(1000).default(50).describe('how many, 1 to 1000; default: 50'),
  }),
  audit: 'nothing',
  run: ({ limit }, { database }) => listHeld(database, limit),
  text(signals) {
    if (signals.length === 0) return 'no held signals';
    const table = tableText(
      ['id', 'published', 'headline'],
      signals.map(({ id, published_at, headline }) => [id, published_at, oneLine(headline, 90)]),
    );
    return `${table}\n\nclarity signals history ID shows why; clarity signals release ID --why … makes it public`;
  },
});

/** Signals of one query. */
const EXPORT_PAGE = 100;

const exportSignals = defineTerminalAction({
  name: 'export',
  summary: 'export public signals in full with all reports as JSON Lines, newest first',
  input: z.object({
    since: Moment.optional().meta({
      description: 'published at or after it: an ISO 8601 date (in IST) or time',
      placeholder: 'time',
    }),
    until: Moment.optional().meta({ description: 'published before it', placeholder: 'time' }),
  }),
  audit: 'nothing',
  /** A line for each signal, a SignalDetail as the API answers it; signals published in the meantime are left out. */
  async run(window, { database, progress }) {
    const total = await countPublished(database, window);
    const show = progress('signals export', 'signals');
    async function* lines(): AsyncGenerator<string> {
      let cursor: string | undefined;
      let done = 0;
      do {
        const page = await listSignals(database, { ...window, detail: true, limit: EXPORT_PAGE, cursor });
        yield* page.documents;
        done += page.documents.length;
        show('writing', done, Math.max(done, total));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
    }
    return lines();
  },
});

const fields = defineTerminalAction({
  name: 'fields',
  summary: 'print the fields of a signal as "correct" takes them, and its reports with their numbers',
  input: OneSignal,
  positional: ['signal'],
  audit: 'nothing',
  async run({ signal }, { store }) {
    const { understanding, corrected, reports } = await readSignal(store, signal);
    return {
      fields: CORRECTABLE.map((field) => ({
        field,
        is_corrected: corrected[field] !== undefined,
        value: writeField(understanding, field),
      })),
      reports: reports.map(({ outlet, title }) => ({ outlet, title })),
    };
  },
  text({ fields: written, reports }) {
    const values = tableText(
      ['field', 'value'],
      written.map(({ field, is_corrected, value }) => [
        is_corrected ? `${field} (corrected)` : field,
        oneLine(value.replaceAll('\n', ' ; '), 300),
      ]),
    );
    const list = tableText(
      ['report', 'outlet', 'headline'],
      reports.map(({ outlet, title }, index) => [String(index + 1), oneLine(outlet, 30), oneLine(title, 90)]),
    );
    return `${values}\n\n${list}`;
  },
});

export const SIGNALS: OperatorActions = {
  name: 'signals',
  summary: 'show the history of a signal; correct, split, retract, hold, release, merge and export signals',
  actions: [history, held, exportSignals, release, hold, merge, retract, confirm, split, correct, fields],
};
