/** The state of a source in words: why it has it, and how its polls fail. */
import type { HealthCause, HealthFacts, RecentPoll } from '../projector/models/source-health-queries.ts';
import { formatCount } from './text.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span of time in words, such as `3 days`. */
export function spanInWords(milliseconds: number): string {
  if (milliseconds < 2 * MINUTE) return formatCount(Math.max(1, Math.round(milliseconds / 1_000)), 'second');
  if (milliseconds < 2 * HOUR) return formatCount(Math.round(milliseconds / MINUTE), 'minute');
  if (milliseconds < 2 * DAY) return formatCount(Math.round(milliseconds / HOUR), 'hour');
  return formatCount(Math.round(milliseconds / DAY), 'day');
}

/** What failed polls did, by the code of their error. */
const FAILURES: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  reading_timeout: 'took too long to read',
  name_not_found: 'did not find the host',
  connection_refused: 'were refused a connection',
  connection_lost: 'lost the connection',
  unreachable: 'found no route to the host',
  tls: 'met an invalid certificate',
  challenge: 'met a browser check',
  robots_disallowed: 'were disallowed by robots.txt',
  address_refused: 'led to a private address',
  html_instead_of_feed: 'got a web page instead of a feed',
  not_a_feed: 'got no feed',
  empty: 'got an empty response',
  missing_secret: 'lacked a secret',
  too_large: 'got too large a response',
  too_many_redirects: 'were redirected too often',
};

type Polled = Pick<RecentPoll, 'outcome' | 'error' | 'http_status'>;

/** What a failed poll did, such as `timed out` or `got HTTP 404`. */
export function failureInWords({ error, http_status }: Omit<Polled, 'outcome'>): string {
  const code = error?.split(':', 1)[0] ?? '';
  if (code === 'challenge' || http_status === null || http_status === 200)
    return FAILURES[code] ?? `failed (${code || 'unknown'})`;
  return `got HTTP ${http_status}`;
}

/** Polls whose failures are counted. */
const COUNTED = 10;

/** `3 of the last 10 polls timed out`, or with several kinds of failure `4 of the last 10 polls failed: 3 timed out, 1 got HTTP 503`. */
function failuresInWords(polls: readonly Polled[], among: string): string {
  const failed = polls.filter(({ outcome }) => outcome === 'failed');
  const kinds = new Map<string, number>();
  for (const poll of failed) kinds.set(failureInWords(poll), (kinds.get(failureInWords(poll)) ?? 0) + 1);
  const [first = ['failed', 0], ...others] = [...kinds].sort(([, one], [, other]) => other - one);
  if (others.length === 0) return `${among} ${first[0]}`;
  return `${among} failed: ${[first, ...others].map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}

const quiet = ({ last_item_at, usual_gap_seconds, hours }: HealthFacts, now: Date): string => {
  const since = last_item_at?.getTime() ?? Date.parse(hours[0]?.hour ?? now.toISOString());
  const usual = usual_gap_seconds === null ? '' : `; usually one every ${spanInWords(usual_gap_seconds * 1_000)}`;
  return `no new item for ${spanInWords(now.getTime() - since)}${usual}`;
};

/**
 * Why a source has its state, as a sentence without a full stop.
 * @param recent its last polls, oldest first
 */
export function healthReason(cause: HealthCause, facts: HealthFacts, recent: readonly Polled[], now: Date): string {
  const last = recent.slice(-COUNTED);
  const failed = last.filter(({ outcome }) => outcome === 'failed').length;
  const some = `${failed} of the last ${last.length} polls`;
  const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
  switch (cause) {
    case 'paused':
      return 'Paused by an operator; it is not polled';
    case 'new':
      return 'Not polled yet';
    case 'failures': {
      const { consecutive_failures: count, last_success_at } = facts;
      const good = last_success_at
        ? `the last good poll was ${spanInWords(now.getTime() - last_success_at.getTime())} ago`
        : 'no poll has succeeded yet';
      return `${failuresInWords(recent.slice(-Math.min(count, recent.length)), `The last ${count} polls`)}; ${good}`;
    }
    case 'last_failed':
      return last.length > 1 && failed > 1
        ? failuresInWords(last, some)
        : failuresInWords(last.slice(-1), 'The last poll').replace(' were ', ' was ');
    case 'silent':
    case 'slow':
      return capital(quiet(facts, now));
    case 'flaky': {
      if (failed > 0) return failuresInWords(last, some);
      const day = facts.hours.filter(({ hour }) => Date.parse(hour) > now.getTime() - DAY);
      const [polls, failures] = [
        day.reduce((sum, one) => sum + one.polls, 0),
        day.reduce((sum, one) => sum + one.failures, 0),
      ];
      return `${failures} of ${polls} polls in 24 hours failed; the last ${last.length} succeeded`;
    }
    case 'good':
      return facts.usual_gap_seconds === null
        ? 'The last poll succeeded'
        : `The last poll succeeded; usually a new item every ${spanInWords(facts.usual_gap_seconds * 1_000)}`;
  }
}
