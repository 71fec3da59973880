/** Rosters as YAML, the form in which `readRoster` takes them back. */
import { stringify } from 'yaml';
import { Source } from '../../schemas/source.ts';

/** What a source has when its entry says nothing, so that entries stay short. */
const UNSAID = Source.parse({ id: 'a', outlet: 'a', url: 'https://a.in/' });

/** The text of a roster file. Reading it gives the same sources. */
export function writeRoster(sources: readonly Source[]): string {
  const entries = sources.map((source) =>
    Object.fromEntries(
      Object.entries(source).filter(
        ([field, value]) =>
          value !== undefined && JSON.stringify(value) !== JSON.stringify(UNSAID[field as keyof Source]),
      ),
    ),
  );
  return stringify({ sources: entries }, { lineWidth: 120 });
}
