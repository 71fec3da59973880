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
import { clip, neutralise, slugToWords } from '../../presentation/text.ts';
import { type LoggedCorrection, listCorrections } from '../../projector/models/review-queries.ts';
import { isMeasured, ORACLE_ENOUGH } from '../../schemas/oracle.ts';
import type { Proportion, Quality } from '../../schemas/quality.ts';
import type { Aspect } from '../../schemas/signal.ts';
import { courseChart, intervalMark, shareBar } from '../charts.ts';
import { readQuery } from '../forms.ts';
import { layout, sendPage } from '../layout.ts';
import type { Site } from '../site.ts';

const SHOWN = 50;
const MAXIMUM_PAGE = 200;
const Query = z.object({ page: z.coerce.number().int().min(1).max(MAXIMUM_PAGE).default(1) });

const said = (text: string | null): Markup =>
  text === null ? html`nothing` : html`<q>${clip(neutralise(text), 400)}</q>`;

/** What was done, in a sentence or a list of fields. */
function what({ entry: { what: done, fields, about, into } }: LoggedCorrection): Markup {
  const there = into ? html`<a href="/signal/${into}">another entry</a>` : html`another entry`;
  switch (done) {
    case 'retracted':
      return html`<p>Retracted: the report is about no move.</p>`;
    case 'merged':
      return html`<p>Merged into ${there}, which reports the same event.</p>`;
    case 'split':
      return html`<p>The report ${said(about)} is about another event and is part of ${there} now.</p>`;
    case 'corrected':
      return html`<ul class="plain-list">${fields.map(
        ({ field, before, after }) =>
          html`<li>Corrected ${FIELD_PHRASES[field]}: we had ${said(before)}; right is ${said(after)}.</li>`,
      )}</ul>`;
  }
}

/** An entry of the log. */
const correctionEntry = (one: LoggedCorrection): Markup => {
  const headline = clip(neutralise(one.headline ?? 'An entry'), 240);
  return html`<article class="case">
    <h2>${one.status === 'public' && one.slug ? html`<a href="/signal/${one.slug}">${headline}</a>` : headline}</h2>
    <p class="said">${fullTime(one.entry.at)}</p>
    ${what(one)}
    <p>Why: ${clip(neutralise(one.entry.why), 500)}</p>
  </article>`;
};

