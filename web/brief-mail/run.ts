/** Mails the morning brief at its time, day after day. */
import { backoff, pause } from '../../log/backoff.ts';
import type { Group } from '../../log/group.ts';
import { dueBrief } from './due.ts';
import { type RoundOptions, sendRound } from './round.ts';

/** How often it is looked whether somebody waits for a mail, in milliseconds. */
const LOOK_EVERY = 15_000;

export interface RunOptions extends Omit<RoundOptions, 'sender'> {
  /** Of all processes that send: one of them does, and another takes its place when it dies. */
  readonly group: Group;
  readonly every?: number;
}

/** Runs until the signal aborts, through restarts of PostgreSQL and of the mail server. */
export async function runBriefMail({ group, every = LOOK_EVERY, ...options }: RunOptions): Promise<void> {
  const { signal, report } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      await asMember({ ...options, group }, every);
      failures = 0;
    } catch (error) {
      report({ account: 'none', answer: String(error) }, 'mailing the brief failed; trying again');
    }
    await pause(backoff(failures++, { base: 500, maximum: every }, Math.random), signal);
  }
}

/** Looks and sends for as long as this process is alive to the others. */
async function asMember({ group, ...options }: Omit<RunOptions, 'every'>, every: number): Promise<void> {
  const member = await group.join();
  const ended = new AbortController();
  member.ended.then(() => ended.abort());
  const signal = AbortSignal.any([options.signal, ended.signal]);
  try {
    while (!signal.aborted) {
      const due = dueBrief(options.now());
      const giveBack = due && (await member.claim('morning brief'));
      if (due && giveBack) {
        await sendRound({ ...options, signal, sender: member.id }, due).finally(giveBack);
        options.server.close();
      }
      await pause(every, signal);
    }
  } finally {
    await member.leave().catch(() => undefined);
  }
}
