/** Themes: the theme of each public signal, from which theme pages are counted. */
import { readFileSync } from 'node:fs';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { SIGNAL_TYPES, touchedSignals } from '../../signal/signal-events.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';
import { evolveFacts, type SignalFacts } from './signal-facts.ts';

const schema = readFileSync(new URL('./themes.sql', import.meta.url), 'utf8');

/** The model of themes. */
export function themesModel(): Model<SignalFacts> {
  return {
    name: 'themes',
    types: SIGNAL_TYPES,
    prefixes: [SIGNAL_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: touchedSignals,
    evolve: evolveFacts,
    tables: [
      { name: 'theme_facts', columns: [], records: () => [{}] },
      {
        name: 'theme_stories',
        columns: ['theme', 'name', 'published_at', 'move', 'brands'],
        records: ({ status, published_at, move, theme, brands }) =>
          status !== 'public' || !theme
            ? []
            : [
                {
                  theme: theme.slug,
                  name: theme.name,
                  published_at,
                  move,
                  brands: brands.filter(({ primary }) => primary).map(({ slug }) => slug),
                },
              ],
      },
    ],
  };
}
