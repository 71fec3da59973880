/**
 * GET /quality: how right, complete and fresh the record is, as far as that was measured. GET /corrections: the public
 * log of what was wrong, and what was corrected, when and why.
 */
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { formatDay } from '../../language/days.ts';
import { formatCount, formatNumber } from '../../language/prose.ts';
import { FIELD_PHRASES, FIELD_TITLES } from '../../presentation/field-names.ts';
import { fullTime, type Markup } from '../../presentation/markup.ts';
import { qualityOf, spanInWords } from '../../presentation/quality.ts';
import { slugToWords } from '../../presentation/text.ts';
import { type LoggedCorrection, listCorrections } from '../../projector/models/review-queries.ts';
import { isMeasured, ORACLE_ENOUGH } from '../../schemas/oracle.ts';
import type { Proportion, Quality } from '../../schemas/quality.ts';
import type { Aspect } from '../../schemas/signal.ts';
import { courseChart, intervalMark, shareBar } from '../charts.ts';
import { readQuery } from '../forms.ts';
import { showPage } from '../layout.ts';
import { type Column, excerpt, figures, plainList, scrolled, subject, tableHead } from '../parts.ts';
import type { Site } from '../site.ts';

const LISTED = 50;
const MAXIMUM_PAGE = 200;
const Query = z.object({ page: z.coerce.number().int().min(1).max(MAXIMUM_PAGE).default(1) });

const quotation = (text: string | null): Markup => (text === null ? html`nothing` : html`<q>${excerpt(text, 400)}</q>`);

/** What was done, in a sentence or a list of fields. */
function deed({ entry: { what, fields, about, into } }: LoggedCorrection): Markup {
  const there = into ? html`<a href="/signal/${into}">another entry</a>` : html`another entry`;
  switch (what) {
    case 'retracted':
      return html`<p>Retracted: the report is about no move.</p>`;
    case 'merged':
      return html`<p>Merged into ${there}, which reports the same event.</p>`;
    case 'split':
      return html`<p>The report ${quotation(about)} is about another event and is part of ${there} now.</p>`;
    case 'corrected':
      return plainList(
        fields.map(
          ({ field, before, after }) =>
            html`<li>Corrected ${FIELD_PHRASES[field]}: we had ${quotation(before)}; right is ${quotation(after)}.</li>`,
        ),
      );
  }
}

const correctionList = (corrections: readonly LoggedCorrection[]): Markup =>
  corrections.length === 0
    ? html`<p class="empty">No corrections.</p>`
    : html`${corrections.map((one) => {
        const headline = excerpt(one.headline ?? 'An entry', 240);
        return html`<article class="case">
    <h2>${one.status === 'public' && one.slug ? html`<a href="/signal/${one.slug}">${headline}</a>` : headline}</h2>
    <p class="said">${fullTime(one.entry.at)}</p>
    ${deed(one)}
    <p>Why: ${excerpt(one.entry.why, 500)}</p>
  </article>`;
      })}`;

export function correctionsPage(server: FastifyInstance, site: Site): void {
  server.get('/corrections', async (request, reply) => {
    const { page } = readQuery(Query, request.query);
    const corrections = await listCorrections(site.database, LISTED + 1, (page - 1) * LISTED);
    const hasOlder = corrections.length > LISTED && page < MAXIMUM_PAGE;
    const introduction = html`<p>What we had wrong, and what we corrected. Corrected fields stay as they are, whatever is reported later.
      How often that was necessary: <a href="/quality">quality</a>.</p>`;
    return showPage(reply, site, {
      title: 'Corrections',
      description: 'What Clarity had wrong, what was corrected, when and why.',
      path: page === 1 ? '/corrections' : `/corrections?page=${page}`,
      body: html`${subject(null, 'Corrections', introduction)}
        <div class="desk">${correctionList(corrections.slice(0, LISTED))}
        ${hasOlder ? html`<p><a rel="next" href="/corrections?page=${page + 1}">Older corrections</a></p>` : null}</div>`,
    });
  });
}

const CORRECTIONS = 5;

