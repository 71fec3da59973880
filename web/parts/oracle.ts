/** What reference sources told and the record lacks. */
import { html } from 'hono/html';
import type { HealthSnapshot } from '../../schemas/resources.ts';
import { outwardLink } from '../links.ts';
import type { Markup } from '../markup.ts';
import { clip, neutralise } from '../text.ts';
import { fullTime } from '../time.ts';

const MOST = 20;
const percent = (share: number): string => `${Math.round(share * 1_000) / 10}%`;

const miss = ({
  headline,
  url,
  outlet,
  published_at,
}: NonNullable<HealthSnapshot['oracle']>['misses'][number]): Markup =>
  html`<li>${outwardLink(url, clip(neutralise(headline), 200))}
  <small>${clip(neutralise(outlet), 60)}${published_at ? html` · ${fullTime(published_at)}` : null}</small></li>`;

/** The latest measurement with its misses, or what is missing for one. */
export const oracleReport = (oracle: HealthSnapshot['oracle']): Markup =>
  oracle === null
    ? html`<section class="part" id="oracle"><h2>The Oracle</h2><p>Reference sources make no entries; the record is held against them. Nothing was measured yet.</p></section>`
    : html`<section class="part" id="oracle"><h2>The Oracle: what we missed</h2>
  <p>Of ${oracle.checked} reports that reference sources gave in ${oracle.window_hours} hours, the record lacks ${oracle.missed}:
    a miss-rate of <b class="${oracle.miss_rate <= oracle.slo ? 'met' : 'missed'}">${percent(oracle.miss_rate)}</b>, where we promise at most ${percent(oracle.slo)}. Measured ${fullTime(oracle.measured_at)}.</p>
  ${oracle.misses.length === 0 ? null : html`<ul class="plain-list">${oracle.misses.slice(0, MOST).map(miss)}</ul>`}</section>`;
