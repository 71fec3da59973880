/** Outlines with as few points as the eye needs. Pure. */

export type Point = readonly [x: number, y: number];

/**
 * The rings of an SVG path that is drawn with straight lines alone (M, L, Z, in either case).
 * @throws Error for any other command
 */
export function ringsOf(path: string): Point[][] {
  const words = path.match(/[a-df-z]|-?\d*\.?\d+(?:e-?\d+)?/gi) ?? [];
  const rings: Point[][] = [];
  let [command, x, y] = ['', 0, 0];
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? '';
    if (/^[a-z]/i.test(word)) {
      command = word;
      at += 1;
      if (/z/i.test(command)) [x, y] = rings.at(-1)?.[0] ?? [x, y];
      continue;
    }
    if (!/^[ml]$/i.test(command)) throw new Error(`a path with the command ${command} cannot be simplified`);
    const [dx, dy] = [Number(word), Number(words[at + 1])];
    at += 2;
    [x, y] = command === command.toLowerCase() ? [x + dx, y + dy] : [dx, dy];
    if (/m/i.test(command)) rings.push([]);
    rings.at(-1)?.push([x, y]);
    // Further pairs after a move are lines.
    command = command === 'm' ? 'l' : command === 'M' ? 'L' : command;
  }
  return rings;
}

const distance = ([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number => {
  const [dx, dy] = [bx - ax, by - ay];
  const length = Math.hypot(dx, dy);
  return length === 0 ? Math.hypot(x - ax, y - ay) : Math.abs(dy * x - dx * y + bx * ay - by * ax) / length;
};

/** Douglas and Peucker: leaves out points that lie nearer than `tolerance` to the line without them. */
export function simplify(points: readonly Point[], tolerance: number): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 3) return points;
  let [farthest, most] = [0, 0];
  for (let at = 1; at < points.length - 1; at++) {
    const away = distance(points[at] as Point, first, last);
    if (away > most) [farthest, most] = [at, away];
  }
  if (most <= tolerance) return [first, last];
  const before = simplify(points.slice(0, farthest + 1), tolerance);
  return [...before.slice(0, -1), ...simplify(points.slice(farthest), tolerance)];
}

/** A ring as a path of whole numbers, each relative to the one before. */
export function pathOf(ring: readonly Point[]): string {
  let [x, y] = [0, 0];
  const steps = ring.map(([ringX, ringY], at) => {
    const [nextX, nextY] = [Math.round(ringX), Math.round(ringY)];
    const step = at === 0 ? `M${nextX} ${nextY}` : `l${nextX - x} ${nextY - y}`;
    [x, y] = [nextX, nextY];
    return step;
  });
  return `${steps.filter((step) => step !== 'l0 0').join('')}z`;
}
