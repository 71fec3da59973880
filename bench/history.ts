/**
 * A made-up history of signals, the same again for the same number. How many events follow a signal and of which kinds is
 * what `clarity up` wrote of its demo newsroom: of 974 events 39 % were first ones, 43 % reports, 16 % revisions.
 */
import type { Event } from '../schemas/envelope.ts';
import { type DataOf, type EventType, newEvent } from '../schemas/events.ts';
import { eventId, fingerprint, signalId, slugify } from '../schemas/identity.ts';
import type { Report } from '../schemas/signal.ts';
import { signalStream } from '../schemas/signal.ts';
import { type Chance, chance } from './chance.ts';
import { OUTLETS, understandingOf } from './stories.ts';

export interface Written {
  readonly stream: string;
  /** Counts from 0 in its stream. */
  readonly revision: number;
  readonly event: Event;
}

interface Signal {
  readonly id: string;
  readonly slug: string;
  readonly first: DataOf<'SignalDetected'>;
  revision: number;
}

/** A signal is found every ten minutes, from this moment on. */
const START = Date.UTC(2008, 0, 1);
const EVERY = 600_000;
const instant = (number: number): string => new Date(START + number * EVERY).toISOString();

const reportOf = (number: number, nth: number, title: string, summary: string | null, draw: Chance): Report => {
  const outlet = draw.one(OUTLETS);
  const url = `https://www.${outlet.id}.example/companies/retail/${slugify(title)}-${number}${nth ? `-${nth}` : ''}`;
  return {
    item_key: `https://www.${outlet.id}.example/?p=${number}${nth}`,
    source_id: outlet.id,
    outlet: outlet.name,
    authority: outlet.authority,
    url,
    title,
    summary,
    published_at: instant(number - 2),
    first_seen_at: instant(number),
    fingerprint: fingerprint(title, summary),
  };
};

const stamped = <Type extends EventType>(type: Type, number: number, nth: number, data: DataOf<Type>): Event => {
  const cause = eventId('cause', number, nth);
  return newEvent(type, data, {
    id: eventId('bench', number, nth),
    time: instant(number),
    causation_id: cause,
    correlation_id: cause,
  });
};

function detect(number: number, draw: Chance): Signal {
  const understanding = understandingOf(draw);
  const report = reportOf(number, 0, understanding.headline, understanding.summary, draw);
  const [id, slug] = [signalId(report.url), `${slugify(understanding.headline)}-${number}`];
  const held = draw.happens(0.01);
  const first: DataOf<'SignalDetected'> = {
    signal_id: id,
    slug,
    status: held ? 'held' : 'public',
    status_reason: held ? 'no brand is named' : null,
    published_at: instant(number),
    understanding,
    understood_by: 'understand-1/0123456789ab',
    report,
    follows: null,
  };
  return { id, slug, first, revision: 0 };
}

/** What happens to a signal later: mostly further reports. */
function later(signal: Signal, number: number, nth: number, draw: Chance, newest: Signal): Event {
  const { id: signal_id, first } = signal;
  const kind = draw.between(0, 100);
  if (kind < 66 || signal === newest) {
    const report = reportOf(number, nth, first.report.title, draw.happens(0.7) ? first.report.summary : null, draw);
    const words = ['headline words agree by 51%', 'all words agree by 39%', 'rare words in common', 'a figure agrees'];
    const match = { score: 0.976, reasons: [...words, '1 days apart', 'same brand', 'same kind of move'] };
    return stamped('SignalReported', number, nth, { signal_id, report, match, resurfaced: draw.happens(0.05) });
  }
  if (kind < 91) {
    const before = first.understanding;
    const after = { ...before, headline: `${before.headline}, says report`, cities: [...before.cities, 'Pune'] };
    const { understood_by, report } = first;
    const told = { reason: 'better_report' as const, understood_by, item_key: report.item_key };
    return stamped('SignalRevised', number, nth, { signal_id, revision: nth, before, after, ...told });
  }
  if (kind < 97) {
    const why_it_matters = `It is the third such move of ${first.understanding.brands[0]?.name ?? 'a brand'} in 30 days.`;
    const analysis = { why_it_matters, what_to_watch: 'Whether the stores open by March.', by: 'rules' };
    return stamped('SignalAnalysed', number, nth, { signal_id, ...analysis });
  }
  const by = { signal_id, by: 'an operator', why: 'checked against the filing' };
  if (kind < 98) return stamped('SignalHeld', number, nth, by);
  if (kind < 99) return stamped('SignalReleased', number, nth, by);
  return stamped('SignalMerged', number, nth, { ...by, into: newest.id, into_slug: newest.slug });
}

/** Most of what follows a signal comes within two days; one in twenty comes within two months. */
const delay = (draw: Chance): number =>
  draw.happens(0.05) ? draw.between(300, 8_000) : Math.ceil(-100 * Math.log(1 - draw.next()));

/** How many events follow: none in 24 of 100 signals, one in 26, and so on. */
const FOLLOWING = [24, 50, 72, 92, 99];
const following = (draw: Chance): number => {
  const part = draw.between(0, 99);
  const found = FOLLOWING.findIndex((until) => part < until);
  return found < 0 ? FOLLOWING.length : found;
};

/** @param count events; about 2.6 of them a signal */
export function* signalHistory(count: number, seed = 1): Generator<Written> {
  const draw = chance(seed);
  const due = new Map<number, Signal[]>();
  const write = (signal: Signal, event: Event): Written => ({
    ...{ stream: signalStream(signal.id), revision: signal.revision++ },
    event,
  });
  let written = 0;
  for (let number = 0; written < count; number++) {
    const signal = detect(number, draw);
    yield write(signal, stamped('SignalDetected', number, 0, signal.first));
    written++;
    for (let more = following(draw); more > 0; more--) {
      const at = number + delay(draw);
      due.set(at, [...(due.get(at) ?? []), signal]);
    }
    for (const [nth, known] of (due.get(number) ?? []).entries()) {
      if (written++ >= count) return;
      yield write(known, later(known, number, nth + 1, draw, signal));
    }
    due.delete(number);
  }
}
