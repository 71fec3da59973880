/** What is kept of a signal by a model that answers from one part of its newest text, such as its openings. */
import type { KnownEvent } from '../../schemas/events.ts';
import type { SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { isSignalEvent, withStatus } from './status.ts';

/** A part of a text with what its signal is cited by; `headline` only where there is something to cite. */
export interface Told<Part> {
  readonly status: SignalStatus;
  readonly slug: string;
  readonly published_at: string;
  readonly headline: string | null;
  readonly parts: readonly Part[];
}

/**
 * A fold that keeps what `partsOf` takes from the newest text. One event counts once: what is merged away counts no
 * more, and the signal that it went into keeps its own text.
 */
export const evolveTold =
  <Part>(partsOf: (text: Understanding) => readonly Part[]) =>
  (row: Told<Part> | null, event: KnownEvent, key: string): Told<Part> | null => {
    const told = (text: Understanding): Pick<Told<Part>, 'headline' | 'parts'> => {
      const parts = partsOf(text);
      return { headline: parts.length > 0 ? text.headline : null, parts };
    };
    if (!isSignalEvent(event)) return row;
    if (event.type === 'SignalDetected') {
      if (row) return row;
      const { status, slug, published_at, understanding } = event.data;
      return { status, slug, published_at, ...told(understanding) };
    }
    if (!row) throw new Error(`${event.type} speaks of ${key}, of which no SignalDetected is known`);
    if (event.type === 'SignalMerged' && key !== event.data.signal_id) return row;
    if (event.type === 'SignalRevised') return { ...row, ...told(event.data.after) };
    return withStatus(row, event);
  };

/** What readers may see: the parts of a public signal, numbered from 0, each with what cites it. */
export const publicParts = <Part>({ status, slug, published_at, headline, parts }: Told<Part>) =>
  status === 'public'
    ? parts.map((part, number) => ({ part, cited: { number, slug, headline: headline ?? '', published_at } }))
    : [];

/** Columns of `cited`, which every table of such parts has. */
export const CITED = ['number', 'slug', 'headline', 'published_at'] as const;

/** The slug under which a text names a company; null for a company that is not among its brands. */
export const slugIn = (text: Understanding, company: string | null): string | null =>
  text.brands.find(({ name }) => name === company)?.slug ?? null;
