/**
 * A set of many keys in little memory: 11 to 22 bytes a key. It may say yes to a key that it was never given (about
 * once in 10^9), never no to one that it was: good for "was it written?", where a wrong yes only costs a look.
 */
export class KeySet {
  #slots = new Float64Array(1024);
  #size = 0;

  add(key: string): void {
    if (this.#size * 4 >= this.#slots.length * 3) this.#grow();
    if (insert(this.#slots, hash(key))) this.#size++;
  }

  has(key: string): boolean {
    const value = hash(key);
    const mask = this.#slots.length - 1;
    for (let slot = value % this.#slots.length; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot];
      if (found === value) return true;
      if (found === 0) return false;
    }
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2);
    for (const value of this.#slots) if (value !== 0) insert(larger, value);
    this.#slots = larger;
  }
}

function insert(slots: Float64Array, value: number): boolean {
  const mask = slots.length - 1;
  let slot = value % slots.length;
  while (slots[slot] !== 0) {
    if (slots[slot] === value) return false;
    slot = (slot + 1) & mask;
  }
  slots[slot] = value;
  return true;
}

/** 53 bits of the text from two rounds of FNV-1a with different seeds; never 0, which marks a free slot. */
function hash(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995);
    high ^= high >>> 15;
  }
  return ((high >>> 0) & 0x1fffff) * 0x100000000 + (low >>> 0) || 1;
}
