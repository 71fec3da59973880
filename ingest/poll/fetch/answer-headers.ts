/** What headers say about when to come back. */
type Headers = Readonly<Record<string, string>>;

/** Retry-After in both its forms, seconds or a date; null when it is missing or means nothing. */
export function retryAt(headers: Headers, now: Date): Date | null {
  const written = headers['retry-after']?.trim();
  if (!written) return null;
  if (/^\d{1,9}$/.test(written)) return new Date(now.getTime() + Number(written) * 1000);
  const date = new Date(written);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Seconds that an answer stays fresh by Cache-Control, else by Expires; 0 when neither says so. */
export function freshSeconds(headers: Headers, now: Date): number {
  const control = headers['cache-control'] ?? '';
  if (/no-cache|no-store/i.test(control)) return 0;
  const age = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,9})/i.exec(control);
  if (age) return Math.max(0, Number(age[1]) - (Number(headers.age) || 0));
  const expires = new Date(headers.expires ?? '').getTime();
  return Number.isNaN(expires) ? 0 : Math.max(0, (expires - now.getTime()) / 1000);
}
