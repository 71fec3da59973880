/** A signal as lines of text, cited with its page and linked to its report. */
import { clock, shortDay } from '../../presentation/dates.ts';
import { counted } from '../../presentation/text.ts';
import type { SignalItem } from '../../schemas/resources.ts';
import { plainAddress, plainLine, quote } from './quote.ts';

const LONGEST_SUMMARY = 400;

/** `20 Nov 2026, 10:00 IST`. */
export const istTime = (instant: string): string => `${shortDay(instant)}, ${clock(instant)} IST`;

/** Names of its brands: those that it is about, then those that it only mentions. */
function brandsOf({ brands }: Pick<SignalItem, 'brands'>): string | null {
  const of = (role: string): string =>
    brands
      .filter((brand) => brand.role === role)
      .map(({ name }) => name)
      .join(', ');
  const [about, mentioned] = [of('primary'), of('secondary')];
  if (!about && !mentioned) return null;
  return quote([about, mentioned && `(with ${mentioned})`].filter(Boolean).join(' '), 300);
}

/** Where it was told: the outlet, how many more, and the address of the report. */
export function sourceLine({ source, outlets }: Pick<SignalItem, 'source' | 'outlets'>): string {
  const more = outlets > 1 ? ` and ${counted(outlets - 1, 'more outlet')}` : '';
  const address = source.url === null ? null : plainAddress(source.url);
  return `Report: ${plainLine(source.outlet ?? 'outlet unknown', 120)}${more}${address ? `, ${address}` : ''}`;
}

/** The line to cite a signal by. */
export const citeLine = ({ url, id }: { readonly url: string; readonly id: string }): string => `Cite: ${url} [${id}]`;

/** What, who, where and when, in one line. */
export function factLine(signal: SignalItem): string {
  const { move, delta, cities, event_at, published_at } = signal;
  const when = event_at === null ? `told ${istTime(published_at)}` : `on ${shortDay(event_at)}`;
  return [
    move,
    delta === null ? null : quote(delta, 120),
    brandsOf(signal),
    cities.length > 0 ? plainLine(cities.join(', '), 200) : null,
    when,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

/** Four or five lines. @param place what stands before the headline, such as `1.` */
export function signalLines(signal: SignalItem, place: string): string {
  const { headline, summary } = signal;
  const lines = [
    `${place} ${quote(headline)}`,
    factLine(signal),
    ...(summary !== null && summary !== headline ? [quote(summary, LONGEST_SUMMARY)] : []),
    sourceLine(signal),
    citeLine(signal),
  ];
  return lines.join('\n   ');
}

/** A numbered list of signals. */
export const signalList = (signals: readonly SignalItem[]): string =>
  signals.map((signal, index) => signalLines(signal, `${index + 1}.`)).join('\n');

/** Parts of an answer, a blank line between them; empty ones are left out. */
export const paragraphs = (...parts: readonly (string | null | false)[]): string => parts.filter(Boolean).join('\n\n');