/** What is judged, as a reader would say it. */
const ASPECT_TITLES: Readonly<Record<Aspect, string>> = {
  ...FIELD_TITLES,
  signal: 'It is a move',
  one_event: 'One event, one entry',
};

/** The figures of the release, as a reader would say them. */
const RELEASE: Readonly<Record<string, string>> = {
  relevance_f1: 'Move or not, F1',
  move_macro_f1: 'Kind of move, macro F1',
  primary_f1: 'Brands it is about, F1',
  cities_f1: 'Cities, F1',
  delta_accuracy: 'Figure, accuracy',
  people_f1: 'People, F1',
  openings_f1: 'Openings, F1',
  results_f1: 'Results, F1',
  deals_f1: 'Deals, F1',
  published_people_precision: 'Published people, precision',
  published_openings_precision: 'Published openings, precision',
  published_results_precision: 'Published results, precision',
  published_deals_precision: 'Published deals, precision',
  pairs_in_signals_precision: 'Reports of one entry are of one event, precision',
  pairs_in_signals_recall: 'Reports of one event are in one entry, recall',
  b3_f1: 'Entries and events, B³ F1',
  whole_events: 'Events in one entry as a whole',
};

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const interval = ({ low, high }: Pick<Proportion, 'low' | 'high'>): string =>
  `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)}`;

const LEGEND = html`<td><span class="legend" aria-hidden="true"><span><i></i>value</span> <span><i class="prior"></i>95 % interval</span></span></td>`;

const questionPart = (id: string, heading: string, body: Markup): Markup =>
  html`<section class="part" id="${id}"><h2>${heading}</h2>${body}</section>`;

/** A table of measurements. The last column has their marks. */
const measured = (label: string, columns: readonly Column[], marks: Markup, rows: readonly Markup[]): Markup =>
  scrolled(label, html`<table class="compared measured">${tableHead(columns, marks)}<tbody>${rows}</tbody></table>`);

function precisionPart({ window_days, sampled, judged, facts }: Quality['precision']): Markup {
  const row = ({ fact, judged: all, right, precision, needed }: (typeof facts)[number]): Markup =>
    html`<tr><th scope="row">${ASPECT_TITLES[fact]}</th>
      <td class="figure">${precision ? percent(precision.value) : '–'}</td>
      <td class="figure">${precision ? interval(precision) : 'no claim'}</td>
      <td class="figure">${formatNumber(right)} of ${formatNumber(all)}${needed > 0 ? html`<small>${formatNumber(needed)} more needed</small>` : null}</td>
      <td class="bars">${precision ? intervalMark(precision) : null}</td></tr>`;
  const columns = ['What is judged', { figure: 'Right' }, { figure: '95 % interval' }, { figure: 'Judged' }];
  return questionPart(
    'precision',
    'Is what it says right?',
    html`<p>Every day 20 signals are drawn at random, and operators compare them with their reports. Of the last ${window_days} days
    ${formatNumber(sampled)} were drawn and ${formatNumber(judged)} were judged${judged === 0 ? html`: <b>nothing is claimed yet</b>` : null}.
    A field counts where the signal is a move and the field said something; wrong is what had been published, also where it was corrected since.</p>
    ${measured('Precision by what is judged', columns, LEGEND, facts.map(row))}`,
  );
}

/** The share of moves that the record has, by day. */
const recallCourse = ({ days, goal }: NonNullable<Quality['recall']>): Markup => {
  const measuredDays = days.filter(isMeasured);
  return measuredDays.length > 1
    ? courseChart(
        'Share of moves found',
        measuredDays.map(({ date, checked, found }) => ({ date, share: found / checked })),
        goal,
      )
    : html`<p class="note">The course is drawn from the second day of measurements on.</p>`;
};

