/** The names of elements that markup in feeds uses: HTML of all times, and what stands around SVG and MathML. */
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
