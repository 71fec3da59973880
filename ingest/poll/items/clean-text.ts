/** Text of outlets made plain: no markup, entities decoded, white space folded. It stays hostile: pages escape it. */
import { Parser } from 'htmlparser2';

/** A tag that is whole; a lone `<` is a sign, as in "EBITDA < 5%". */
const TAG = /<(?=[a-zA-Z/!][^<>]{0,2000}>)/g;
const ENTITY = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});/i;
const BLOCK = /^(?:p|div|br|li|ul|ol|h[1-6]|tr|td|th|table|blockquote|section|article|figure|figcaption|hr)$/;
const HIDDEN = new Set(['script', 'style', 'template', 'iframe', 'noscript']);
/** Feeds encode twice (`&amp;#039;`), rarely three times. */
const MOST_PASSES = 3;
/** Characters that would turn or hide text around them, and those that mean nothing in a line. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/**
 * Plain text of a piece of HTML, or of text that may be HTML.
 * @param most longest result in characters; a longer one is cut at a word and ends in an ellipsis
 */
export function cleanText(text: string, most: number): string {
  // Markup takes room too, so look at more than is kept; what lies beyond cannot matter.
  let plain = text.slice(0, most * 20);
  for (let pass = 0; pass < MOST_PASSES && (plain.search(TAG) >= 0 || ENTITY.test(plain)); pass++)
    plain = onePass(plain);
  return shortened(
    plain
      .replace(/[\u0080-\u009f]/g, meantInWindows)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: numeric entities can bring control characters in
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
      .replace(INVISIBLE, '')
      .replace(/\s+/g, ' ')
      .trim()
      .normalize('NFC'),
    most,
  );
}

const WINDOWS = new TextDecoder('windows-1252');

/** `&#146;` names a control character; who writes it means the apostrophe that Windows has there. */
const meantInWindows = (control: string): string => WINDOWS.decode(Uint8Array.of(control.charCodeAt(0)));

function onePass(html: string): string {
  let plain = '';
  let hidden = 0;
  const parser = new Parser(
    {
      onopentagname(name) {
        if (HIDDEN.has(name)) hidden += 1;
        if (BLOCK.test(name)) plain += ' ';
      },
      onclosetag(name) {
        if (HIDDEN.has(name)) hidden -= 1;
        if (BLOCK.test(name)) plain += ' ';
      },
      ontext(data) {
        if (hidden === 0) plain += data;
      },
    },
    { decodeEntities: true },
  );
  parser.end(html.replace(TAG, '\u0001').replace(/</g, '&lt;').replaceAll('\u0001', '<'));
  return plain;
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  const word = cut.lastIndexOf(' ');
  return `${(word > most / 2 ? cut.slice(0, word) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd()}…`;
}
