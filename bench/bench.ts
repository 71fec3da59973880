/** What every bench uses: its input, its child processes, its keys for the API, and its results with their limits. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { accountOfEmail, changeAccount } from '../access/account.ts';
import { newKey } from '../access/api-keys.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { accountsModel } from '../projector/models/accounts-read-model.ts';
import { runProjector } from '../projector/run-projector.ts';

interface Limit {
  /** What is held against the limit: the figure itself or its ratio to the baseline. */
  readonly of: 'measured' | 'ratio';
  readonly at: 'least' | 'most';
  readonly value: number;
}

/** What a bench says: one figure with its limit. */
export interface Figure {
  /** In words, such as `signal events rebuilt`. */
  readonly figure: string;
  readonly unit: string;
  readonly measured: number;
  /** What the same machine did in the same run without us; null where there is nothing to compare with. */
  readonly baseline: { readonly what: string; readonly measured: number } | null;
  /** Measured over baseline: above 1 means more of the unit. */
  readonly ratio: number | null;
  /** Null for a figure that is only reported. */
  readonly limit: Limit | null;
  readonly ok: boolean;
}

/** A figure, compared with its baseline and held against its limit. */
export function figureOf(
  about: Pick<Figure, 'figure' | 'unit' | 'measured'> & Partial<Pick<Figure, 'baseline' | 'limit'>>,
): Figure {
  const { baseline = null, limit = null, measured } = about;
  const ratio = baseline ? measured / baseline.measured : null;
  const held = limit?.of === 'ratio' ? ratio : measured;
  const ok = !limit || (held !== null && (limit.at === 'least' ? held >= limit.value : held <= limit.value));
  return { ...about, baseline, ratio, limit, ok };
}

/** The value below which so many of the values lie, by the nearest rank; NaN for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export interface Given {
  readonly url: string;
  readonly database: Database;
}

export interface Context {
  /** Events of the history that is rebuilt. */
  readonly events: number;
  /** How often each measurement is repeated; the median is reported. */
  readonly rounds: number;
  /** A database with the log's tables, all empty. */
  empty(): Promise<Given>;
  /** A database with `events` events of signals, the same one for all who ask. */
  history(): Promise<Given>;
  /** Prints progress for the person who runs it. */
  log(line: string): void;
}

export interface Bench {
  /** What it is chosen by. */
  readonly name: string;
  run(context: Context): Promise<readonly Figure[]>;
}

/** What package.json gives to Node for the service. */
const FLAGS = ['--max-semi-space-size=16'];

export interface Child<Line> {
  readonly process: ChildProcess;
  readonly lines: AsyncIterable<Line>;
  /** Resolves when it has ended. @throws when its exit code is not 0 */
  ended(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Ends the children of a bench that failed or was interrupted; those of one that went well have ended. */
export function endChildren(): void {
  for (const child of running) child.kill('SIGTERM');
}

/** Ends a process with the bench, however that ends but by SIGKILL. */
export function adopt(child: ChildProcess): void {
  running.add(child);
  child.once('close', () => running.delete(child));
}

/** Starts a file of this folder, with some settings more than our own; what it writes to standard error is shown. */
export function startChild<Line>(
  file: string,
  words: readonly string[],
  line: z.ZodType<Line>,
  settings: Readonly<Record<string, string>> = {},
): Child<Line> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [...FLAGS, path, ...words], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  adopt(child);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  async function* lines(): AsyncGenerator<Line> {
    if (child.stdout) for await (const text of createInterface(child.stdout)) yield line.parse(JSON.parse(text));
  }
  return {
    process: child,
    lines: lines(),
    async ended() {
      const code = await ended;
      if (code !== 0 && child.signalCode === null) throw new Error(`${file} ended with exit code ${code}`);
    },
  };
}

const number = (value: number): string =>
  value.toLocaleString('en-GB', { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 2 });

const limitOf = ({ limit, unit }: Figure): string => {
  if (!limit) return '';
  const sign = limit.at === 'least' ? '>=' : '<=';
  return limit.of === 'ratio' ? `${sign} ${number(limit.value)} x baseline` : `${sign} ${number(limit.value)} ${unit}`;
};

const cells = (figure: Figure): string[] => [
  figure.figure,
  limitOf(figure),
  `${number(figure.measured)} ${figure.unit}`,
  figure.baseline ? `${number(figure.baseline.measured)} ${figure.unit} (${figure.baseline.what})` : '',
  figure.ratio === null ? '' : number(figure.ratio),
  figure.limit ? (figure.ok ? 'ok' : 'MISSED') : '',
];

/** Columns padded to their widest cell. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [['figure', 'limit', 'measured', 'baseline', 'ratio', 'ok'], ...figures.map(cells)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Makes accounts on Pro with a key each, so many that no minute is full.
 * @returns the keys, once the read model of accounts knows them
 */
export async function issueKeys(database: Database, store: EventStore, accounts: number): Promise<string[]> {
  const commander = { role: 'operator', by: 'bench' } as const;
  const named = randomBytes(4).toString('hex');
  const issued: string[] = [];
  let position = 0n;
  for (let number = 0; number < accounts; number++) {
    const { key, ...kept } = newKey();
    const command = {
      command: 'issue_key',
      key: kept,
      name: 'bench',
      scopes: null,
      expires_at: null,
      plan: 'pro',
    } as const;
    const account = accountOfEmail(`${named}-${number}@bench.example`);
    position = (await changeAccount(store, account, command, { commander, now: new Date() })).position ?? position;
    issued.push(key);
  }
  const stop = new AbortController();
  const quiet = (): undefined => undefined;
  const logger = { info: quiet, warn: quiet, error: quiet };
  const topics = postgresTopics(database);
  const projector = runProjector({ models: [accountsModel()], database, store, topics, logger, signal: stop.signal });
  if (!(await waitForPosition(database, 'accounts', position, 120_000))) throw new Error('accounts do not advance');
  stop.abort();
  await Promise.all([projector, topics.close()]);
  return issued;
}
