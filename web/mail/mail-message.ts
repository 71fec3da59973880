/** The morning brief and digests of saved searches as mails: text and HTML. */

import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import MailComposer from 'nodemailer/lib/mail-composer';
import { formatCount } from '../../language/prose.ts';
import { type Markup, renderMarkup, safeLink } from '../../presentation/markup.ts';
import { clip, MOVE_NAMES, neutralise } from '../../presentation/text.ts';
import type { Subscriber } from '../../projector/models/brief-queries.ts';
import type { MailedSearch } from '../../projector/models/saved-searches-queries.ts';
import type { SignalItem, Watch, WatchedBrand } from '../../schemas/resources.ts';
import { MOVES } from '../../schemas/scalar.ts';
import type { Brief, BriefItem, Digest } from '../../schemas/subscriptions.ts';

type MailedStory = Pick<BriefItem, 'headline' | 'url' | 'delta' | 'source' | 'other_outlets'> & {
  /** What is said about it, each with a word before it. */
  readonly texts: readonly { readonly before: string | null; readonly text: string }[];
};

/** What a mail says, with texts of outlets and of readers as they are. */
interface MailContent {
  /** Its heading. */
  readonly title: string;
  /** What it contains. */
  readonly about: string;
  /** Figures before the stories, a line each. */
  readonly figures?: readonly { readonly name: string; readonly text: string }[];
  readonly stories: readonly MailedStory[];
  /** Stories that fit, beyond those in the mail, and where they are. */
  readonly more: { readonly count: number; readonly url: string } | null;
  /** Why the reader gets it, and the page where that is changed. */
  readonly why: string;
  readonly page: string;
  /** The address that ends it. */
  readonly ending: string;
  readonly demo: boolean;
}

const DEMO_NOTE = 'Demonstration. The brands are real, the news is not: every outlet and report is invented.';

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

function textStory(one: MailedStory, place: number): string {
  const outlets = [
    one.source.outlet ?? 'a report',
    ...(one.other_outlets > 0 ? [`and ${formatCount(one.other_outlets, 'more outlet')}`] : []),
  ];
  const parts = [
    wrapped(`${place}. ${one.headline}${one.delta ? ` (${one.delta})` : ''}`),
    ...one.texts.map(({ before, text }) => wrapped(before ? `${before} ${text}` : text, '   ')),
    wrapped(outlets.join(' '), '   '),
    `   ${one.url}`,
  ];
  return parts.join('\n');
}

const mailText = ({ title, about, figures = [], stories, more, why, page, ending, demo }: MailContent): string =>
  [
    `CLARITY\n${wrapped(title)}\n${wrapped(about)}`,
    ...(demo ? [wrapped(DEMO_NOTE)] : []),
    ...(figures.length > 0 ? [figures.map(({ name, text }) => wrapped(`${name}: ${text}`)).join('\n')] : []),
    ...stories.map((one, index) => textStory(one, index + 1)),
    ...(more ? [`and ${more.count} more:\n${more.url}`] : []),
    `--\n${wrapped(why)}\n${page}\nUnsubscribe: ${ending}\n`,
  ].join('\n\n');

const SERIF = "Georgia,'Times New Roman',serif";
const SANS = 'Helvetica,Arial,sans-serif';
const INK = '#1d1a16';
const FADED = '#5f574c';
const ACCENT = '#7b1618';

const SMALL_STYLE = `margin:6px 0 0;font:13px/1.5 ${SANS};color:${FADED}`;
const TEXT_STYLE = `margin:8px 0 0;font:16px/1.5 ${SERIF};color:${INK}`;

const outletsLine = ({ source, other_outlets }: MailedStory): Markup => {
  const outlet = clip(neutralise(source.outlet ?? 'the report'), 80);
  const url = safeLink(source.url);
  const more = other_outlets > 0 ? ` and ${formatCount(other_outlets, 'more outlet')}` : '';
  return url ? html`<a href="${url}" style="color:${FADED}">${outlet}</a>${more}` : html`${outlet}${more}`;
};

const htmlStory = (one: MailedStory): Markup => html`<tr><td style="padding:18px 0;border-top:1px solid #d8d0c1">
<h2 style="margin:0;font:bold 20px/1.25 ${SERIF}"><a href="${one.url}" style="color:${INK};text-decoration:none">${clip(neutralise(one.headline), 300)}</a></h2>
${one.delta ? html`<p style="margin:6px 0 0;font:bold 18px/1.3 ${SERIF};color:${ACCENT}">${clip(neutralise(one.delta), 60)}</p>` : null}
${one.texts.map(({ before, text }) => html`<p style="${TEXT_STYLE}">${before ? html`<em>${before}</em> ` : null}${clip(neutralise(text), 600)}</p>`)}
<p style="${SMALL_STYLE}">${outletsLine(one)}</p>
</td></tr>`;

