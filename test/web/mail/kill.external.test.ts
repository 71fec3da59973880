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

type What = 'brief' | 'searches';

function startSender(what: What, day: string): ChildProcess {
  const program = join(import.meta.dirname, 'sender-process.ts');
  const words = [program, people.site.engine.url, box.url, `${day}T02:00:00Z`, what];
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
}

interface Got {
  readonly to: string;
  readonly id: string;
  readonly text: string;
}

/**
 * Sends what is due, restarting the process until one run succeeds.
 * @param kills how many runs are killed before
 * @returns the mails that arrived
 */
async function sendThroughKills(start: (life: number) => ChildProcess, kills = 1): Promise<Got[]> {
  const before = box.mails.length;
  let lives = 0;
  for (let code: number | null = null; code !== 0; lives++) {
    const child = start(lives);
    [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) expect([lives < kills, child.signalCode]).toEqual([true, 'SIGKILL']);
  }
  expect(lives).toBe(kills + 1);
  return box.mails.slice(before).map(({ to, text }) => {
    const mail = readMail(text);
    return { to, id: mail.headers['message-id'] ?? '', text: mail.text };
  });
}

/** The next mail to the second person kills the process that sends it. */
function killAt(
  moment: 'atRecipient' | 'atLastLine',
  child: () => ChildProcess | null,
  then: () => Promise<void> = async () => undefined,
): void {
  box[moment] = async (to) => {
    if (to !== addresses[1]) return;
    box[moment] = async () => undefined;
    const sender = child();
    sender?.kill('SIGKILL');
    if (sender?.signalCode === null) await once(sender, 'close');
    await then();
  };
}

/** Kills the process that sends, at a given point of the second mail. */
async function killedAt(day: string, moment: 'atRecipient' | 'atLastLine'): Promise<Got[]> {
  let child: ChildProcess | null = null;
  killAt(moment, () => child);
  const got = await sendThroughKills(() => {
    child = startSender('brief', day);
    return child;
  });
  for (const { id } of got) expect(id).toContain(`<brief.${day}.`);
  return got;
}

const receivers = (got: readonly Got[]): string[] => got.map(({ to }) => to).toSorted();

it('given a kill -9 after the recipient was sent, then every subscriber gets exactly one mail', async () => {
  expect(receivers(await killedAt('2026-11-21', 'atRecipient'))).toEqual(addresses);
});

it('given a kill -9 between the last line and the response, then no mail is lost, and the second copy is identical', async () => {
  const got = await killedAt('2026-11-20', 'atLastLine');
  expect(receivers(got)).toEqual([...addresses, addresses[1]].toSorted());
  expect(new Set(got.map(({ id }) => id)).size).toBe(PEOPLE);
});

/** The stories of a mail. */
const storiesOf = ({ text }: Got): string[] =>
  [...text.matchAll(/\/signal\/slug-(\w+)/g)].map(([, story]) => story ?? '').toSorted();

it('given digests of saved searches and a kill -9 at each of these points, then no story is lost, and none is in two mails', async () => {
  for (const address of addresses) await people.saveSearch(address, 'Stores', 'kind=stores', 'daily');
  let child: ChildProcess | null = null;
  killAt('atRecipient', () => child);
  const first = await sendThroughKills((life) => {
    // Published before 07:00, and seen only while the mails are sent.
    const late = () => people.site.append(detected('late', { published_at: '2026-11-20T01:00:00Z' }));
    if (life === 1) killAt('atLastLine', () => child, late);
    child = startSender('searches', '2026-11-20');
    return child;
  }, 2);
  expect(receivers(first)).toEqual([...addresses, addresses[1]].toSorted());
  const [mail, copy] = first.filter(({ to }) => to === addresses[1]);
  expect(copy).toEqual(mail);
  for (const got of first) expect(storiesOf(got)).toEqual(['maya', 'tilak']);

  const next = await sendThroughKills(() => startSender('searches', '2026-11-21'), 0);
  expect(receivers(next)).toEqual(addresses);
  for (const got of next) expect(storiesOf(got)).toEqual(['kiri', 'late']);
  expect(new Set([...first, ...next].map(({ id }) => id)).size).toBe(2 * PEOPLE);
});
