/** Text of outlets made plain: no markup, entities decoded, white space folded. It stays hostile: pages escape it. */
import { Parser } from 'htmlparser2';
import { isElement } from './html-elements.ts';

/** What may be a tag. No bound is needed: it ends before the next `<`, so that all attempts together are linear. */
const TAG = /<(?:(\/?)([a-zA-Z][^\s<>/]*)([^<>]*)|[!?/][^<>]*)>/g;
const CLOSING = /<\/([a-zA-Z][^\s<>/]*)\s*>/g;
const CDATA = '<![CDATA[';
const COMMENT = '<!--';
const ENTITY = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});/i;
const BLOCK = /^(?:p|div|br|li|ul|ol|h[1-6]|tr|td|th|table|blockquote|section|article|figure|figcaption|hr)$/;
const HIDDEN = new Set(['script', 'style', 'template', 'iframe', 'noscript']);
/** Hidden elements whose content is no text even where their end is missing. */
const CODE = new Set(['script', 'style']);
/** Feeds encode twice (`&amp;#039;`), rarely three times. */
const MOST_PASSES = 3;
/** Characters of markup that are looked at for each character of text that is kept. */
const ROOM = 20;
/** Characters that are looked at where those gave no text, as behind a long style sheet. */
const MOST_ROOM = 200_000;
/** A picture that is written into the text itself may be longer than any room. */
const DATA_ADDRESS = /data:[\w.+-]+\/[\w.+;=-]*,[\w+/=%-]{200,}/gi;
/** Stands for the `<` of a tag while the others are escaped. */
const OPEN = '\u0001';
/** Characters that would turn or hide text around them, and those that mean nothing in a line. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/**
 * Plain text of a piece of HTML, or of text that may be HTML.
 * @param most longest result in characters; a longer one is cut at a word and ends in an ellipsis
 */
export function cleanText(text: string, most: number): string {
  const room = most * ROOM;
  if (text.length <= room) return shortened(plainText(text), most);
  const light = text.replace(DATA_ADDRESS, '');
  return shortened(plainText(beginning(light, room)) || plainText(beginning(light, MOST_ROOM)), most);
}

function plainText(html: string): string {
  let plain = html;
  for (let pass = 0; pass < MOST_PASSES && /[<&]/.test(plain); pass++) {
    const marked = withTagsMarked(withoutComments(plain));
    if (!marked.includes(OPEN) && marked === plain && !ENTITY.test(plain)) break;
    plain = onePass(marked);
  }
  return (
    plain
      .replace(/[\u0080-\u009f]/g, meantInWindows)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: numeric entities can bring control characters in
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
      .replace(INVISIBLE, '')
      .replace(/\s+/g, ' ')
      .trim()
      .normalize('NFC')
  );
}

const WINDOWS = new TextDecoder('windows-1252');

/** `&#146;` names a control character; who writes it means the apostrophe that Windows has there. */
const meantInWindows = (control: string): string => WINDOWS.decode(Uint8Array.of(control.charCodeAt(0)));

/** At most so many characters, without a tag that the limit cut in two: it would be read as text. */
function beginning(html: string, most: number): string {
  if (html.length <= most) return html;
  const cut = html.slice(0, most);
  const open = cut.lastIndexOf('<');
  return open > cut.lastIndexOf('>') ? cut.slice(0, open) : cut;
}

/** Takes comments out, and the marks around CDATA, whose content is text. */
function withoutComments(html: string): string {
  const text = html.includes(CDATA) ? html.replaceAll(CDATA, '').replaceAll(']]>', '') : html;
  let kept = '';
  let from = 0;
  for (let start = text.indexOf(COMMENT); start >= 0; start = text.indexOf(COMMENT, from)) {
    const end = text.indexOf('-->', start + 2);
    // A comment without an end would hide all that follows.
    if (end < 0) return kept + text.slice(from).replaceAll(COMMENT, '');
    kept += `${text.slice(from, start)} `;
    from = end + 3;
  }
  return kept + text.slice(from);
}

/**
 * Marks the tags of HTML. Other text in angle brackets is text, as in `EBITDA < 5%` and `<NSE:NYKAA>`: a tag has the name
 * of an element, or attributes, or its end stands somewhere too.
 */
function withTagsMarked(html: string): string {
  if (!html.includes('<')) return html;
  const ended = new Set([...html.matchAll(CLOSING)].map(([, name]) => name?.toLowerCase()));
  const isTag = (slash: string | undefined, name: string | undefined, rest: string | undefined): boolean =>
    name === undefined || slash === '/' || isElement(name) || ended.has(name.toLowerCase()) || /=/.test(rest ?? '');
  return html.replace(TAG, (whole, slash, name, rest) => (isTag(slash, name, rest) ? OPEN + whole.slice(1) : whole));
}

/** Takes the marked tags out and decodes entities once. */
function onePass(marked: string): string {
  let plain = '';
  /** What stands in hidden elements that are open. */
  let concealed = '';
  let hidden = 0;
  const add = (text: string): void => {
    if (hidden === 0) plain += text;
    else concealed += text;
  };
  const parser = new Parser(
    {
      onopentagname(name) {
        if (HIDDEN.has(name)) hidden += 1;
        if (BLOCK.test(name)) add(' ');
      },
      onclosetag(name, implied) {
        if (HIDDEN.has(name)) {
          hidden -= 1;
          // Its end is missing: what follows it is no content of a frame, but the rest of the text.
          if (hidden === 0 && implied && !CODE.has(name)) plain += ` ${concealed}`;
          if (hidden === 0) concealed = '';
        }
        if (BLOCK.test(name)) add(' ');
      },
      ontext: add,
    },
    // `<iframe/>` ends at once for whoever writes it, though not for HTML.
    { decodeEntities: true, recognizeSelfClosing: true },
  );
  parser.end(marked.replace(/</g, '&lt;').replaceAll(OPEN, '<'));
  return plain;
}

/** Text cut at a word, with an ellipsis, where it is longer than `most` characters. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  const word = cut.lastIndexOf(' ');
  return `${(word > most / 2 ? cut.slice(0, word) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd()}…`;
}
