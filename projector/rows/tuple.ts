/** A place in a buffer at which one value after the other is written, as COPY's binary format has them. */

/** Texts up to this length are written unit by unit: a call into the runtime would take longer. */
const SHORT = 40;

export class Tuple {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #fits = true;

  /** Goes on writing elsewhere. */
  open(bytes: Buffer, start: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#fits = true;
  }

  /** Where the next byte would go; null when the buffer was too small for what was written since it was opened. */
  end(): number | null {
    return this.#fits ? this.#at : null;
  }

  byte(value: number): void {
    if (this.#has(1)) this.#bytes[this.#at++] = value;
  }

  /** @param value -32768 to 32767 */
  int16(value: number): void {
    if (!this.#has(2)) return;
    this.#bytes[this.#at++] = value >>> 8;
    this.#bytes[this.#at++] = value;
  }

  /** @param value from -2^31 to 2^32 - 1; negative ones in two's complement */
  int32(value: number): void {
    if (!this.#has(4)) return;
    const [bytes, at] = [this.#bytes, this.#at];
    bytes[at] = value >>> 24;
    bytes[at + 1] = value >>> 16;
    bytes[at + 2] = value >>> 8;
    bytes[at + 3] = value;
    this.#at = at + 4;
  }

  int64(value: bigint): void {
    if (this.#has(8)) this.#at = this.#bytes.writeBigInt64BE(value, this.#at);
  }

  double(value: number): void {
    if (this.#has(8)) this.#at = this.#bytes.writeDoubleBE(value, this.#at);
  }

  /** Length and bytes of a text that PostgreSQL can hold. */
  text(text: string): void {
    const { length } = text;
    // A UTF-16 unit has at most three bytes: most texts need no count.
    if (!this.#fits) return;
    if (this.#at + 4 + length * 3 > this.#bytes.length && !this.#has(4 + Buffer.byteLength(text))) return;
    if (length <= SHORT && this.#ascii(text)) return;
    const start = this.#at + 4;
    const written = this.#bytes.write(text, start);
    this.int32(written);
    this.#at = start + written;
  }

  /** Writes the text when it is ASCII throughout; else writes nothing that counts. */
  #ascii(text: string): boolean {
    const [bytes, start, { length }] = [this.#bytes, this.#at + 4, text];
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      bytes[start + index] = code;
    }
    this.int32(length);
    this.#at = start + length;
    return true;
  }

  #has(bytes: number): boolean {
    if (this.#at + bytes > this.#bytes.length) this.#fits = false;
    return this.#fits;
  }
}
