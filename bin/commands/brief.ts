/** `clarity brief`: mails the morning brief. */
import type { Command } from 'commander';
import { settledAccounts } from '../../access/brief-mail-claims.ts';
import { briefSubscribers } from '../../projector/models/brief-subscribers-queries.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { composeBrief, subjectOf } from '../../web/brief-mail/brief-message.ts';
import { briefEnd, briefOfDay, briefsAt, type RoundCount, sendRound } from '../../web/brief-mail/brief-rounds.ts';
import { briefMailPart, mailSettings, roundOptions, senders } from '../brief-mail.ts';
import { UserError } from '../errors.ts';
import { runProcess } from '../process.ts';
import { openCatalogue, preparedModels, type Services, withServices } from '../services.ts';
import { stopSignal } from '../supervise.ts';
import { oneLine, printTable } from '../terminal.ts';

interface SendFlags {
  readonly dryRun?: boolean;
  readonly show?: boolean;
  readonly json?: boolean;
}

export function addBrief(program: Command): void {
  const brief = program.command('brief').description('mail the morning brief to its subscribers');
  brief.action(() => runProcess('brief', async (services) => ({ brief: await briefMailPart(services) })));
  brief
    .command('send')
    .description("send today's brief now to all subscribers who have not received it today")
    .option('--dry-run', 'send nothing; list who would receive what')
    .option('--show', 'with --dry-run: print each mail in full')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Without "send" it keeps running and mails every day at 07:30 IST; "up" does so too when SMTP_URL is set.
No subscriber receives the brief of a day twice, even when this runs several times or is killed.`,
    )
    .action((flags: SendFlags) =>
      withServices('brief', (services) => (flags.dryRun ? dryRun(services, flags) : send(services, flags))),
    );
}

async function dryRun(services: Services, { show, json }: SendFlags): Promise<void> {
  const { database, configuration, now } = services;
  const settings = await mailSettings(services, true);
  await preparedModels(services);
  const directory = directoryOf((await openCatalogue(configuration.CATALOGUE)).catalogue);
  const { day } = briefOfDay(now());
  const settled = await settledAccounts(database, day);
  const briefOf = briefsAt({ database, directory }, briefEnd(now()));
  const mails = [];
  for (const subscriber of await briefSubscribers(database, now())) {
    const brief = await briefOf(subscriber);
    const state = settled.has(subscriber.account)
      ? 'already sent'
      : brief.items.length === 0
        ? 'no items'
        : 'would be sent';
    const mail = show ? String(await composeBrief(brief, subscriber, settings, now())) : undefined;
    mails.push({
      to: subscriber.email,
      scope: subscriber.scope,
      items: brief.items.length,
      subject: subjectOf(brief),
      state,
      mail,
    });
  }
  if (json) return void process.stdout.write(`${JSON.stringify({ day, mails }, null, 2)}\n`);
  if (mails.length === 0) return void process.stdout.write('the morning brief has no subscribers\n');
  printTable(
    ['to', 'about', 'items', 'state', 'subject'],
    mails.map(({ to, scope, items, state, subject }) => [
      oneLine(to, 60),
      scope,
      String(items),
      state,
      oneLine(subject, 120),
    ]),
  );
  for (const { mail } of mails) if (mail) process.stdout.write(`\n${mail}\n`);
  process.stdout.write('\nnothing was sent\n');
}

async function send(services: Services, { json }: SendFlags): Promise<void> {
  const options = await roundOptions(services, stopSignal());
  const member = await senders(services).join();
  try {
    const giveBack = await member.claim('morning brief');
    if (!giveBack) throw new UserError('another process is sending the morning brief');
    // A manual send includes those who subscribed since 07:30.
    const now = services.now();
    const count = await sendRound(options, { ...briefOfDay(now), at: now }).finally(giveBack);
    printCount(count, json);
  } finally {
    options.server.close();
    await member.leave();
  }
}

function printCount(count: RoundCount, json: boolean | undefined): void {
  const { accepted, refused, unsent, unknown, empty } = count;
  const failed = refused + unsent + unknown;
  if (json) process.stdout.write(`${JSON.stringify(count)}\n`);
  else
    process.stdout.write(
      `sent ${accepted}${empty ? `, no items for ${empty}` : ''}${failed ? `, not delivered ${failed} (the log says why)` : ''}\n`,
    );
  if (failed > 0) process.exitCode = 1;
}
