/** Publishes all rounds of items to a running Clarity and returns the result. */

import { expect, vi } from 'vitest';
import { openDatabase } from '../../log/postgres/database.ts';
import { eventually } from '../harness/eventually.ts';
import type { Outlets } from '../harness/outlets.ts';
import { publishRound, ROUNDS, reportsUpTo } from './rounds.ts';
import { eventsByStream, expectNothingLost, readModelRows, verifyReadModels } from './state.ts';

/** A running Clarity, in one process or many. */
export interface Deployment {
  /** The settings of its processes. */
  readonly settings: Record<string, string>;
  /** Where its PostgreSQL is now; null while it has none. */
  databaseUrl(): Promise<string | null>;
  /** Called after a round was published, while its items flow. */
  disturb(round: number): Promise<void>;
  /** Maximum milliseconds of a round after a disturbance; a minute by default. */
  readonly timeoutMs?: number;
  /** Items in addition to those of the rounds, with the number of reports that they create. */
  readonly more?: {
    publish(outlets: Outlets, round: number, at: Date): void;
    reportsUpTo(round: number): number;
  };
  /** Whether its read models are compared with rebuilt ones, which takes as long as a start; by default they are. */
  readonly comparesModels?: boolean;
  /** Throws when a process has ended by itself. */
  check(): void;
}

export interface Ended {
  readonly events: Record<string, string[]>;
  readonly rows: Record<string, unknown>;
  /** By read model, the difference between its rows and those of a rebuild. */
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
    // The database of a killed process is unavailable; the caller waits until the reports are there.
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
      { timeout: deployment.timeoutMs ?? 60_000, interval: 250 },
    );
  }
  // The database server of a killed process may still be stopping, before the next one starts its own.
  const state = await eventually(async () => stateIn((await deployment.databaseUrl()) ?? ''));
  await expectNothingLost((await deployment.databaseUrl()) ?? '', deployment.settings);
  const { comparesModels = true, settings } = deployment;
  return { ...state, models: comparesModels ? await verifyReadModels(settings) : {} };
}
