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
  WEST: HOUR,
  EET: 2 * HOUR,
  EEST: 3 * HOUR,
  MSK: 3 * HOUR,
  SAMT: 4 * HOUR,
  YEKT: 5 * HOUR,
  TRT: 3 * HOUR,
  WAT: HOUR,
  CAT: 2 * HOUR,
  SAST: 2 * HOUR,
  EAT: 3 * HOUR,
  IRST: 3 * HOUR + 30,
  AFT: 4 * HOUR + 30,
  GST: 4 * HOUR,
  MUT: 4 * HOUR,
  PKT: 5 * HOUR,
  MVT: 5 * HOUR,
  UZT: 5 * HOUR,
  SLST: IST_MINUTES,
  NPT: 5 * HOUR + 45,
  BDT: 6 * HOUR,
  BTT: 6 * HOUR,
  MMT: 6 * HOUR + 30,
  ICT: 7 * HOUR,
  WIB: 7 * HOUR,
  SGT: 8 * HOUR,
  MYT: 8 * HOUR,
  PHT: 8 * HOUR,
  HKT: 8 * HOUR,
  AWST: 8 * HOUR,
  JST: 9 * HOUR,
  KST: 9 * HOUR,
  ACST: 9 * HOUR + 30,
  ACDT: 10 * HOUR + 30,
  AEST: 10 * HOUR,
  AEDT: 11 * HOUR,
  NZST: 12 * HOUR,
  NZDT: 13 * HOUR,
  NDT: -2 * HOUR - 30,
  NST: -3 * HOUR - 30,
  ADT: -3 * HOUR,
  BRT: -3 * HOUR,
  ART: -3 * HOUR,
  AKST: -9 * HOUR,
  HST: -10 * HOUR,
  AT: -4 * HOUR,
  ET: -5 * HOUR,
  CT: -6 * HOUR,
  MT: -7 * HOUR,
  PT: -8 * HOUR,
};

/** `Asia/Kolkata`, `America/Argentina/Buenos_Aires`. */
const IANA = /(?<![\p{L}/])[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_+-]+){1,2}(?![\p{L}/])/u;
const MINUTE = 60_000;

/**
 * Minutes east of Greenwich that a text names after a time: `+0530`, `+5:30`, `GMT+05:30`, `IST`, `Z`, `Asia/Kolkata`.
 * A text that names none means India.
 * @param local the date and time before it as if they were of Greenwich, milliseconds since 1970: the offset of an IANA
 *   zone depends on the season
 */
export function zoneMinutes(text: string, local: number): number {
  const offset = /(?:^|[\s\d]|GMT|UTC|Z)\s*([+-])(\d{1,2}):?(\d{2})?(?!\d)/i.exec(text);
  if (offset) {
    const minutes = Number(offset[2]) * HOUR + Number(offset[3] ?? 0);
    return offset[1] === '-' ? -minutes : minutes;
  }
  const place = IANA.exec(text);
  const there = place && ianaMinutes(place[0], local);
  if (there !== null) return there;
  // A single letter is one of the military zones of RFC 822, which RFC 2822 takes for an unknown place: UTC.
  if (/^\s*[A-Z]\s*$/i.test(text)) return 0;
  for (const word of text.match(/[A-Za-z]+/g) ?? []) {
    // Two letters are also words: "10:30 am at New Delhi" is not Atlantic time.
    const minutes = NAMED[word.length > 2 ? word.toUpperCase() : word];
    if (minutes !== undefined) return minutes;
  }
  return IST_MINUTES;
}

/** Minutes east of Greenwich in a zone of the IANA database at a local time; null for no such zone. */
function ianaMinutes(zone: string, local: number): number | null {
  const first = offsetAt(zone, local);
  // The first answer is for Greenwich at that hour; near a change of the clock the local hour has another one.
  return first === null ? null : offsetAt(zone, local - first * MINUTE);
}

function offsetAt(zone: string, moment: number): number | null {
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(moment);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * HOUR + Number(minutes ?? 0));
  } catch {
    // RangeError: no such zone.
    return null;
  }
}
