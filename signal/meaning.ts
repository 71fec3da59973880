/**
 * Meanings: what texts say, as points. The encoder computes them, and events carry them; texts that say the same in other
 * words are near. Pure.
 */

/** The whole numbers of a vector, from -127 to 127. */
export const bytesOf = (base64: string): Int8Array => new Int8Array(Buffer.from(base64, 'base64'));

/** The cosine of two vectors of whole numbers, the same on every machine; null where one of them is zero. */
export function nearness(one: Int8Array, other: Int8Array): number | null {
  let [product, left, right] = [0, 0, 0];
  for (let index = 0; index < one.length; index++) {
    const [x, y] = [one[index] ?? 0, other[index] ?? 0];
    product += x * y;
    left += x * x;
    right += y * y;
  }
  return left && right ? product / Math.sqrt(left * right) : null;
}

/** How many numbers a meaning has. */
export const MEANING_LENGTH = 384;

/**
 * Which numbers of a meaning are above zero, a bit each, as hexadecimal digits: near meanings differ in few of them, and
 * a database counts those fast. Of 5,370 headlines the 400 that differ least have 96 % of the 20 nearest by cosine.
 */
export function signsOf(base64: string): string {
  const values = bytesOf(base64);
  const signs = new Uint8Array(MEANING_LENGTH / 8);
  for (let index = 0; index < MEANING_LENGTH; index++)
    if ((values[index] ?? 0) > 0) signs[index >> 3] = (signs[index >> 3] ?? 0) | (128 >> (index & 7));
  return Buffer.from(signs).toString('hex');
}
