/** When each of many sources is due: a heap, so that ten thousand cost one timer. */

interface Slot {
  readonly id: string;
  readonly due: number;
  /** Earlier ones go first where the time is the same. */
  readonly order: number;
}

export interface Schedule {
  /** Sets or changes when a source is due, in milliseconds since 1970. */
  set(id: string, due: number): void;
  remove(id: string): void;
  /** Has all be due so many milliseconds later, or earlier when it is negative: the clock was set. */
  shift(milliseconds: number): void;
  /** When the next one is due, null when there is none. */
  next(): number | null;
  /** Takes out the first that is due at `now`, null when none is. */
  take(now: number): string | null;
}

const before = (one: Slot, other: Slot): boolean =>
  one.due < other.due || (one.due === other.due && one.order < other.order);

export function createSchedule(): Schedule {
  const heap: Slot[] = [];
  /** The slot that counts for a source; others of it in the heap are stale and passed over. */
  const current = new Map<string, Slot>();
  let order = 0;
  /** What is added to the times that slots hold. */
  let shifted = 0;

  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [heap[other] as Slot, heap[one] as Slot];
  };
  const isBefore = (one: number, other: number): boolean => before(heap[one] as Slot, heap[other] as Slot);

  function push(slot: Slot): void {
    heap.push(slot);
    for (let place = heap.length - 1; place > 0; ) {
      const parent = (place - 1) >> 1;
      if (!isBefore(place, parent)) return;
      swap(place, parent);
      place = parent;
    }
  }

  function pop(): void {
    swap(0, heap.length - 1);
    heap.pop();
    for (let place = 0; ; ) {
      let least = place;
      for (const below of [2 * place + 1, 2 * place + 2])
        if (below < heap.length && isBefore(below, least)) least = below;
      if (least === place) return;
      swap(place, least);
      place = least;
    }
  }

  function first(): Slot | null {
    for (let top = heap[0]; top; top = heap[0]) {
      if (current.get(top.id) === top) return top;
      pop();
    }
    return null;
  }

  return {
    set(id, due) {
      const slot = { id, due: due - shifted, order: order++ };
      current.set(id, slot);
      push(slot);
    },
    remove: (id) => void current.delete(id),
    shift(milliseconds) {
      shifted += milliseconds;
    },
    next() {
      const slot = first();
      return slot && slot.due + shifted;
    },
    take(now) {
      const slot = first();
      if (!slot || slot.due + shifted > now) return null;
      pop();
      current.delete(slot.id);
      return slot.id;
    },
  };
}
