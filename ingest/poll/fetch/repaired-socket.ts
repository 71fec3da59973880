/** A connection whose response head is repaired before the HTTP parser sees it. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const MAXIMUM_HEAD = 64 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Makes one Content-Length of several that agree, as in `Content-Length: 5` twice or `Content-Length: 5, 5`. RFC 9112,
 * 6.3 lets a recipient do so; the parser refuses them. Lengths that differ stay as they are, for the parser to refuse.
 * @param head from the status line to the empty line, as latin1
 */
export function withOneContentLength(head: string): string {
  const lines = head.split('\r\n');
  const isLength = (line: string): boolean => /^content-length\s*:/i.test(line);
  const values = lines.filter(isLength).flatMap((line) => line.slice(line.indexOf(':') + 1).split(','));
  const [first = '', ...others] = values.map((value) => value.trim());
  if (!/^\d+$/.test(first) || others.some((value) => value !== first)) return head;
  return lines
    .flatMap((line, place) =>
      isLength(line) ? (place === lines.findIndex(isLength) ? [`Content-Length: ${first}`] : []) : [line],
    )
    .join('\r\n');
}

/** Passes everything on as it is, but for the heads of HTTP/1.1 responses up to the first final one. */
export class RepairedSocket extends Duplex {
  readonly #socket: Socket;
  /** What came of the head so far; null once the head is over. */
  #head: Buffer | null = Buffer.alloc(0);

  constructor(socket: Socket) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => {
      if (this.#head) this.push(this.#head);
      this.push(null);
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  #take(chunk: Buffer): void {
    let head = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
    while (this.#head) {
      const end = head.indexOf(END_OF_HEAD);
      if (end < 0 && head.length <= MAXIMUM_HEAD) {
        this.#head = head;
        return;
      }
      this.#head = null;
      if (end < 0) break;
      const text = head.subarray(0, end + END_OF_HEAD.length).toString('latin1');
      this.#pass(Buffer.from(withOneContentLength(text), 'latin1'));
      head = head.subarray(end + END_OF_HEAD.length);
      // After an informational response the final one is still to come.
      if (/^HTTP\/1\.[01] 1\d\d/.test(text)) this.#head = Buffer.alloc(0);
    }
    this.#pass(head);
  }

  #pass(chunk: Buffer): void {
    if (chunk.length > 0 && !this.push(chunk)) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  /** What an HTTP client calls on a socket beyond a stream. */
  ref(): this {
    this.#socket.ref();
    return this;
  }

  unref(): this {
    this.#socket.unref();
    return this;
  }
}
