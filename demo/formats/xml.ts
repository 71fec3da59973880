/** The little XML that feeds need. */

/** Text as the content of an element or attribute. Characters that XML 1.0 forbids do not occur in our texts. */
export const escapeXml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

export const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`;

/** What a careless content system does to text before it builds the feed: HTML entities, numeric for the apostrophe. */
export const encodeOnceMore = (text: string): string => escapeXml(text).replace(/'/g, '&#039;');