/** A mail as HTML for mail programs: inline styles, no image, no script, nothing fetched. */
const mailHtml = ({
  title,
  about,
  figures = [],
  stories,
  more,
  why,
  page,
  ending,
  demo,
}: MailContent): Promise<string> =>
  renderMarkup(html`<!doctype html>
<html lang="en-IN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${oneLine(title, 200)}</title></head>
<body style="margin:0;padding:0;background:#fdfcf9">
<div role="main">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0"><tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="600" cellspacing="0" cellpadding="0" style="width:100%;max-width:600px;text-align:left">
<tr><td style="padding:0 0 14px">
<p style="margin:0;font:34px/1.1 ${SERIF};color:${ACCENT}">Clarity</p>
<h1 style="margin:8px 0 0;font:bold 17px/1.4 ${SANS};color:${INK}">${oneLine(title, 200)}</h1>
<p style="${SMALL_STYLE}">${oneLine(about, 400)}</p>
${demo ? html`<p style="${SMALL_STYLE}"><strong>${DEMO_NOTE}</strong></p>` : null}
</td></tr>
${figures.length > 0 ? html`<tr><td style="padding:0 0 14px">${figures.map(({ name, text }) => html`<p style="${SMALL_STYLE}"><strong style="color:${INK}">${oneLine(name, 80)}</strong> ${text}</p>`)}</td></tr>` : null}
${stories.map(htmlStory)}
${more ? html`<tr><td style="padding:18px 0;border-top:1px solid #d8d0c1"><p style="${TEXT_STYLE}"><a href="${more.url}" style="color:${ACCENT}">and ${more.count} more</a></p></td></tr>` : null}
<tr><td style="padding:18px 0;border-top:3px double ${INK}">
<p style="${SMALL_STYLE}">${why} <a href="${page}" style="color:${FADED}">${page}</a>.
<a href="${ending}" style="color:${FADED}">Unsubscribe</a>.</p>
</td></tr></table></td></tr></table></div></body></html>`);

export interface MailSettings {
  /** As in MAIL_FROM: `Clarity <brief@clarity.example>`. */
  readonly from: string;
  /** The public address, without a slash at its end. */
  readonly baseUrl: string;
  readonly demo: boolean;
}

const unsubscribeAddress = (baseUrl: string, token: string): string => `${baseUrl}/unsubscribe/${token}`;

const oneLine = (text: string, maximum: number): string => clip(neutralise(text).replace(/\s+/g, ' ').trim(), maximum);

/** `Morning brief, Saturday 21 November 2026: Zudio opens in Pune`. */
export function subjectOf({ label, items }: Brief): string {
  const first = items[0];
  return first ? `${label}: ${oneLine(first.headline, 90)}` : label;
}

/** The parts of a mail other than its content. */
interface Envelope {
  readonly to: string;
  readonly subject: string;
  /** What its Message-ID begins with, and what is hashed into it. */
  readonly id: readonly [visible: string, hashed: string];
}

interface ListEnvelope extends Envelope {
  /** The name of the list, and the first part of its id. */
  readonly list: readonly [name: string, id: string];
}

