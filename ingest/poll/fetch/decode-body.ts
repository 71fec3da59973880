/** From the bytes of a response to text: content codings and character sets. */

import { isAscii, isUtf8 } from 'node:buffer';
import type { Readable, Transform } from 'node:stream';
import zlib from 'node:zlib';
import iconv from 'iconv-lite';
import { PollError } from '../poll-error.ts';

// Content codings. The size is checked during decoding, so that a decompression bomb cannot expand.

const MAX_CODINGS = 3;
/** Bytes that are decoded in one step: with those of zlib, 16 KiB, a bomb takes a thousand turns to reach the limit. */
const CHUNK_BYTES = 512 * 1_024;

/** A truncated body gives what was received, as in other feed readers: the decoder does not require the end. */
function createDecoder(coding: string): Transform | null {
  const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: CHUNK_BYTES };
  switch (coding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(lenient);
    case 'deflate':
      return zlib.createInflate(lenient);
    case 'br':
      return zlib.createBrotliDecompress({
        finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
        chunkSize: CHUNK_BYTES,
      });
    case 'zstd':
      return zlib.createZstdDecompress({ chunkSize: CHUNK_BYTES });
    case '':
    case 'identity':
      return null;
    default:
      if (isNotACoding(coding.trim())) return null;
      throw new PollError(
        'unknown_encoding',
        `the response has the content coding ${JSON.stringify(coding)}, which was not requested`,
      );
  }
}

/** Some servers send a character set or another word as the coding; such bodies are not encoded. */
function isNotACoding(name: string): boolean {
  if (/^(?:none|null|binary|plain|[78]bit|text\/[a-z]+)$/i.test(name)) return true;
  try {
    return new TextDecoder(name).encoding.length > 0;
  } catch {
    // A RangeError: there is no such character set.
    return false;
  }
}

/**
 * The decoded body.
 * @param encoding the header Content-Encoding
 * @param maximum limit in bytes, counted after decoding
 * @throws PollError too_large, unknown_encoding, bad_compression
 */
export async function readBody(body: Readable, encoding: string, maximum: number): Promise<Buffer> {
  const codings = encoding.split(',').reverse();
  if (codings.length > MAX_CODINGS)
    throw new PollError('unknown_encoding', `the response has ${codings.length} content codings`);
  let packed = await collect(body, maximum);
  for (const coding of codings) packed = await decodeCoding(packed, coding, maximum);
  // A compressed file, such as sitemap.xml.gz.
  if (packed[0] === 0x1f && packed[1] === 0x8b) packed = await decodeCoding(packed, 'gzip', maximum);
  return packed;
}

async function decodeCoding(packed: Buffer, coding: string, maximum: number): Promise<Buffer> {
  // Some servers send deflate without its zlib header, whose low four bits would be 8.
  const raw = coding.trim().toLowerCase() === 'deflate' && ((packed[0] ?? 8) & 0x0f) !== 8;
  const transform = raw
    ? zlib.createInflateRaw({ finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: CHUNK_BYTES })
    : createDecoder(coding);
  if (!transform || packed.length === 0) return packed;
  transform.end(packed);
  try {
    return await collect(transform, maximum);
  } catch (error) {
    if (error instanceof PollError) throw error;
    throw new PollError('bad_compression', `the response is not valid ${coding.trim()}`);
  }
}

async function collect(stream: Readable, maximum: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maximum) {
      stream.destroy();
      throw new PollError('too_large', `the response exceeds ${Math.round(maximum / 1_048_576)} MiB`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

// Character sets. A byte order mark decides first, then the bytes themselves: nearly valid UTF-8 is UTF-8. Otherwise the
// label decides: the header, the XML declaration or the HTML meta element, in that order.

/** Labels and what browsers read them as: on the web, Latin 1 means Windows-1252. */
const LABEL_MEANINGS: Record<string, string> = {
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'us-ascii': 'windows-1252',
  ascii: 'windows-1252',
  gb2312: 'gb18030',
  gbk: 'gb18030',
};

const BYTE_ORDER_MARKS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** How `<?` or `<` begins in encodings of several bytes a character, without a mark. */
const WIDE_BEGINNINGS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0x3c, 0, 0, 0], 'utf-32le'],
  [[0, 0, 0, 0x3c], 'utf-32be'],
  [[0x3c, 0], 'utf-16le'],
  [[0, 0x3c], 'utf-16be'],
];

const startsWithBytes = (body: Uint8Array, bytes: readonly number[]): boolean =>
  body.length >= bytes.length && bytes.every((byte, place) => body[place] === byte);

/**
 * The text of a page.
 * @param contentType the header Content-Type, if any
 * @returns text without byte order mark and control characters; bytes that fit no encoding become U+FFFD
 */
