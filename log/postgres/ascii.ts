/** JSON text in plain ASCII. */

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * The same JSON with every other character written as `\uXXXX`. Every event is read many times: text that is ASCII
 * throughout is decoded more than ten times as fast as text with one rupee sign in it.
 */
export const asciiJson = (json: string): string => json.replace(/[^\0-\x7f]/g, escaped);
