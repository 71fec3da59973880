/** Names of features made of parts, each made once: joining and hashing the same texts anew for every item is what took most time. */

const MOST = 60_000;
const made = new Map<string, Map<string, string>>();
let count = 0;

/** `left` and `right` as one text. What is kept is bounded: when hostile texts fill it, it starts anew. */
export function joined(left: string, right: string): string {
  let row = made.get(left);
  if (!row) {
    row = new Map();
    made.set(left, row);
  }
  const known = row.get(right);
  if (known !== undefined) return known;
  if (++count > MOST) {
    made.clear();
    count = 0;
  }
  const name = left + right;
  row.set(right, name);
  return name;
}
