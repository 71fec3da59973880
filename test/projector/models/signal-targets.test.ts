import { describe, expect, it } from 'vitest';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import { sourceId } from '../../harness/ids.ts';
import { specification } from '../given-when-then.ts';
import {
  brandRef,
  detected,
  held,
  idOf,
  linked,
  merged,
  released,
  report,
  reported,
  revised,
  understanding,
} from '../signal-events.ts';

const { given } = specification(signalsModel({ baseUrl: 'https://clarity.test' }));
const targets = (outcome: ReturnType<ReturnType<typeof given>['when']>, name: string) =>
  outcome.records('signal_targets', idOf(name)).map(({ target, at }) => [target, at]);
const AT = '2026-11-20T04:30:00Z';
const brand = (slug: string, role: 'primary' | 'secondary') => brandRef(slug, slug, role);

describe('what a signal is delivered for', () => {
  it('given a public signal, then its brands, theme and source, and not brands that are only mentioned', () => {
    const twoBrands = understanding({ brands: [brand('kiri', 'primary'), brand('maya', 'secondary')] });
    const outcome = given([]).when(detected('one', { understanding: twoBrands, follows: idOf('zero') }));
    expect(targets(outcome, 'one')).toEqual([
      ['brand:kiri', AT],
      ['theme:expansion', AT],
      [`signal:${idOf('zero')}`, AT],
      ['source:daily-trade', AT],
    ]);
  });

  it('given links to other signals, then a follower of one of them, and the last link is what it follows', () => {
    const outcome = given([detected('one', { follows: idOf('zero') })]).when(linked('one', 'half'));
    const followed = targets(outcome, 'one').filter(([target]) => String(target).startsWith('signal:'));
    expect(followed).toEqual([
      [`signal:${idOf('zero')}`, AT],
      [`signal:${idOf('half')}`, AT],
    ]);
    expect(outcome.row(idOf('one'))?.follows).toBe(idOf('half'));
    const first = given([detected('one')]).when(linked('one', 'half'));
    expect(targets(first, 'one')).toContainEqual([`signal:${idOf('half')}`, AT]);
  });

  it('given further reports, then each source from its first one on; what resurfaced is none', () => {
    const later = report('two', { source_id: sourceId('second'), first_seen_at: '2026-11-20T06:00:00Z' });
    const again = report('three', { source_id: sourceId('second'), first_seen_at: '2026-11-20T07:00:00Z' });
    const old = report('four', { source_id: sourceId('third') });
    const outcome = given([detected('one'), reported('one', later), reported('one', again)]).when(
      reported('one', old, true),
    );
    expect(targets(outcome, 'one').filter(([target]) => String(target).startsWith('source:'))).toEqual([
      ['source:daily-trade', AT],
      ['source:second', '2026-11-20T06:00:00Z'],
    ]);
  });

  it('given an edit, then the targets of the new text', () => {
    const outcome = given([detected('one')]).when(
      revised('one', 1, { theme: null, brands: [brand('tilak', 'primary')] }),
    );
    expect(targets(outcome, 'one').map(([target]) => target)).toEqual(['brand:tilak', 'source:daily-trade']);
  });

  it('given a held signal, then nothing until it is released', () => {
    expect(targets(given([detected('one')]).when(held('one')), 'one')).toEqual([]);
    expect(targets(given([detected('one'), held('one')]).when(released('one')), 'one')).toHaveLength(3);
  });

  it('given a held signal, when it is released, then it is delivered then', () => {
    const time = '2026-11-25T10:00:00Z';
    const later = report('two', { source_id: sourceId('second'), first_seen_at: '2026-11-20T06:00:00Z' });
    const events = [detected('one', { status: 'held' }), reported('one', later)];
    const outcome = given(events).when({ ...released('one'), time });
    expect(new Set(targets(outcome, 'one').map(([, at]) => at))).toEqual(new Set([time]));
    expect(targets(outcome, 'one')).toHaveLength(4);
  });

  it('given a merge, then the signal that is left is delivered for the sources of both', () => {
    const other = detected('two', { report: report('two', { source_id: sourceId('second') }) });
    const outcome = given([detected('one'), other]).when(merged('two', 'one'));
    expect(targets(outcome, 'two')).toEqual([]);
    expect(targets(outcome, 'one').map(([target]) => target)).toContain('source:second');
  });

  it('given an event of a signal that was never detected, then it is refused', () => {
    expect(given([]).when(held('one')).refused).toEqual([expect.stringContaining('no SignalDetected')]);
  });
});
