/** A look in words. */
import { oneLine } from '../quote.ts';
import type { Look } from './look.ts';
import type { Need } from './needs.ts';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Minutes, hours or days, whichever reads best. */
function ago(time: string, now: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(now) - Date.parse(time)) / 60_000));
  if (minutes < 120) return `${minutes} min ago`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1_440)} days ago`;
}

function modelLines({ standing: { models }, store }: Look): string {
  const unit = store === 'postgres' ? 'events' : 'bytes';
  const behind = models
    .filter(({ lag }) => lag !== null && lag > 0)
    .map(({ model, lag }) => `${model} ${lag} ${unit} behind`);
  const odd = models
    .filter(({ live, version }) => live !== version)
    .map(({ model, live }) => (live ? `${model} is of version ${live}` : `${model} is not built`));
  const unknown = models.some(({ lag }) => lag === null) ? ['how far behind is not known'] : [];
  const told = [...behind, ...odd, ...unknown];
  return `${models.length}, ${told.length > 0 ? told.join(', ') : 'all up to date'}`;
}

/** The lines of a look, without a line end at the end. */
export function lookInWords(look: Look, needs: readonly Need[]): string {
  const { database, standing, last_signal: last, generated_at: now } = look;
  const { sources, oracle, groups, parked } = standing;
  const away = new Set(look.unreachable.map(({ dependency }) => dependency));
  const line = (name: string, text: string): string => `${name.padEnd(12)}${text}`;
  const lines = [
    line(
      'processes',
      database.processes.length > 0 ? database.processes.map(({ name }) => name).join(', ') : 'none is connected',
    ),
    line(
      'PostgreSQL',
      `${database.version}, ${Math.round(database.bytes / 1_048_576)} MB, answered in ${database.milliseconds} ms`,
    ),
    line(
      `topics`,
      away.has('kafka')
        ? 'in kafka, which does not answer'
        : `in ${look.topics}; behind: ${groups.map(({ group, topic, lag }) => `${group.replace(/^projector-.*/, 'projector')} ${lag} of ${topic}`).join(', ')}`,
    ),
    line('read models', modelLines(look)),
    line('parked', String((parked ?? []).reduce((sum, { events }) => sum + events, 0))),
  ];
  if (sources)
    lines.push(
      line(
        'sources',
        `${sources.sources}: ${(['healthy', 'degraded', 'failing', 'silent', 'paused'] as const)
          .filter((state) => sources[state] > 0)
          .map((state) => `${sources[state]} ${state}`)
          .join(', ')}; ${sources.items_per_hour} items an hour`,
      ),
    );
  lines.push(
    line('signals', `${sources?.signals_24h ?? 0} in the last day, ${look.held} held`),
    line('last signal', last ? `${ago(last.published_at, now)}  ${last.id}  > ${oneLine(last.headline, 90)}` : 'none'),
    line(
      'oracle',
      oracle
        ? `missed ${oracle.missed} of ${oracle.checked}, ${percent(oracle.miss_rate)} (at most ${percent(oracle.slo)}), measured ${ago(oracle.measured_at, now)}`
        : 'nothing was measured',
    ),
    '',
    ...(needs.length === 0 ? ['Nothing needs a hand.'] : ['Needs a hand:']),
    ...needs.map((need) => `  ${need.what}\n    ${need.do}`),
  );
  return lines.join('\n');
}
