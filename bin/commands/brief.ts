/** `clarity brief`: mails the morning brief and digests of saved searches, when due or at once; and its part of `up`. */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { settledAccounts } from '../../access/mails.ts';
import { postgresGroup } from '../../log/postgres/topics/consumer-group.ts';
import { oneLine } from '../../operations/terminal-text.ts';
import { briefSubscribers } from '../../projector/models/brief-queries.ts';
import { directoryOf } from '../../schemas/directory.ts';
import { briefEnd, briefMails, briefOfDay, briefsAt, searchMails, sendRound } from '../../web/mail/due-mails.ts';
import { composeBrief, type MailSettings, subjectOf } from '../../web/mail/mail-message.ts';
import { mailServer, type RoundCount, type RoundOptions, runMails } from '../../web/mail/mail-rounds.ts';
import { outcomeMails } from '../../web/mail/outcome-mails.ts';
import { UserError } from '../errors.ts';
import { readsDemo } from '../polled-sources.ts';
import { runProcess } from '../process.ts';
import { catalogueInUse, preparedModels, type Services, withServices } from '../services.ts';
import { type Part, stopSignal } from '../supervise.ts';
import { printTable } from '../terminal.ts';

/** The group of senders: one process at a time sends. */
export const senders = ({ database }: Services) => postgresGroup(database, 'brief mail');

const FROM_WITHOUT_SERVER = 'Clarity <clarity@localhost>';

/** @throws UserError when mails are to be sent and a setting for it is missing */
export async function mailSettings({ configuration, store }: Services, dryRun: boolean): Promise<MailSettings> {
  const { SMTP_URL, MAIL_FROM, BASE_URL: baseUrl } = configuration;
  if (!dryRun && SMTP_URL === undefined)
    throw new UserError(
      'SMTP_URL is not set: the morning brief is not mailed; set it, such as smtps://user:password@mail.example:465',
    );
  if (!dryRun && MAIL_FROM === undefined)
    throw new UserError('MAIL_FROM is not set: who the mails come from, such as "Clarity <brief@clarity.example>"');
  return { from: MAIL_FROM ?? FROM_WITHOUT_SERVER, baseUrl, demo: await readsDemo(store) };
}

/** @throws UserError, CatalogueError */
export async function roundOptions(services: Services, signal: AbortSignal): Promise<RoundOptions> {
  const { database, store, logger, configuration, now } = services;
  const settings = await mailSettings(services, false);
  await preparedModels(services);
  const catalogue = await catalogueInUse(services);
  const directory = catalogue.following((effective) => directoryOf(effective.catalogue));
  return {
    database,
    store,
    directory,
    settings,
    now,
    signal,
    server: mailServer(configuration.SMTP_URL ?? ''),
    sender: randomUUID(),
    logger,
  };
}

/** @throws UserError, CatalogueError */
export async function briefMailPart(services: Services): Promise<Part> {
  const options = await roundOptions(services, new AbortController().signal);
  return (signal) =>
    runMails({ ...options, signal, group: senders(services), rounds: [briefMails, searchMails(), outcomeMails()] });
}

interface SendFlags {
  readonly dryRun?: boolean;
  readonly show?: boolean;
  readonly json?: boolean;
}

export function addBrief(program: Command): void {
  const brief = program
    .command('brief')
    .description('mail the morning brief to its subscribers, and new stories of saved searches');
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
Without "send" it keeps running and mails every day at 07:30 IST, and digests of saved searches when they are due; "up"
does so too when SMTP_URL is set.
No subscriber receives the brief of a day twice, even when this runs several times or is killed.`,
    )
    .action((flags: SendFlags) =>
      withServices('brief', (services) => (flags.dryRun ? dryRun(services, flags) : send(services, flags))),
    );
}

async function dryRun(services: Services, { show, json }: SendFlags): Promise<void> {
  const { database, now } = services;
  const settings = await mailSettings(services, true);
  await preparedModels(services);
  const directory = directoryOf((await catalogueInUse(services)).effective().catalogue);
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
