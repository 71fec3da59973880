import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addBrief } from '../../../bin/commands/brief.ts';
import { briefEnd } from '../../../web/mail/due-mails.ts';
import { detected } from '../../projector/signal-events.ts';
import { type MailBox, mailBox } from '../../web/mail/mail-box.ts';
import { type Subscribed, subscribed } from '../../web/mail/subscribed.ts';
import { runCommand } from '../run-command.ts';

describe('clarity brief send', () => {
  let box: MailBox;
  let people: Subscribed;
  let catalogue: string;
  beforeAll(async () => {
    catalogue = await mkdtemp(join(tmpdir(), 'clarity-catalogue-'));
    await writeFile(
      join(catalogue, 'brands.yaml'),
      'sources: [made up]\nbrands:\n  - { slug: kiri-foods, name: Kiri Foods, category: alcohol }\n',
    );
    // The rows have the address that the command has, so that it finds them as they are.
    [box, people] = await Promise.all([mailBox(), subscribed({ baseUrl: 'http://localhost:8080' })]);
    await people.site.append(
      detected('kiri', { published_at: new Date(briefEnd(new Date()).getTime() - 3_600_000).toISOString() }),
    );
    await people.subscribe('asha@clarity.test');
  });
  afterAll(async () => {
    await box.close();
    await people.site.close();
    await rm(catalogue, { recursive: true });
  });
  const clarity = (settings: Record<string, string>, ...words: string[]) => {
    for (const name of ['SMTP_URL', 'MAIL_FROM']) vi.stubEnv(name, settings[name] ?? '');
    // The shipped one would take seconds.
    vi.stubEnv('CATALOGUE', catalogue);
    return runCommand(addBrief, ['brief', 'send', ...words], people.site.engine.url);
  };

  it('given --dry-run, then it lists who would get what, without a mail server, and sends nothing', async () => {
    const { code, output } = await clarity({}, '--dry-run');
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(/asha@clarity\.test .*would be sent.*Morning brief/),
    });
    const { mails } = JSON.parse((await clarity({}, '--dry-run', '--show', '--json')).output) as {
      mails: { mail: string }[];
    };
    expect(mails[0]?.mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(box.mails).toEqual([]);
  });

  it('given no mail server, or no sender address, then it says what to set', async () => {
    expect(await clarity({})).toMatchObject({ code: 2, output: expect.stringContaining('SMTP_URL is not set') });
    expect(await clarity({ SMTP_URL: box.url })).toMatchObject({
      code: 2,
      output: expect.stringContaining('MAIL_FROM is not set'),
    });
  });

  it('given both, then each subscriber gets it once, however often it is run', async () => {
    const settings = { SMTP_URL: box.url, MAIL_FROM: 'Clarity <brief@clarity.test>' };
    expect(await clarity(settings)).toEqual({ code: 0, output: 'sent 1\n' });
    expect(await clarity(settings)).toEqual({ code: 0, output: 'sent 0\n' });
    expect(box.mails.map(({ to }) => to)).toEqual(['asha@clarity.test']);
    expect((await clarity({}, '--dry-run')).output).toContain('already sent');
  });
});
