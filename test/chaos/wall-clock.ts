/**
 * Loaded before a program (`node --import`): shifts its wall clock by the offset in the file named by `WALL_CLOCK`, in
 * milliseconds, and follows changes of it. Monotonic time (`performance.now`, timers) is not affected,
 * as on a machine whose clock is changed. Node itself (the `Date` header) keeps the true time.
 */
import { readFileSync } from 'node:fs';

const file = process.env.WALL_CLOCK ?? '';
/** Milliseconds of monotonic time between two reads of the file. */
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
      // Not set yet.
    }
  }
  return TrueDate.now() + off;
}

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given, by) => Reflect.construct(target, given.length === 0 ? [shifted()] : given, by),
  apply: () => new TrueDate(shifted()).toString(),
  get: (target, name) => (name === 'now' ? shifted : Reflect.get(target, name)),
});
