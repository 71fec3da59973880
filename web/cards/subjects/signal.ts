/** The card of one signal. */
import { findPublicSignal } from '../../../api/find-public-signal.ts';
import { SignalDetail } from '../../../schemas/resources.ts';
import { MOVE_NAMES } from '../../moves.ts';
import { unkebab } from '../../parts/signal-entry.ts';
import { clip, counted, readDocument } from '../../text.ts';
import { shortDay } from '../../time.ts';
import type { CardSubject } from '../subject.ts';

const MOST_BRANDS = 3;

/** Who tells it, and how many others. */
const tellers = ({ source, outlets }: SignalDetail): string => {
  const outlet = clip(source.outlet ?? 'Original report', 40);
  return outlets > 1 ? `${outlet} and ${counted(outlets - 1, 'more outlet')}` : outlet;
};

export const signalCard: CardSubject = async ({ database }, slug) => {
  const found = await findPublicSignal(database, slug);
  if ('redirect' in found) return found;
  const signal = readDocument(found.document, SignalDetail);
  const { move, kind, theme, headline, summary, brands } = signal;
  const named = brands.toSorted((one, other) => one.role.localeCompare(other.role)).slice(0, MOST_BRANDS);
  return {
    kicker: [MOVE_NAMES[move], kind && kind.toLowerCase() !== move ? clip(unkebab(kind), 40) : '', theme?.name ?? ''],
    day: shortDay(signal.published_at),
    heading: clip(headline, 400),
    figure: signal.delta,
    note: summary === headline ? null : summary,
    foot: [tellers(signal), ...named.map(({ name }) => clip(name, 40))],
  };
};
