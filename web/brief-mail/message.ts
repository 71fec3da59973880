/** The morning brief as a mail: text and HTML, with the headers by which mail programs end it (RFC 2369, RFC 8058). */
import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Subscriber } from '../../projector/models/brief-subscribers-queries.ts';
import type { Brief } from '../../schemas/brief.ts';
import { clip, neutralise } from '../text.ts';
import { briefHtml } from './html.ts';
import { briefText } from './text.ts';

export interface MailSettings {
  /** As in MAIL_FROM: `Clarity <brief@clarity.example>`. */
  readonly from: string;
  /** Address that readers use, without a slash at its end. */
  readonly baseUrl: string;
  readonly demo: boolean;
}

/** The address that ends a subscription. */
export const unsubscribeAddress = (baseUrl: string, token: string): string => `${baseUrl}/unsubscribe/${token}`;

/** One line of a stranger's text. */
export const oneLine = (text: string, most: number): string => clip(neutralise(text).replace(/\s+/g, ' ').trim(), most);

/** `Morning brief, Saturday 21 November 2026: Zudio opens in Pune`. */
export function subjectOf({ label, items }: Brief): string {
  const first = items[0];
  return first ? `${label}: ${oneLine(first.headline, 90)}` : label;
}

/** The same for a person and a day, whoever sends it and however often: mail servers and programs keep one of two. */
function messageId({ day, account }: { day: string; account: string }, baseUrl: string): string {
  const digest = createHash('sha256').update(`${day} ${account}`).digest('hex').slice(0, 24);
  return `<brief.${day}.${digest}@${new URL(baseUrl).hostname}>`;
}

/** The whole mail, ready to send. @param now the time that it bears */
export async function composeBrief(
  brief: Brief,
  { account, email, token, scope }: Subscriber,
  settings: MailSettings,
  now: Date,
): Promise<Buffer> {
  const { baseUrl, from, demo } = settings;
  const ending = unsubscribeAddress(baseUrl, token);
  const frame = {
    baseUrl,
    ending,
    demo,
    followed: scope === 'followed' && brief.filters.brands.length + brief.filters.themes.length > 0,
  };
  const mail = new MailComposer({
    from,
    to: email,
    subject: subjectOf(brief),
    date: now,
    messageId: messageId({ day: brief.date, account }, baseUrl),
    text: briefText(brief, frame),
    html: await briefHtml(brief, frame),
    headers: {
      'List-Id': `Clarity morning brief <brief.${new URL(baseUrl).hostname}>`,
      'List-Unsubscribe': `<${ending}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
    // Nothing in it is fetched from a disk or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return mail.compile().build();
}
