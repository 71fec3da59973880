/** Plain text of what outlets write: titles and summaries without markup. It stays hostile: pages escape it. */
import { Parser } from 'htmlparser2';

/** The names of elements that markup in feeds uses: every version of HTML, and those around SVG and MathML. */
const NAMES = new Set(
  `a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br
  button canvas caption center circle cite clippath code col colgroup command content data datalist dd defs del desc
  details dfn dialog dir div dl dt ellipse em embed fieldset figcaption figure font footer foreignobject form frame
  frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend
  li line lineargradient link listing main map mark marquee mask math menu menuitem meta meter mi mn mo mrow msub msup
  nav nobr noembed noframes noscript object ol optgroup option output p param path pattern picture plaintext polygon
  polyline portal pre progress q rb rect rp rt rtc ruby s samp script search section select shadow slot small source
  spacer span stop strike strong style sub summary sup svg symbol table tbody td template text textarea tfoot th thead
  time title tr track tt tspan u ul use var video wbr xml xmp`.split(/\s+/),
);

/** Prefixes that office programs and social networks write into pages: `<o:p>`, `<st1:place>`, `<fb:like>`. */
const PREFIXED = /^(?:o|v|w|x|m|st\d|fb|g|xml|html|xhtml|svg|rdf|media|content|itunes|dc):/;

/** True for the name of an element of web pages, custom ones such as `amp-img` included. @param name in any case */
export function isElement(name: string): boolean {
  const lower = name.toLowerCase();
  // Names of custom elements are written in small letters, those of papers (`X-Ray`) are not.
  return NAMES.has(lower) || PREFIXED.test(lower) || (name === lower && name.includes('-'));
}

/** What may be a tag. No bound is needed: it ends before the next `<`, so that all attempts together are linear. */
const TAG = /<(?:(\/?)([a-zA-Z][^\s<>/]*)([^<>]*)|[!?/][^<>]*)>/g;
const CLOSING = /<\/([a-zA-Z][^\s<>/]*)\s*>/g;
const CDATA = '<![CDATA[';
const COMMENT = '<!--';
const ENTITY = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});/i;
const BLOCK = /^(?:p|div|br|li|ul|ol|h[1-6]|tr|td|th|table|blockquote|section|article|figure|figcaption|hr)$/;
const HIDDEN = new Set(['script', 'style', 'template', 'iframe', 'noscript']);
/** Elements with what describes a picture, which is not the story, and the classes of others. */
const CAPTION_ELEMENT = 'figcaption';
const CAPTION_CLASS = /(?:^|\s)(?:wp-caption-text|(?:image|photo|media|picture)?[-_]?caption(?:[-_]text)?)(?:\s|$)/i;
/** Hidden elements whose content is no text even where their end is missing. */
const CODE = new Set(['script', 'style']);
/** Feeds encode twice (`&amp;#039;`), rarely three times. */
const MAX_PASSES = 3;
/** Characters of markup that are read for each character of text that is kept. */
const MARKUP_FACTOR = 20;
/** Characters that are read where those gave no text, as after a long style sheet. */
const MAX_MARKUP = 200_000;
/** A picture that is written into the text itself may be longer than any room. */
const DATA_ADDRESS = /data:[\w.+-]+\/[\w.+;=-]*,[\w+/=%-]{200,}/gi;
/** Replaces the `<` of a tag while the others are escaped. */
const OPEN = '\u0001';
/** Characters that would turn or hide text around them, and those that mean nothing in a line. */
/** Joiners: they shape Indic letters and emoji, and hide in Latin words. */
const LATIN_JOINER =
  /(?<=[\p{Script=Latin}\d])(?:\u034f|\u180e|\u200c|\u200d|[\ufe00-\ufe0f])+|(?:\u034f|\u180e|\u200c|\u200d)+(?=[\p{Script=Latin}\d])/gu;
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * Plain text of a piece of HTML, or of text that may be HTML.
 * @param maxLength maximum length of the result in characters; a longer one is cut at a word and ends in an ellipsis
 */
export function cleanText(text: string, maxLength: number): string {
  const room = maxLength * MARKUP_FACTOR;
  if (text.length <= room) return shorten(toPlainText(text), maxLength);
  const light = text.replace(DATA_ADDRESS, '');
  return shorten(toPlainText(cutBeforeTag(light, room)) || toPlainText(cutBeforeTag(light, MAX_MARKUP)), maxLength);
}

