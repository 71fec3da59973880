/** A feed before it takes the form of RSS, Atom or JSON Feed. */
import type { SignalItem } from '../../schemas/resources.ts';

export interface Feed {
  readonly title: string;
  readonly description: string;
  /** The page that tells the same. */
  readonly page: string;
  /** Where the feed itself stands. */
  readonly self: string;
  /** When its newest entry came; the moment of asking while it is empty. */
  readonly updated: string;
  readonly signals: readonly SignalItem[];
}

/** What the entry says below its headline: the summary, and who told it. */
export function entryText({ summary, delta, source, outlets }: SignalItem): string {
  const others = outlets > 1 ? ` and ${outlets - 1} more` : '';
  const told = source.outlet ? `Source: ${source.outlet}${others}.` : '';
  return [summary ?? delta, told].filter(Boolean).join(' ');
}

/** Kind of move, theme, brands and cities: what readers may filter by. */
export const entryTags = ({ move, theme, brands, cities }: SignalItem): string[] => [
  ...new Set([move, ...(theme ? [theme.name] : []), ...brands.map(({ name }) => name), ...cities]),
];
