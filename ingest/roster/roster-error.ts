/** A roster that cannot be used; the message holds one line per fault. */

export interface RosterFault {
  /** Counts from 1; null where the fault has no place, as with a file that is not there. */
  readonly line: number | null;
  /** `sources[3].url`, or empty for the file as a whole. */
  readonly field: string;
  /** What stands there, as JSON, cut short; null where nothing does. */
  readonly value: string | null;
  /** What is wrong and what is allowed. */
  readonly allowed: string;
}

export class RosterError extends Error {
  override name = 'RosterError';
  readonly file: string;
  readonly faults: readonly RosterFault[];
  constructor(file: string, faults: readonly RosterFault[]) {
    super(faults.map((fault) => describeFault(file, fault)).join('\n'));
    this.file = file;
    this.faults = faults;
  }
}

/** One line about a fault: file, line, field, value, what is allowed. */
export const describeFault = (file: string, { line, field, value, allowed }: RosterFault): string =>
  [
    line === null ? file : `${file}:${line}`,
    ...(field ? [field] : []),
    value === null ? allowed : `${value} cannot be used: ${allowed}`,
  ].join(': ');
