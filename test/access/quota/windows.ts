import type { Window } from '../../../access/quota/limits.ts';

let count = 0;

/** A name that no other test has. */
export function someone(): string {
  count += 1;
  return `someone ${count}`;
}

export const minute = (whose: string, max: number): Window => ({
  key: `${whose} minute`,
  name: 'minute',
  max,
  seconds: 60,
  code: 'rate_limited',
});

export const day = (whose: string, max: number): Window => ({
  key: `${whose} day`,
  name: 'day',
  max,
  seconds: 86_400,
  code: 'quota_exhausted',
});