function toPlainText(html: string): string {
  let plain = html;
  for (let pass = 0; pass < MAX_PASSES && /[<&]/.test(plain); pass++) {
    const marked = markTags(removeComments(plain));
    if (!marked.includes(OPEN) && marked === plain && !ENTITY.test(plain)) break;
    plain = stripMarkedTags(marked);
  }
  return (
    plain
      .replace(/[\u0080-\u009f]/g, decodeWindows1252)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: numeric entities can bring control characters in
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
      .replace(INVISIBLE, '')
      .replace(LATIN_JOINER, '')
      .replace(/\s+/g, ' ')
      .trim()
      .normalize('NFC')
  );
}

const WINDOWS = new TextDecoder('windows-1252');

/** `&#146;` is a control character; authors mean the apostrophe that Windows-1252 has there. */
const decodeWindows1252 = (control: string): string => WINDOWS.decode(Uint8Array.of(control.charCodeAt(0)));

/** The first `maxLength` characters, without a tag that the limit cuts in two: it would be read as text. */
function cutBeforeTag(html: string, maxLength: number): string {
  if (html.length <= maxLength) return html;
  const cut = html.slice(0, maxLength);
  const open = cut.lastIndexOf('<');
  return open > cut.lastIndexOf('>') ? cut.slice(0, open) : cut;
}

/** Takes comments out, and the marks around CDATA, whose content is text. */
function removeComments(html: string): string {
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
 * of an element, or attributes, or an end tag somewhere.
 */
function markTags(html: string): string {
  if (!html.includes('<')) return html;
  const ended = new Set([...html.matchAll(CLOSING)].map(([, name]) => name?.toLowerCase()));
  const isTag = (slash: string | undefined, name: string | undefined, rest: string | undefined): boolean =>
    name === undefined || slash === '/' || isElement(name) || ended.has(name.toLowerCase()) || /=/.test(rest ?? '');
  return html.replace(TAG, (whole, slash, name, rest) => (isTag(slash, name, rest) ? OPEN + whole.slice(1) : whole));
}

/** Takes the marked tags out and decodes entities once. */
function stripMarkedTags(marked: string): string {
  let plain = '';
  /** The content of hidden elements that are open. */
  let concealed = '';
  let hidden = 0;
  /** Of each element that is open, whether it hides its content. */
  const open: boolean[] = [];
  const add = (text: string): void => {
    if (hidden === 0) plain += text;
    else concealed += text;
  };
  const parser = new Parser(
    {
      onopentag(name, { class: classes = '' }) {
        const hides = HIDDEN.has(name) || name === CAPTION_ELEMENT || CAPTION_CLASS.test(classes);
        open.push(hides);
        if (hides) hidden += 1;
        if (BLOCK.test(name)) add(' ');
      },
      onclosetag(name, implied) {
        if (open.pop()) {
          hidden -= 1;
          // Its end is missing: what follows it is no content of a frame, but the rest of the text. Paragraphs need no end.
          if (hidden === 0 && implied && !CODE.has(name) && name !== 'p') plain += ` ${concealed}`;
          if (hidden === 0) concealed = '';
        }
        if (BLOCK.test(name)) add(' ');
      },
      ontext: add,
    },
    // Authors write `<iframe/>` as an empty element, though in HTML it is not.
    { decodeEntities: true, recognizeSelfClosing: true },
  );
  parser.end(marked.replace(/</g, '&lt;').replaceAll(OPEN, '<'));
  return plain;
}

/** Text cut at a word, with an ellipsis, where it is longer than `maxLength` characters. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength - 1);
  const word = cut.lastIndexOf(' ');
  return `${(word > maxLength / 2 ? cut.slice(0, word) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd()}…`;
}

export const MAX_SUMMARY_LENGTH = 2_000;
/** Publishing systems add text at the end, where a limit could cut it in two and hide it. */
const MAX_ADDITION_LENGTH = 1_000;

/** `The post … appeared first on …`, as WordPress writes it, and its kin: how it begins, and how it ends. */
const FIRST_APPEARED_BEGIN = /(?<=^|[\s.!?…\]])(?:the|this) (?:post|article|story|news|report)\b/giu;
const FIRST_APPEARED_END = /\b(?:appeared first|first appeared|was (?:first|originally) published)\b/giu;
/** Characters from its beginning to these words, and after them. */
const FIRST_APPEARED_LENGTH = { before: 700, after: 300 };
/** What follows the end of a sentence. */
const NEXT_SENTENCE = /[.!?]\s+(\p{Lu}.*)$/su;
/** What stands before a sentence: nothing, or the end of another one. */
const SENTENCE_BEFORE = /(?:^|[.!?…\])»"'”’])\s*$/u;

