/** Mailing of the morning brief, set up from the configuration. */
import { randomUUID } from 'node:crypto';
import { postgresGroup } from '../log/postgres/topics/consumer-group.ts';
import { directoryOf } from '../schemas/directory.ts';
import type { MailSettings } from '../web/brief-mail/brief-message.ts';
import { type RoundOptions, runBriefMail } from '../web/brief-mail/brief-rounds.ts';
import { mailServer } from '../web/brief-mail/smtp.ts';
import { UserError } from './errors.ts';
import { readsDemo } from './open-roster.ts';
import { openCatalogue, preparedModels, type Services } from './services.ts';
import type { Part } from './supervise.ts';

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
  const { database, logger, configuration, now } = services;
  const settings = await mailSettings(services, false);
  await preparedModels(services);
  const directory = directoryOf((await openCatalogue(configuration.CATALOGUE)).catalogue);
  return {
    ...{ database, directory, settings, now, signal },
    server: mailServer(configuration.SMTP_URL ?? ''),
    sender: randomUUID(),
    report: (about, message) => logger.warn(about, message),
  };
}

/** @throws UserError, CatalogueError */
export async function briefMailPart(services: Services): Promise<Part> {
  const options = await roundOptions(services, new AbortController().signal);
  return (signal) => runBriefMail({ ...options, signal, group: senders(services) });
}
