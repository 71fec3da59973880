/** The morning brief as HTML for mail programs: styles in place, no image, no script, nothing fetched. */
import { html } from 'hono/html';
import type { Brief, BriefItem } from '../../schemas/brief.ts';
import { safeLink } from '../links.ts';
import { type Markup, rendered } from '../markup.ts';
import { clip, counted, neutralise } from '../text.ts';
import { aboutLine, DEMO_NOTE, type MailFrame, WHY_YOU } from './frame.ts';

const SERIF = "Georgia,'Times New Roman',serif";
const SANS = 'Helvetica,Arial,sans-serif';
const INK = '#1d1a16';
const FADED = '#5f574c';
const ACCENT = '#7b1618';

const small = `margin:6px 0 0;font:13px/1.5 ${SANS};color:${FADED}`;
const text = `margin:8px 0 0;font:16px/1.5 ${SERIF};color:${INK}`;

const told = ({ source, other_outlets }: BriefItem): Markup => {
  const outlet = clip(neutralise(source.outlet ?? 'the report'), 80);
  const url = safeLink(source.url);
  const more = other_outlets > 0 ? ` and ${counted(other_outlets, 'more outlet')}` : '';
  return url ? html`<a href="${url}" style="color:${FADED}">${outlet}</a>${more}` : html`${outlet}${more}`;
};

const item = (one: BriefItem): Markup => html`<tr><td style="padding:18px 0;border-top:1px solid #d8d0c1">
<h2 style="margin:0;font:bold 20px/1.25 ${SERIF}"><a href="${one.url}" style="color:${INK};text-decoration:none">${clip(neutralise(one.headline), 300)}</a></h2>
${one.delta ? html`<p style="margin:6px 0 0;font:bold 18px/1.3 ${SERIF};color:${ACCENT}">${clip(neutralise(one.delta), 60)}</p>` : null}
${one.why_it_matters ? html`<p style="${text}">${clip(neutralise(one.why_it_matters), 600)}</p>` : null}
${one.what_to_watch ? html`<p style="${text}"><em>To watch:</em> ${clip(neutralise(one.what_to_watch), 600)}</p>` : null}
<p style="${small}">${told(one)}</p>
</td></tr>`;

/** @param brief its texts are strangers' */
export const briefHtml = (brief: Brief, frame: MailFrame): Promise<string> =>
  rendered(html`<!doctype html>
<html lang="en-IN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${brief.label}</title></head>
<body style="margin:0;padding:0;background:#fdfcf9">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0"><tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="600" cellspacing="0" cellpadding="0" style="width:100%;max-width:600px;text-align:left">
<tr><td style="padding:0 0 14px">
<p style="margin:0;font:34px/1.1 ${SERIF};color:${ACCENT}">Clarity</p>
<h1 style="margin:8px 0 0;font:bold 17px/1.4 ${SANS};color:${INK}">${brief.label}</h1>
<p style="${small}">${aboutLine(frame)}</p>
${frame.demo ? html`<p style="${small}"><strong>${DEMO_NOTE}</strong></p>` : null}
</td></tr>
${brief.items.map(item)}
<tr><td style="padding:18px 0;border-top:3px double ${INK}">
<p style="${small}">${WHY_YOU} <a href="${frame.baseUrl}/brief/mail" style="color:${FADED}">${frame.baseUrl}</a>.
<a href="${frame.ending}" style="color:${FADED}">End it</a>.</p>
</td></tr></table></td></tr></table></body></html>`);
