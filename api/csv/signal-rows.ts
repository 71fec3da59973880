/** Signals as a table. */
import type { SignalItem } from '../../schemas/resources.ts';
import type { CsvTable } from './send-csv.ts';

const names = (signal: SignalItem, role: 'primary' | 'secondary'): string =>
  signal.brands.flatMap((brand) => (brand.role === role ? [brand.name] : [])).join('; ');

export const signalRows = (signals: readonly SignalItem[]): CsvTable => ({
  columns: [
    ...['id', 'published_at', 'event_at', 'move', 'kind', 'headline', 'delta', 'summary', 'theme', 'brands'],
    ...['mentions', 'cities', 'outlets', 'outlet', 'source_url', 'url'],
  ],
  rows: signals.map((signal) => [
    ...[signal.id, signal.published_at, signal.event_at, signal.move, signal.kind, signal.headline, signal.delta],
    ...[signal.summary, signal.theme?.name ?? null, names(signal, 'primary'), names(signal, 'secondary')],
    ...[signal.cities.join('; '), signal.outlets, signal.source.outlet, signal.source.url, signal.url],
  ]),
});
