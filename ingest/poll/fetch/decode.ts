/** Bytes to text: by byte order mark, header, XML declaration or HTML meta, in that order. */
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
  const utf8 = isUtf8(body);
  for (const named of [namedIn(contentType), shapeOf(body), declaredIn(body)]) {
    const encoding = known(named);
    // A page that says UTF-8 and is not would lose letters: look at what else it says.
    if (encoding && (encoding !== 'utf-8' || utf8)) return encoding;
  }
  return utf8 ? 'utf-8' : 'windows-1252';
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
  const declared =
    /<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ??
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ??
    null;
  // A declaration that can be read byte by byte cannot be in UTF-16, whatever it says.
  return declared && /^utf-?(16|32)/i.test(declared) ? null : declared;
}

function isUtf8(body: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
}
