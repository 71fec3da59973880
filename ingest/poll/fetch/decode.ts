/**
 * Bytes to text. A byte order mark decides first, then the bytes themselves: what is nearly all valid UTF-8 is UTF-8.
 * Only for the rest does a label count: the header, the XML declaration or the HTML meta element, in that order.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

/** Names that outlets use and what browsers take them for: Latin 1 has always meant Windows-1252 on the web. */
const MEANT: Record<string, string> = {
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'us-ascii': 'windows-1252',
  ascii: 'windows-1252',
  gb2312: 'gb18030',
  gbk: 'gb18030',
};

const MARKS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** How `<?` or `<` begins in encodings of several bytes a character, without a mark. */
const SHAPES: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0x3c, 0, 0, 0], 'utf-32le'],
  [[0, 0, 0, 0x3c], 'utf-32be'],
  [[0x3c, 0], 'utf-16le'],
  [[0, 0x3c], 'utf-16be'],
];

const beginsWith = (body: Uint8Array, bytes: readonly number[]): boolean =>
  body.length >= bytes.length && bytes.every((byte, place) => body[place] === byte);

/**
 * The text of a page.
 * @param contentType the header Content-Type, if any
 * @returns text without byte order mark and control characters; bytes that fit no encoding become U+FFFD
 */
export function decodeBody(body: Buffer, contentType = ''): { text: string; encoding: string } {
  const encoding = encodingOf(body, contentType);
  // XML allows no control characters but tab and line ends, and texts need none.
  const decoded = iconv.encodingExists(encoding)
    ? iconv.decode(body, encoding)
    : new TextDecoder(encoding).decode(body);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const text = decoded.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');
  return { text, encoding };
}

function encodingOf(body: Buffer, contentType: string): string {
  const mark = MARKS.find(([bytes]) => beginsWith(body, bytes));
  if (mark) return mark[1];
  const shape = shapeOf(body);
  if (shape) return shape;
  const labels = [namedIn(contentType), declaredIn(body)].map(known).filter((label) => label !== null);
  const wide = labels.find((label) => WIDE.test(label));
  if (wide && hasZeros(body)) return wide;
  const narrow = labels.filter((label) => !WIDE.test(label));
  // ASCII is valid UTF-8 as well, but may be an encoding of seven bits such as ISO-2022-JP.
  if (isAscii(body)) return narrow[0] ?? 'utf-8';
  if (isMostlyUtf8(body, labels[0])) return 'utf-8';
  // A page that says UTF-8 and is not would lose letters: look at what else it says.
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

function known(name: string | null): string | null {
  if (!name) return null;
  const lower = name.toLowerCase();
  if (lower === 'utf8') return 'utf-8';
  const encoding = MEANT[lower] ?? lower;
  if (/^(base64|hex|binary|ucs)/.test(encoding)) return null;
  return iconv.encodingExists(encoding) || isOfBrowsers(encoding) ? encoding : null;
}

/** Encodings that iconv-lite lacks, such as ISO-2022-JP. */
function isOfBrowsers(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== 'replacement';
  } catch {
    return false;
  }
}

const namedIn = (contentType: string): string | null => /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ?? null;

const shapeOf = (body: Buffer): string | null => SHAPES.find(([bytes]) => beginsWith(body, bytes))?.[1] ?? null;

function declaredIn(body: Buffer): string | null {
  const head = body.subarray(0, 2048).toString('latin1');
  return (
    /<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ??
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ??
    null
  );
}
