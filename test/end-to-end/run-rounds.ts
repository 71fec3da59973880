/** Plays all rounds of news to a running Clarity and tells what it ended in. */
import { expect, vi } from 'vitest';
import { openDatabase } from '../../log/postgres/database.ts';
import type { Outlets } from '../harness/outlets.ts';
import { publishRound, ROUNDS, reportsUpTo } from './rounds.ts';
import { eventsByStream, readModelRows, verifyReadModels } from './state.ts';

/** However Clarity is run: in one process or many. */
export interface Deployment {
  /** What its processes run with. */
  readonly settings: Record<string, string>;
  /** Where its PostgreSQL is now; null while it has none. */
  databaseUrl(): Promise<string | null>;
  /** Called after a round was published, while its items flow. */
  disturb(round: number): Promise<void>;
  /** Milliseconds that a round may take after it was disturbed; a minute when unset. */
  readonly patience?: number;
  /** News besides that of the rounds: published with them, and how many reports of signals it makes. */
  readonly more?: {
    publish(outlets: Outlets, round: number, at: Date): void;
    reportsUpTo(round: number): number;
  };
  /** Throws when a process that should live has ended by itself. */
  check(): void;
}

export interface Ended {
  readonly events: Record<string, string[]>;
  readonly rows: Record<string, unknown>;
  /** By read model, how its rows differ from those of a rebuild. */
  readonly models: Record<string, unknown>;
}

async function reportsIn(url: string | null): Promise<number> {
  if (!url) return 0;
  const database = openDatabase(url, { max: 1 });
  try {
    const { rows } = await database.query<{ reports: bigint }>(
      `SELECT coalesce(sum(outlets), 0)::bigint AS reports FROM read.signals WHERE status = 'public'`,
    );
    return Number(rows[0]?.reports);
  } catch {
    return 0;
  } finally {
    await database.end();
  }
}

async function stateIn(url: string): Promise<Omit<Ended, 'models'>> {
  const database = openDatabase(url);
  try {
    return { events: await eventsByStream(database), rows: await readModelRows(database) };
  } finally {
    await database.end();
  }
}

/** @param at the date that all items carry */
export async function runRounds(deployment: Deployment, outlets: Outlets, at: Date): Promise<Ended> {
  for (let round = 0; round < ROUNDS; round++) {
    publishRound(outlets, round, at);
    deployment.more?.publish(outlets, round, at);
    const wanted = reportsUpTo(round) + (deployment.more?.reportsUpTo(round) ?? 0);
    await deployment.disturb(round);
    await vi.waitFor(
      async () => {
        deployment.check();
        expect(await reportsIn(await deployment.databaseUrl())).toBe(wanted);
      },
      { timeout: deployment.patience ?? 60_000, interval: 100 },
    );
  }
  // The server of a process that was killed may be going down still, for the next one to start its own.
  const state = await vi.waitFor(async () => stateIn((await deployment.databaseUrl()) ?? ''), {
    timeout: 30_000,
    interval: 100,
  });
  return { ...state, models: await verifyReadModels(deployment.settings) };
}
