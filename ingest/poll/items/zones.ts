/** Time zones as feeds name them. */
const HOUR = 60;
export const IST_MINUTES = 5 * HOUR + 30;

/** Minutes east of Greenwich. IST is India's: no outlet of ours means Israel or Ireland. */
const NAMED: Record<string, number> = {
  Z: 0,
  UT: 0,
  UTC: 0,
  GMT: 0,
  WET: 0,
  IST: IST_MINUTES,
  EST: -5 * HOUR,
  EDT: -4 * HOUR,
  CST: -6 * HOUR,
  CDT: -5 * HOUR,
  MST: -7 * HOUR,
  MDT: -6 * HOUR,
  PST: -8 * HOUR,
  PDT: -7 * HOUR,
  BST: HOUR,
  CET: HOUR,
  CEST: 2 * HOUR,
  GST: 4 * HOUR,
  PKT: 5 * HOUR,
  SGT: 8 * HOUR,
  HKT: 8 * HOUR,
  JST: 9 * HOUR,
  AKST: -9 * HOUR,
  HST: -10 * HOUR,
  AT: -4 * HOUR,
  ET: -5 * HOUR,
  CT: -6 * HOUR,
  MT: -7 * HOUR,
  PT: -8 * HOUR,
};

/**
 * Minutes east of Greenwich that a text names after a time: `+0530`, `+5:30`, `GMT+05:30`, `IST`, `Z`.
 * A text that names none means India.
 */
export function zoneMinutes(text: string): number {
  const offset = /(?:^|[\s\d]|GMT|UTC|Z)\s*([+-])(\d{1,2}):?(\d{2})?(?!\d)/i.exec(text);
  if (offset) {
    const minutes = Number(offset[2]) * HOUR + Number(offset[3] ?? 0);
    return offset[1] === '-' ? -minutes : minutes;
  }
  // A single letter is one of the military zones of RFC 822, which RFC 2822 takes for an unknown place: UTC.
  if (/^\s*[A-Z]\s*$/i.test(text)) return 0;
  for (const word of text.toUpperCase().match(/[A-Z]+/g) ?? []) {
    const minutes = NAMED[word];
    if (minutes !== undefined) return minutes;
  }
  return IST_MINUTES;
}
