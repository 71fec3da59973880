/** Counting what was said rightly: precision, recall and F1 over sets, with names and figures compared by meaning. */
import { parseFigure } from '../ingest/understand/figures.ts';
import { fold } from '../ingest/understand/tokens.ts';

/** Hits, wrong ones and missed ones. */
export class Tally {
  hits = 0;
  wrong = 0;
  missed = 0;
  /** Compares two sets of keys; empty keys do not count. */
  compare(wanted: readonly string[], said: readonly string[]): void {
    const want = new Set(wanted.filter(Boolean));
    const got = new Set(said.filter(Boolean));
    for (const key of got) want.has(key) ? this.hits++ : this.wrong++;
    for (const key of want) if (!got.has(key)) this.missed++;
  }
  /** F1, 1 when there was nothing to find and nothing was said. */
  get f1(): number {
    const all = 2 * this.hits + this.wrong + this.missed;
    return all === 0 ? 1 : (2 * this.hits) / all;
  }
}

const plain = (text: string): string =>
  fold(text)
    .replace(/['’`]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

const ENDINGS =
  /\b(?:ltd|limited|pvt|private|inc|corp|corporation|company|co|india|group|industries|retail|brands|the)\b/g;

/** A company's name without its legal ending, for comparing. */
export const companyKey = (name: string | null): string => {
  const bare = plain(name ?? '');
  return bare.replace(ENDINGS, ' ').replace(/\s+/g, ' ').trim() || bare;
};

/** A place for comparing. */
export const placeKey = (name: string | null): string => plain(name ?? '');

/** A surname for comparing. */
export const surnameKey = (name: string): string => plain(name).split(' ').at(-1) ?? '';

/** A figure by value and unit, so that `Rs 230 crore` and `₹230 Cr` are one. */
export function figureKey(text: string | null): string {
  if (!text) return '';
  const figure = parseFigure(text);
  return figure
    ? `${Number(Math.abs(figure.value).toPrecision(6))}${figure.kind === 'money' ? figure.unit : figure.kind === 'percent' ? '%' : ''}`
    : plain(text);
}