/** Its Message-ID is the same for every sender and attempt: mail servers and programs drop duplicates. */
function builtMail(
  written: { readonly text: string; readonly html?: string },
  { to, subject, id: [visible, hashed] }: Envelope,
  { from, baseUrl }: MailSettings,
  date: Date,
  headers: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  const digest = createHash('sha256').update(hashed).digest('hex').slice(0, 24);
  const mail = new MailComposer({
    from,
    to,
    subject,
    date,
    messageId: `<${visible}.${digest}@${new URL(baseUrl).hostname}>`,
    ...written,
    headers: { ...headers, 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    // Nothing is read from a disk or fetched from an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return mail.compile().build();
}

/** Composes a whole mail, with the headers that end it (RFC 2369, RFC 8058). */
async function composeMail(
  content: MailContent,
  { list: [name, list], ...envelope }: ListEnvelope,
  settings: MailSettings,
  date: Date,
): Promise<Buffer> {
  const written = { text: mailText(content), html: await mailHtml(content) };
  return builtMail(written, envelope, settings, date, {
    'List-Id': `${name} <${list}.${new URL(settings.baseUrl).hostname}>`,
    'List-Unsubscribe': `<${content.ending}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
}

/** Composes the morning brief of a subscriber. @param now the date of the mail */
export function composeBrief(
  brief: Brief,
  { account, email, token, scope }: Subscriber,
  settings: MailSettings,
  now: Date,
): Promise<Buffer> {
  const { baseUrl, demo } = settings;
  const followed = scope === 'followed' && brief.filters.brands.length + brief.filters.themes.length > 0;
  const content: MailContent = {
    title: brief.label,
    about: followed ? 'The last 24 hours: brands and themes that you follow.' : 'The last 24 hours in Indian retail.',
    stories: brief.items.map(({ why_it_matters, what_to_watch, ...item }) => ({
      ...item,
      texts: [
        ...(why_it_matters ? [{ before: null, text: why_it_matters }] : []),
        ...(what_to_watch ? [{ before: 'To watch:', text: what_to_watch }] : []),
      ],
    })),
    more: null,
    why: 'You receive this mail because you subscribed to the morning brief at',
    page: `${baseUrl}/brief/mail`,
    ending: unsubscribeAddress(baseUrl, token),
    demo,
  };
  const envelope: ListEnvelope = {
    to: email,
    subject: subjectOf(brief),
    id: [`brief.${brief.date}`, `${brief.date} ${account}`],
    list: ['Clarity morning brief', 'brief'],
  };
  return composeMail(content, envelope, settings, now);
}

/** What an operator decided after a reader reported a mistake. */
interface DecidedMistake {
  readonly to: string;
  readonly mistake: string;
  readonly headline: string;
  readonly url: string;
  /** A sentence. */
  readonly outcome: string;
  /** As the log of corrections has it; null where it is not public. */
  readonly why: string | null;
}

/** Composes the one mail that says what became of the report of a reader. @param now the date of the mail */
export function composeOutcome(
  { to, mistake, headline, url, outcome, why }: DecidedMistake,
  settings: MailSettings,
  now: Date,
): Promise<Buffer> {
  const { baseUrl, demo } = settings;
  const text = [
    wrapped(`You reported a mistake in "${oneLine(headline, 200)}".`),
    wrapped(why === null ? outcome : `${outcome} The reason: ${oneLine(why, 500)}`),
    `${url}\n${baseUrl}/corrections`,
    ...(demo ? [wrapped(DEMO_NOTE)] : []),
    `--\n${wrapped('You left this address with the report. This is the only mail about it.')}\n`,
  ].join('\n\n');
  const subject = `Your report: ${oneLine(headline, 90)}`;
  return builtMail({ text }, { to, subject, id: ['report', `${mistake} ${to}`] }, settings, now);
}

interface SearchDigest {
  readonly search: Pick<MailedSearch, 'key' | 'name' | 'digest' | 'digest_email' | 'digest_token'>;
  /** Which of its mails it is. */
  readonly number: number;
  /** The filter in words. */
  readonly filter: string;
  /** The list of the search on the pages, or its brands side by side. */
  readonly url: string;
  /** The brands that it compares, side by side; null where it compares none. */
  readonly watch: Watch | null;
  /** The first stories, at least one, and how many there are. */
  readonly items: readonly SignalItem[];
  readonly total: number;
}

/** `4 stories in 7 days, 3 in the 7 days before: Stores 2, Deals 2`. */
const comparisonText = ({ total, prior_total, by_move }: WatchedBrand, days: number): string => {
  const kinds = MOVES.filter((move) => by_move[move]).map((move) => `${MOVE_NAMES[move]} ${by_move[move]}`);
  const counts = `${formatCount(total, 'story', 'stories')} in ${days} days, ${prior_total} in the ${days} days before`;
  return kinds.length === 0 ? counts : `${counts}: ${kinds.join(', ')}`;
};

const EVERY: Readonly<Record<Digest, string>> = { at_once: 'at once', daily: 'daily', weekly: 'weekly' };

/** Composes a digest of a saved search. @param now the date of the mail */
export function composeDigest(
  { search, number, filter, url, watch, items, total }: SearchDigest,
  settings: MailSettings,
  now: Date,
): Promise<Buffer> {
  const { baseUrl, demo } = settings;
  const name = oneLine(search.name, 80);
  const content: MailContent = {
    title: `${name}: ${formatCount(total, 'new entry', 'new entries')}`,
    about: filter,
    figures: watch?.brands.map((brand) => ({ name: brand.name, text: comparisonText(brand, watch.window_days) })) ?? [],
    stories: items.map(({ headline, url: address, delta, source, outlets, summary }) => ({
      headline,
      url: address,
      delta,
      source,
      other_outlets: outlets - 1,
      texts: summary ? [{ before: null, text: clip(summary, 300) }] : [],
    })),
    more: total > items.length ? { count: total - items.length, url } : null,
    why: `You receive this mail because you chose mails ${EVERY[search.digest]} of the saved search ${name} at`,
    page: `${baseUrl}/searches/${search.key}`,
    ending: unsubscribeAddress(baseUrl, search.digest_token),
    demo,
  };
  const first = oneLine(items[0]?.headline ?? '', 90);
  const envelope: ListEnvelope = {
    to: search.digest_email,
    subject: `${name}: ${first}${total > 1 ? ` and ${total - 1} more` : ''}`,
    id: [`search.${number}`, `${search.key} ${number}`],
    list: ['Clarity saved searches', 'searches'],
  };
  return composeMail(content, envelope, settings, now);
}
