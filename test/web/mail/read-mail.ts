/** Reads the parts of a mail that the tests of the brief need. */

export interface ReadMail {
  /** Header fields by name in lower case, folded lines joined, encoded words read. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

const quotedPrintable = (text: string): string => {
  const bytes = text
    .replace(/=\r?\n/g, '')
    .replace(/[^\0-\x7F]/g, (letter) => encodeURIComponent(letter).replaceAll('%', '='))
    .replace(/%/g, '=25')
    .replace(/=([0-9A-F]{2})/g, '%$1');
  return decodeURIComponent(bytes);
};

const decoded = (body: string, encoding: string): string => {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString();
  return /quoted-printable/i.test(encoding) ? quotedPrintable(body) : body;
};

const encodedWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?q\?(.*?)\?=/gi, (_all, words: string) => quotedPrintable(words.replaceAll('_', ' ')))
    .replace(/=\?utf-8\?b\?(.*?)\?=/gi, (_all, words: string) => Buffer.from(words, 'base64').toString());

function split(text: string): { headers: Record<string, string>; body: string } {
  const end = text.search(/\r?\n\r?\n/);
  const lines = text
    .slice(0, end)
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), encodedWords(line.slice(colon + 1).trim())];
  });
  return { headers: Object.fromEntries(headers), body: text.slice(end).trimStart() };
}

/** @throws when it does not have a text and an HTML part */
export function readMail(text: string): ReadMail {
  const { headers, body } = split(text);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) throw new Error(`no parts in ${headers['content-type']}`);
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.trimStart()));
  const part = (type: string): string => {
    const section = parts.find(({ headers: own }) => own['content-type']?.startsWith(type));
    if (!section) throw new Error(`no part of ${type}`);
    return decoded(section.body, section.headers['content-transfer-encoding'] ?? '').replaceAll('\r\n', '\n');
  };
  return { headers, text: part('text/plain'), html: part('text/html') };
}
