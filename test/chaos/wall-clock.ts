/**
 * Loaded before a program (`node --import`): its wall clock is as far off as the file named by `WALL_CLOCK` says, in
 * milliseconds, and follows when that changes. What counts time as it passes (`performance.now`, timers) goes on evenly,
 * as on a machine whose clock is set. Node's own insides (the `Date` header) keep the true time.
 */
import { readFileSync } from 'node:fs';

const file = process.env.WALL_CLOCK ?? '';
/** Milliseconds of steady time between two looks at the file. */
const LOOK = 20;
const TrueDate = Date;

let off = 0;
let looked = -LOOK;
function shifted(): number {
  if (performance.now() - looked >= LOOK) {
    looked = performance.now();
    try {
      off = Number(readFileSync(file, 'utf8')) || 0;
    } catch {
      // Nobody set it yet.
    }
  }
  return TrueDate.now() + off;
}

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given, by) => Reflect.construct(target, given.length === 0 ? [shifted()] : given, by),
  apply: () => new TrueDate(shifted()).toString(),
  get: (target, name) => (name === 'now' ? shifted : Reflect.get(target, name)),
});
