/** XML text, for feeds, sitemaps and drawn cards. */

/** Characters that XML 1.0 cannot contain in any form, such as unpaired surrogates. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text escaped for an element or an attribute. */
export const escapeXml = (text: string): string =>
  text.replace(FORBIDDEN, '\uFFFD').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** An element with text in it. @param attributes their values are escaped too */
export const element = (name: string, text: string, attributes: Readonly<Record<string, string>> = {}): string =>
  `<${name}${attributesText(attributes)}>${escapeXml(text)}</${name}>`;

/** An element without content. */
export const emptyElement = (name: string, attributes: Readonly<Record<string, string>>): string =>
  `<${name}${attributesText(attributes)}/>`;

const attributesText = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
