/** Finding things in a tree of XML. */
import type { XmlElement } from './xml-tree.ts';

/** Its elements, without the text between them. */
export const childrenOf = (element: XmlElement): XmlElement[] =>
  element.children.filter((child) => typeof child !== 'string');

/** The first child of one of these names, in the order of the names. */
export function child(element: XmlElement, ...names: readonly string[]): XmlElement | undefined {
  const children = childrenOf(element);
  for (const name of names) {
    const found = children.find((one) => one.name === name);
    if (found) return found;
  }
  return undefined;
}

/** All elements of these names below an element, in the order of the text, none inside another. */
export function descendants(element: XmlElement, ...names: readonly string[]): XmlElement[] {
  return childrenOf(element).flatMap((one) => (names.includes(one.name) ? [one] : descendants(one, ...names)));
}

const BLOCKS = /^(p|div|br|li|ul|ol|h[1-6]|tr|td|table|blockquote|section|article|figure|title|description)$/;

/** Elements whose text nobody reads. */
const UNREAD = /^(script|style|template)$/;

/** The text in an element, its markup passed over; blocks are set apart by a space. */
export function textOf(element: XmlElement | undefined): string {
  if (!element || UNREAD.test(element.name)) return '';
  return element.children
    .map((one) => (typeof one === 'string' ? one : BLOCKS.test(one.name) ? ` ${textOf(one)} ` : textOf(one)))
    .join('');
}

/** Packed content: Atom 0.3 says so by its mode, Atom 1.0 by a type that is neither text nor XML (RFC 4287, 4.1.3). */
function isBase64({ name, attributes: { mode, type = '' } }: XmlElement): boolean {
  if (mode !== undefined) return mode.trim().toLowerCase() === 'base64';
  return name === 'content' && /^[\w.+-]+\/[\w.+-]+$/.test(type) && !/^text\/|[+/]xml$|html/i.test(type);
}

/** The text of an element, unpacked where it is packed. */
export function contentOf(element: XmlElement | undefined): string {
  const text = textOf(element);
  if (!element || !isBase64(element)) return text;
  const packed = text.replace(/\s+/g, '');
  return /^[\w+/-]+=*$/.test(packed) ? Buffer.from(packed, 'base64').toString('utf8') : text;
}

/** The text of the first child of these names that has any. */
export function childText(element: XmlElement, ...names: readonly string[]): string | null {
  for (const text of textsOf(element, ...names)) return text;
  return null;
}

/** The texts of all children of these names that have any, in the order of the names; made as they are asked for. */
export function* textsOf(element: XmlElement, ...names: readonly string[]): Generator<string> {
  const children = childrenOf(element);
  for (const name of names)
    for (const one of children) {
      const text = one.name === name ? contentOf(one).trim() : '';
      if (text) yield text;
    }
}