export function correctionsPage(server: FastifyInstance, site: Site): void {
  server.get('/corrections', async (request, reply) => {
    const { page } = readQuery(Query, request.query);
    const found = await listCorrections(site.database, SHOWN + 1, (page - 1) * SHOWN);
    const shown = found.slice(0, SHOWN);
    const older = found.length > SHOWN && page < MAXIMUM_PAGE;
    return sendPage(
      reply,
      await layout(site, {
        title: 'Corrections · Clarity',
        description: 'What Clarity had wrong, what was corrected, when and why.',
        path: page === 1 ? '/corrections' : `/corrections?page=${page}`,
        body: html`<header class="subject"><h1>Corrections</h1>
          <p>What we had wrong, and what we corrected. Corrected fields stay as they are, whatever is reported later.
            How often that was necessary: <a href="/quality">quality</a>.</p></header>
          <div class="desk">${shown.length === 0 ? html`<p class="empty">No corrections.</p>` : shown.map(correctionEntry)}
          ${older ? html`<p><a rel="next" href="/corrections?page=${page + 1}">Older corrections</a></p>` : null}</div>`,
      }),
    );
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

const legend = (goal: boolean): Markup =>
  html`<td><span class="legend" aria-hidden="true"><span><i></i>value</span> <span><i class="prior"></i>95 % interval</span>${goal ? html` <span><i class="goal"></i>goal</span>` : null}</span></td>`;

const scrolled = (label: string, table: Markup): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${table}</div>`;

function precisionPart({ window_days, sampled, judged, facts }: Quality['precision']): Markup {
  const row = ({ fact, judged: all, right, precision, needed }: (typeof facts)[number]): Markup =>
    html`<tr><th scope="row">${ASPECT_TITLES[fact]}</th>
      <td class="figure">${precision ? percent(precision.value) : '–'}</td>
      <td class="figure">${precision ? interval(precision) : 'no claim'}</td>
      <td class="figure">${formatNumber(right)} of ${formatNumber(all)}${needed > 0 ? html`<small>${formatNumber(needed)} more needed</small>` : null}</td>
      <td class="bars">${precision ? intervalMark(precision) : null}</td></tr>`;
  return html`<section class="part" id="precision"><h2>Is what it says right?</h2>
    <p>Every day 20 signals are drawn at random, and operators compare them with their reports. Of the last ${window_days} days
    ${formatNumber(sampled)} were drawn and ${formatNumber(judged)} were judged${judged === 0 ? html`: <b>nothing is claimed yet</b>` : null}.
    A field counts where the signal is a move and the field said something; wrong is what had been published, also where it was corrected since.</p>
    ${scrolled(
      'Precision by what is judged',
      html`<table class="compared measured"><thead><tr><th scope="col">What is judged</th><th scope="col" class="figure">Right</th><th scope="col" class="figure">95 % interval</th><th scope="col" class="figure">Judged</th>${legend(false)}</tr></thead>
      <tbody>${facts.map(row)}</tbody></table>`,
    )}</section>`;
}

function recallPart(recall: Quality['recall']): Markup {
  const days = (recall?.days ?? []).filter(isMeasured);
  return html`<section class="part" id="recall"><h2>Does it miss anything?</h2>
    ${
      recall?.recall
        ? html`<p>Reference sources reported ${formatCount(recall.checked, 'move')} in ${recall.window_hours} hours; the record has ${formatNumber(recall.found)}:
      <b class="${recall.recall.value >= recall.goal ? 'met' : 'missed'}">${percent(recall.recall.value)}</b> (${interval(recall.recall)}). The goal is ${percent(recall.goal)}. Measured ${fullTime(recall.measured_at)}.
      <a href="/sources#oracle">What was missed</a></p>
      ${
        days.length > 1
          ? courseChart(
              'Share of moves found',
              days.map(({ date, checked, found }) => ({ date, share: found / checked })),
              recall.goal,
            )
          : html`<p class="note">The course is drawn from the second day of measurements on.</p>`
      }`
        : html`<p>Reference sources add no signals; the record is compared with them. <b>Not measured yet</b>${recall ? html`: ${formatCount(recall.checked, 'move')} could be compared so far, at least ${ORACLE_ENOUGH} are needed` : null}.</p>`
    }</section>`;
}

function freshnessPart({ window_days, signals, left_out, to_page, to_poll, within }: Quality['freshness']): Markup {
  const span = (seconds: number): string => spanInWords(seconds * 1_000);
  const lines: readonly (readonly [string, 'p50' | 'p90' | 'p99'])[] = [
    ['Half within', 'p50'],
    ['Nine in ten within', 'p90'],
    ['99 in 100 within', 'p99'],
  ];
  return html`<section class="part" id="freshness"><h2>How soon is it there?</h2>
    ${
      to_page && to_poll
        ? html`<p>From the publication by the outlet until the entry was public, ${formatCount(signals, 'signal')} of the last ${window_days} days. By recorded times alone:
      ${formatNumber(left_out)} more had none (no date or no time of day, a date after the poll, or the first reading of a source).</p>
      <dl class="figures">${lines.map(([name, at]) => html`<div><dt>${name}</dt><dd>${span(to_page[at])}</dd></div>`)}</dl>
      ${scrolled(
        'Signals by delay',
        html`<table class="compared measured"><thead><tr><th scope="col">Public within</th><th scope="col" class="figure">Signals</th><th scope="col" class="figure">Share</th><td></td></tr></thead>
        <tbody>${within.map(
          ({ seconds, signals: many }) =>
            html`<tr><th scope="row">${span(seconds)}</th><td class="figure">${formatNumber(many)}</td><td class="figure">${percent(many / signals)}</td><td class="bars">${shareBar(many / signals)}</td></tr>`,
        )}</tbody></table>`,
      )}
      <p class="note">Until a poll found it: half within ${span(to_poll.p50)}, nine in ten within ${span(to_poll.p90)}, 99 in 100 within ${span(to_poll.p99)}. The rest of the time is ours.</p>`
        : html`<p><b>Nothing is claimed:</b> no signal of the last ${window_days} days has all its times recorded.${left_out > 0 ? html` ${formatNumber(left_out)} had none.` : null}</p>`
    }</section>`;
}

const releasePart = ({ measured_on, set, figures }: Quality['release']): Markup =>
  html`<section class="part" id="release"><h2>Measured before the release</h2>
    <p>On labelled headlines, not on the live record, on ${formatDay(measured_on)}: ${set}.</p>
    ${scrolled(
      'Figures of the release',
      html`<table class="compared measured"><thead><tr><th scope="col">Measure</th><th scope="col" class="figure">Value</th><th scope="col" class="figure">95 % interval</th>${legend(false)}</tr></thead>
      <tbody>${figures.map(
        (one) =>
          html`<tr><th scope="row">${RELEASE[one.figure] ?? slugToWords(one.figure)}</th><td class="figure">${percent(one.value)}</td><td class="figure">${interval(one)}</td><td class="bars">${intervalMark(one)}</td></tr>`,
      )}</tbody></table>`,
    )}</section>`;

export function qualityPage(server: FastifyInstance, site: Site): void {
  server.get('/quality', async (_request, reply) => {
    const { database, now, baseUrl } = site;
    const [quality, corrections] = await Promise.all([
      qualityOf(database, now(), baseUrl),
      listCorrections(database, CORRECTIONS),
    ]);
    const { precision, recall, freshness, release } = quality;
    return sendPage(
      reply,
      await layout(site, {
        title: 'Quality · Clarity',
        description:
          'How right, complete and fresh Clarity is, by measurement: precision, recall, delays and corrections.',
        path: '/quality',
        body: html`<header class="subject"><h1>Quality</h1>
          <p>What was measured, on what, and how far it can be relied on. <a href="/api/v1/quality">The same as JSON</a></p></header>
          ${precisionPart(precision)}
          <div class="columns">${recallPart(recall)}${freshnessPart(freshness)}</div>
          ${releasePart(release)}
          <section class="part" id="corrections"><h2>What was corrected</h2>
          ${corrections.length === 0 ? html`<p class="empty">No corrections.</p>` : html`<div class="desk">${corrections.map(correctionEntry)}</div>`}
          <p><a href="/corrections">All corrections</a></p></section>`,
      }),
    );
  });
}