/**
 * Takes `The post … appeared first on …` off the end of a text. The headline in it may contain such words itself, so it
 * begins where the headline follows, else at the last place that begins a sentence.
 */
function withoutFirstAppeared(text: string, title: string): string {
  const end = [...text.matchAll(FIRST_APPEARED_END)].at(-1)?.index;
  if (end === undefined || text.length - end > FIRST_APPEARED_LENGTH.after) return text;
  const from = Math.max(0, end - FIRST_APPEARED_LENGTH.before);
  const headline = lettersAndDigits(title);
  const begins = [...text.slice(0, end).matchAll(FIRST_APPEARED_BEGIN)].filter(({ index }) => index >= from);
  const beginsSentence = begins.filter(({ index }) => SENTENCE_BEFORE.test(text.slice(0, index)));
  const begin =
    begins.findLast(
      ({ index, 0: words }) => headline && lettersAndDigits(text.slice(index + words.length, end)).startsWith(headline),
    ) ??
    beginsSentence.at(-1) ??
    // WordPress writes it behind an excerpt that was cut.
    begins.findLast(({ 0: words }) => words === 'The post');
  if (!begin) return text;
  // Publishing systems add the post, and what follows it. A sentence about a report may be followed by the story.
  const further = /^the post$/i.test(begin[0]) ? '' : (NEXT_SENTENCE.exec(text.slice(end))?.[1] ?? '');
  return text.slice(0, begin.index) + further;
}
/** `Continue reading …`, `Read more »`, after a sentence, an ellipsis or alone. */
const CONTINUE =
  /(^|[.!?…\])»])\s*[[(]?(?:(?:continue|keep) reading|read (?:more|on|the (?:full|whole|entire) (?:story|article|report)|full (?:story|article|report))|click here to read)\b[^.!?]{0,200}[.\])»→>…]*$/iu;
/** What describes a picture, and nothing else. */
const PICTURE_CAPTION =
  /^\W*(?:file|representat\w+|representational|illustrative)\s+(?:photo|image|picture|pic)\b[^.!?]*[.!?]?$/iu;
/** `[…]`, `[...]`, `(…)` where an excerpt was cut. */
const CUT = /\s*[[(]\s*(?:…|\.{3,})\s*[\])]\s*$/u;

/** Letters and digits alone, to compare texts that differ in punctuation. */
const lettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/**
 * The summary that a text of an outlet gives.
 * @param text may hold markup and entities
 * @param title clean, of the same item
 * @returns plain text of at most 2,000 characters, an excerpt that was cut ending in an ellipsis; null where nothing is
 *   left, as of a picture, an address alone or the headline once more
 */
export function cleanSummary(text: string | null | undefined, title: string): string | null {
  if (!text?.trim()) return null;
  const plain = withoutFirstAppeared(cleanText(text, MAX_SUMMARY_LENGTH + MAX_ADDITION_LENGTH), title)
    .trim()
    .replace(CONTINUE, '$1')
    .replace(CUT, '…')
    .trim();
  const own = lettersAndDigits(plain);
  if (PICTURE_CAPTION.test(plain)) return null;
  if (own === '' || /^https?:\/\/\S+$/i.test(plain) || (title !== '' && lettersAndDigits(title).startsWith(own)))
    return null;
  return shorten(plain, MAX_SUMMARY_LENGTH);
}

/**
 * The first of several texts that gives a summary, as it is written; null when none does.
 * @param texts in the order of preference; further ones are looked at only where those before give nothing
 * @param title as written
 */
export function firstSummary(texts: Iterable<string | null | undefined>, title: string | null): string | null {
  const headline = cleanText(title ?? '', MAX_SUMMARY_LENGTH);
  for (const text of texts) if (text && cleanSummary(text, headline) !== null) return text;
  return null;
}
