import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { detected } from '../../projector/signal-events.ts';
import { type MailBox, mailBox } from './mail-box.ts';
import { readMail } from './read-mail.ts';
import { type Subscribed, subscribed } from './subscribed.ts';

const PEOPLE = 3;
let box: MailBox;
let people: Subscribed;
const addresses = Array.from({ length: PEOPLE }, (_, n) => `person-${n}@clarity.test`);

beforeAll(async () => {
  [box, people] = await Promise.all([mailBox(), subscribed()]);
  await people.site.append(
    detected('kiri', { published_at: '2026-11-20T10:00:00Z' }),
    detected('maya', { published_at: '2026-11-19T10:00:00Z' }),
    detected('tilak', { published_at: '2026-11-18T10:00:00Z' }),
  );
  for (const address of addresses) await people.subscribe(address);
});
afterAll(async () => {
  await box.close();
  await people.site.close();
});

function startSender(day: string, dieOver: readonly string[] = []): ChildProcess {
  const program = join(import.meta.dirname, 'sender-process.ts');
  const words = [program, people.site.engine.url, box.url, `${day}T02:00:00Z`, ...dieOver];
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
}

interface Got {
  readonly to: string;
  readonly id: string;
}

/** Sends the brief of a day, restarting the process until one run succeeds. @returns the mails that arrived */
async function sendThroughKills(day: string, start: (life: number) => ChildProcess): Promise<Got[]> {
  const before = box.mails.length;
  let lives = 0;
  for (let code: number | null = null; code !== 0; lives++) {
    const child = start(lives);
    [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) expect([lives, child.signalCode]).toEqual([0, 'SIGKILL']);
  }
  expect(lives).toBe(2);
  return box.mails.slice(before).map(({ to, text }) => {
    const id = readMail(text).headers['message-id'] ?? '';
    expect(id).toContain(`<brief.${day}.`);
    return { to, id };
  });
}

/** Kills the process that sends, at a given point of the second mail. */
async function killedAt(day: string, moment: 'atRecipient' | 'atLastLine'): Promise<Got[]> {
  let child: ChildProcess | null = null;
  box[moment] = async (to) => {
    if (to !== addresses[1]) return;
    box[moment] = async () => undefined;
    child?.kill('SIGKILL');
    if (child?.signalCode === null) await once(child, 'close');
  };
  return sendThroughKills(day, () => {
    child = startSender(day);
    return child;
  });
}

const receivers = (got: readonly Got[]): string[] => got.map(({ to }) => to).toSorted();

it('given a kill -9 after the recipient was sent, then every subscriber gets exactly one mail', async () => {
  expect(receivers(await killedAt('2026-11-21', 'atRecipient'))).toEqual(addresses);
});

it('given a kill -9 between the mark and the last line of a mail, then every subscriber gets exactly one mail', async () => {
  const got = await sendThroughKills('2026-11-19', (life) =>
    startSender('2026-11-19', life === 0 ? addresses.slice(1, 2) : []),
  );
  expect(receivers(got)).toEqual(addresses);
});

it('given a kill -9 between the last line and the response, then no mail is lost, and the second copy is identical', async () => {
  const got = await killedAt('2026-11-20', 'atLastLine');
  expect(receivers(got)).toEqual([...addresses, addresses[1]].toSorted());
  expect(new Set(got.map(({ id }) => id)).size).toBe(PEOPLE);
});