export function decodeBody(body: Buffer, contentType = ''): { text: string; encoding: string } {
  const encoding = detectEncoding(body, contentType);
  // XML allows no control characters but tab and line ends, and texts need none.
  const decoded = iconv.encodingExists(encoding)
    ? iconv.decode(body, encoding)
    : new TextDecoder(encoding).decode(body);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
  const text = decoded.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');
  return { text, encoding };
}

function detectEncoding(body: Buffer, contentType: string): string {
  const mark = BYTE_ORDER_MARKS.find(([bytes]) => startsWithBytes(body, bytes));
  if (mark) return mark[1];
  const shape = detectWideEncoding(body);
  if (shape) return shape;
  const labels = [labelInHeader(contentType), labelInBody(body)]
    .map(supportedEncoding)
    .filter((label) => label !== null);
  const wide = labels.find((label) => WIDE.test(label));
  if (wide && hasZeros(body)) return wide;
  const narrow = labels.filter((label) => !WIDE.test(label));
  // ASCII is valid UTF-8 as well, but may be an encoding of seven bits such as ISO-2022-JP.
  if (isAscii(body)) return narrow[0] ?? 'utf-8';
  if (isMostlyUtf8(body, labels[0])) return 'utf-8';
  // A page that is labelled UTF-8 but is not would lose letters: its other label decides.
  return narrow.find((label) => label !== 'utf-8') ?? 'windows-1252';
}

/** Encodings of two or four bytes a character. A label that names one is believed only when the bytes agree. */
const WIDE = /^(?:utf-?(?:16|32)|ucs)/;

/** Whether a fifth of the beginning is zeros, as the markup of a wide encoding has them. */
function hasZeros(body: Buffer): boolean {
  const head = body.subarray(0, 2048);
  return head.filter((byte) => byte === 0).length > head.length / 5;
}

/** Encodings of two bytes a character: pairs of theirs can look like UTF-8 of two bytes, rarely of three. */
const DOUBLE_BYTE = /^(?:gb|hz|big5|euc-|shift|sjis|ks_?c|windows-949|cp9[345]\d)/;

/**
 * Whether a text is UTF-8 with at most a few wrong bytes, as when an outlet cuts a headline within a letter or pastes
 * one of Windows-1252. A text of another encoding has wrong bytes nearly everywhere.
 * @param label the encoding that the page claims
 */
function isMostlyUtf8(body: Buffer, label: string | undefined): boolean {
  const doubleByte = DOUBLE_BYTE.test(label ?? '');
  if (!doubleByte && isUtf8(body)) return true;
  const { valid, wrong } = utf8Bytes(body, doubleByte ? 3 : 2);
  return valid > 0 && valid >= wrong * (label === 'utf-8' || label === undefined ? 1 : 3);
}

/** How many bytes are in valid sequences of at least `shortest` bytes, and how many are in none (RFC 3629, 4). */
function utf8Bytes(body: Buffer, shortest: number): { valid: number; wrong: number } {
  let [valid, wrong] = [0, 0];
  for (let place = 0; place < body.length; ) {
    const lead = body[place] ?? 0;
    const length = lead < 0x80 ? 1 : sequenceLength(body, place, lead);
    if (length === 0) wrong += 1;
    else if (length >= shortest) valid += length;
    place += length || 1;
  }
  return { valid, wrong };
}

/** The length of the sequence of several bytes at a place, 0 where none is. */
function sequenceLength(body: Buffer, place: number, lead: number): number {
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  const second = body[place + 1] ?? 0;
  // Neither overlong forms nor surrogates nor what lies beyond Unicode.
  if ((lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f)) return 0;
  if ((lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f)) return 0;
  for (let next = 1; next < length; next++) if (((body[place + next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

function supportedEncoding(name: string | null): string | null {
  if (!name) return null;
  const lower = name.toLowerCase();
  if (lower === 'utf8') return 'utf-8';
  const encoding = LABEL_MEANINGS[lower] ?? lower;
  if (/^(base64|hex|binary|ucs)/.test(encoding)) return null;
  return iconv.encodingExists(encoding) || isTextDecoderEncoding(encoding) ? encoding : null;
}

/** Encodings that iconv-lite lacks, such as ISO-2022-JP. */
function isTextDecoderEncoding(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== 'replacement';
  } catch {
    // A RangeError: there is no such character set.
    return false;
  }
}

const labelInHeader = (contentType: string): string | null =>
  /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ?? null;

const detectWideEncoding = (body: Buffer): string | null =>
  WIDE_BEGINNINGS.find(([bytes]) => startsWithBytes(body, bytes))?.[1] ?? null;

function labelInBody(body: Buffer): string | null {
  const head = body.subarray(0, 2048).toString('latin1');
  return (
    /<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ??
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ??
    null
  );
}
