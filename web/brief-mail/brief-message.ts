/** The morning brief as a mail: text and HTML, with the headers that end it (RFC 2369, RFC 8058). */
import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import MailComposer from 'nodemailer/lib/mail-composer';
import { type Markup, renderMarkup, safeLink } from '../../presentation/markup.ts';
import { clip, formatCount, neutralise } from '../../presentation/text.ts';
import type { Subscriber } from '../../projector/models/brief-queries.ts';
import type { AccountId } from '../../schemas/access.ts';
import type { Brief, BriefItem } from '../../schemas/brief.ts';

/** What a mail needs in addition to the brief. */
interface MailFrame {
  readonly baseUrl: string;
  /** The address that ends the subscription. */
  readonly ending: string;
  readonly demo: boolean;
  /** True when the brief contains only what the subscriber follows. */
  readonly followed: boolean;
}

const DEMO_NOTE = 'Demonstration. The brands are real, the news is not: every outlet and report is invented.';

/** The line on what the brief contains. */
const aboutLine = ({ followed }: MailFrame): string =>
  followed ? 'The last 24 hours: brands and themes that you follow.' : 'The last 24 hours in Indian retail.';

/** The line on why the reader gets the mail. */
const WHY_YOU = 'You receive this mail because you subscribed to the morning brief at';

const WIDTH = 74;

/** Breaks a text into lines; line breaks of its source are removed. */
function wrapped(text: string, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of neutralise(text).split(/\s+/).filter(Boolean)) {
    if (line && line.length + word.length + 1 > WIDTH - indent.length) {
      lines.push(indent + line);
      line = '';
    }
    line = line ? `${line} ${word}` : word;
  }
  if (line) lines.push(indent + line);
  return lines.join('\n');
}

function textItem(one: BriefItem, place: number): string {
  const outlets = [
    one.source.outlet ?? 'a report',
    ...(one.other_outlets > 0 ? [`and ${formatCount(one.other_outlets, 'more outlet')}`] : []),
  ];
  const parts = [
    wrapped(`${place}. ${one.headline}${one.delta ? ` (${one.delta})` : ''}`),
    one.why_it_matters && wrapped(one.why_it_matters, '   '),
    one.what_to_watch && wrapped(`To watch: ${one.what_to_watch}`, '   '),
    wrapped(outlets.join(' '), '   '),
    `   ${one.url}`,
  ];
  return parts.filter(Boolean).join('\n');
}

/** The brief as plain text. @param brief with texts of outlets */
const briefText = (brief: Brief, frame: MailFrame): string =>
  [
    `CLARITY\n${brief.label}\n${aboutLine(frame)}`,
    ...(frame.demo ? [wrapped(DEMO_NOTE)] : []),
    ...brief.items.map((one, index) => textItem(one, index + 1)),
    `--\n${WHY_YOU}\n${frame.baseUrl}/brief/mail\nUnsubscribe: ${frame.ending}\n`,
  ].join('\n\n');

const SERIF = "Georgia,'Times New Roman',serif";
const SANS = 'Helvetica,Arial,sans-serif';
const INK = '#1d1a16';
const FADED = '#5f574c';
const ACCENT = '#7b1618';

const SMALL_STYLE = `margin:6px 0 0;font:13px/1.5 ${SANS};color:${FADED}`;
const TEXT_STYLE = `margin:8px 0 0;font:16px/1.5 ${SERIF};color:${INK}`;

const outletsLine = ({ source, other_outlets }: BriefItem): Markup => {
  const outlet = clip(neutralise(source.outlet ?? 'the report'), 80);
  const url = safeLink(source.url);
  const more = other_outlets > 0 ? ` and ${formatCount(other_outlets, 'more outlet')}` : '';
  return url ? html`<a href="${url}" style="color:${FADED}">${outlet}</a>${more}` : html`${outlet}${more}`;
};

const htmlItem = (one: BriefItem): Markup => html`<tr><td style="padding:18px 0;border-top:1px solid #d8d0c1">
<h2 style="margin:0;font:bold 20px/1.25 ${SERIF}"><a href="${one.url}" style="color:${INK};text-decoration:none">${clip(neutralise(one.headline), 300)}</a></h2>
${one.delta ? html`<p style="margin:6px 0 0;font:bold 18px/1.3 ${SERIF};color:${ACCENT}">${clip(neutralise(one.delta), 60)}</p>` : null}
${one.why_it_matters ? html`<p style="${TEXT_STYLE}">${clip(neutralise(one.why_it_matters), 600)}</p>` : null}
${one.what_to_watch ? html`<p style="${TEXT_STYLE}"><em>To watch:</em> ${clip(neutralise(one.what_to_watch), 600)}</p>` : null}
<p style="${SMALL_STYLE}">${outletsLine(one)}</p>
</td></tr>`;

/**
 * The brief as HTML for mail programs: inline styles, no image, no script, nothing fetched.
 * @param brief with texts of outlets
 */
const briefHtml = (brief: Brief, frame: MailFrame): Promise<string> =>
  renderMarkup(html`<!doctype html>
<html lang="en-IN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${brief.label}</title></head>
<body style="margin:0;padding:0;background:#fdfcf9">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0"><tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="600" cellspacing="0" cellpadding="0" style="width:100%;max-width:600px;text-align:left">
<tr><td style="padding:0 0 14px">
<p style="margin:0;font:34px/1.1 ${SERIF};color:${ACCENT}">Clarity</p>
<h1 style="margin:8px 0 0;font:bold 17px/1.4 ${SANS};color:${INK}">${brief.label}</h1>
<p style="${SMALL_STYLE}">${aboutLine(frame)}</p>
${frame.demo ? html`<p style="${SMALL_STYLE}"><strong>${DEMO_NOTE}</strong></p>` : null}
</td></tr>
${brief.items.map(htmlItem)}
<tr><td style="padding:18px 0;border-top:3px double ${INK}">
<p style="${SMALL_STYLE}">${WHY_YOU} <a href="${frame.baseUrl}/brief/mail" style="color:${FADED}">${frame.baseUrl}</a>.
<a href="${frame.ending}" style="color:${FADED}">Unsubscribe</a>.</p>
</td></tr></table></td></tr></table></body></html>`);

export interface MailSettings {
  /** As in MAIL_FROM: `Clarity <brief@clarity.example>`. */
  readonly from: string;
  /** The public address, without a slash at its end. */
  readonly baseUrl: string;
  readonly demo: boolean;
}

/** The address that ends a subscription. */
const unsubscribeAddress = (baseUrl: string, token: string): string => `${baseUrl}/unsubscribe/${token}`;

/** A text of an outlet on one line. */
const oneLine = (text: string, maximum: number): string => clip(neutralise(text).replace(/\s+/g, ' ').trim(), maximum);

/** `Morning brief, Saturday 21 November 2026: Zudio opens in Pune`. */
export function subjectOf({ label, items }: Brief): string {
  const first = items[0];
  return first ? `${label}: ${oneLine(first.headline, 90)}` : label;
}

/** The same for an account and a day, for every sender and attempt: mail servers and programs drop duplicates. */
function messageId({ day, account }: { day: string; account: AccountId }, baseUrl: string): string {
  const digest = createHash('sha256').update(`${day} ${account}`).digest('hex').slice(0, 24);
  return `<brief.${day}.${digest}@${new URL(baseUrl).hostname}>`;
}

/** Composes the whole mail. @param now the date of the mail */
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
    // Nothing is read from a disk or fetched from an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return mail.compile().build();
}
