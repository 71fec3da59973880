/** Words of facts in a line. */

/** The parts that say something, with commas between them. */
export const joined = (parts: readonly (string | null | undefined | false)[], by = ', '): string =>
  parts.filter(Boolean).join(by);

/** `+18%`, `−3%`. */
export const percentInWords = (percent: number): string => `${percent > 0 ? '+' : '−'}${Math.abs(percent)}%`;
