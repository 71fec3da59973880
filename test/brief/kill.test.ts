import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { detected } from '../projector/signal-events.ts';
import { type MailBox, mailBox } from './mail-box.ts';
import { type Subscribed, subscribed } from './subscribed.ts';

const PEOPLE = 3;
let box: MailBox;
let people: Subscribed;
const addresses = Array.from({ length: PEOPLE }, (_, n) => `person-${n}@clarity.test`);

beforeAll(async () => {
  [box, people] = await Promise.all([mailBox(), subscribed()]);
  await people.site.tell(
    detected('kiri', { published_at: '2026-11-20T10:00:00Z' }),
    detected('maya', { published_at: '2026-11-19T10:00:00Z' }),
  );
  for (const address of addresses) await people.subscribe(address);
});
afterAll(async () => {
  await box.close();
  await people.site.close();
});

function startSender(day: string): ChildProcess {
  const program = join(import.meta.dirname, 'sender-process.ts');
  const words = [program, people.site.engine.url, box.url, `${day}T02:00:00Z`];
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
}

it.each([
  ['while the mail server hears of the recipient', '2026-11-21', 'atRecipient'],
  ['while the mail server has the whole mail and has not answered yet', '2026-11-20', 'atLastLine'],
] as const)('given a kill -9 %s, then everybody gets exactly one', async (_when, day, moment) => {
  const before = box.mails.length;
  const killedAt = new Set<string>();
  let child: ChildProcess | null = null;
  box[moment] = async (to) => {
    if (to !== addresses[1] || killedAt.has(to)) return;
    killedAt.add(to);
    const dying = child;
    dying?.kill('SIGKILL');
    if (dying && dying.signalCode === null) await once(dying, 'close');
  };
  for (let lives = 0; lives <= PEOPLE; lives++) {
    child = startSender(day);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code === 0) break;
    expect(child.signalCode).toBe('SIGKILL');
  }
  box[moment] = async () => undefined;
  expect(killedAt.size).toBe(1);
  const got = box.mails.slice(before).map(({ to }) => to);
  expect(got.toSorted()).toEqual(addresses);
});