const recallPart = (recall: Quality['recall']): Markup =>
  questionPart(
    'recall',
    'Does it miss anything?',
    recall?.recall
      ? html`<p>Reference sources reported ${formatCount(recall.checked, 'move')} in ${recall.window_hours} hours; the record has ${formatNumber(recall.found)}:
      <b class="${recall.recall.value >= recall.goal ? 'met' : 'missed'}">${percent(recall.recall.value)}</b> (${interval(recall.recall)}). The goal is ${percent(recall.goal)}. Measured ${fullTime(recall.measured_at)}.
      <a href="/sources#oracle">What was missed</a></p>
      ${recallCourse(recall)}`
      : html`<p>Reference sources add no signals; the record is compared with them. <b>Not measured yet</b>${recall ? html`: ${formatCount(recall.checked, 'move')} could be compared so far, at least ${ORACLE_ENOUGH} are needed` : null}.</p>`,
  );

function freshnessPart({ window_days, signals, left_out, to_page, to_poll, within }: Quality['freshness']): Markup {
  const span = (seconds: number): string => spanInWords(seconds * 1_000);
  if (!to_page || !to_poll)
    return questionPart(
      'freshness',
      'How soon is it there?',
      html`<p><b>Nothing is claimed:</b> no signal of the last ${window_days} days has all its times recorded.${left_out > 0 ? html` ${formatNumber(left_out)} had none.` : null}</p>`,
    );
  const rows = within.map(
    ({ seconds, signals: count }) =>
      html`<tr><th scope="row">${span(seconds)}</th><td class="figure">${formatNumber(count)}</td><td class="figure">${percent(count / signals)}</td><td class="bars">${shareBar(count / signals)}</td></tr>`,
  );
  const columns = ['Public within', { figure: 'Signals' }, { figure: 'Share' }];
  return questionPart(
    'freshness',
    'How soon is it there?',
    html`<p>From the publication by the outlet until the entry was public, ${formatCount(signals, 'signal')} of the last ${window_days} days. By recorded times alone:
      ${formatNumber(left_out)} more had none (no date or no time of day, a date after the poll, or the first reading of a source).</p>
      ${figures([
        ['Half within', span(to_page.p50)],
        ['Nine in ten within', span(to_page.p90)],
        ['99 in 100 within', span(to_page.p99)],
      ])}
      ${measured('Signals by delay', columns, html`<td></td>`, rows)}
      <p class="note">Until a poll found it: half within ${span(to_poll.p50)}, nine in ten within ${span(to_poll.p90)}, 99 in 100 within ${span(to_poll.p99)}. The rest of the time is ours.</p>`,
  );
}

const releasePart = ({ measured_on, set, figures: values }: Quality['release']): Markup => {
  const rows = values.map(
    (one) =>
      html`<tr><th scope="row">${RELEASE[one.figure] ?? slugToWords(one.figure)}</th><td class="figure">${percent(one.value)}</td><td class="figure">${interval(one)}</td><td class="bars">${intervalMark(one)}</td></tr>`,
  );
  const columns = ['Measure', { figure: 'Value' }, { figure: '95 % interval' }];
  return questionPart(
    'release',
    'Measured before the release',
    html`<p>On labelled headlines, not on the live record, on ${formatDay(measured_on)}: ${set}. The models had not seen these weeks, but the rules were written on them too: expect several points less on other news.</p>
    ${measured('Figures of the release', columns, LEGEND, rows)}`,
  );
};

export function qualityPage(server: FastifyInstance, site: Site): void {
  server.get('/quality', async (_request, reply) => {
    const { database, now, baseUrl } = site;
    const [quality, corrections] = await Promise.all([
      qualityOf(database, now(), baseUrl),
      listCorrections(database, CORRECTIONS),
    ]);
    const introduction = html`<p>What was measured, on what, and how far it can be relied on. <a href="/api/v1/quality">The same as JSON</a></p>`;
    return showPage(reply, site, {
      title: 'Quality',
      description:
        'How right, complete and fresh Clarity is, by measurement: precision, recall, delays and corrections.',
      path: '/quality',
      body: html`${subject(null, 'Quality', introduction)}
        ${precisionPart(quality.precision)}
        <div class="columns">${recallPart(quality.recall)}${freshnessPart(quality.freshness)}</div>
        ${releasePart(quality.release)}
        ${questionPart(
          'corrections',
          'What was corrected',
          html`<div class="desk">${correctionList(corrections)}</div>
          <p><a href="/corrections">All corrections</a></p>`,
        )}`,
    });
  });
}
