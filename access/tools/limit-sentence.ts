/** Tells a caller whose tool calls are spent when they come back. Pure. */
import type { Caller } from '../caller.ts';
import { howToGetMore } from '../quota/refusal.ts';
import { type Charge, type Counted, tellingWindow } from '../quota/window.ts';

const IST = { timeZone: 'Asia/Kolkata', hourCycle: 'h23' } as const;
const DAY = new Intl.DateTimeFormat('en-GB', { ...IST, day: 'numeric', month: 'long', year: 'numeric' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { ...IST, hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Rounded up to the second, so that whoever waits until then has waited enough. */
function istTime(at: Date): string {
  const up = new Date(Math.ceil(at.getTime() / 1_000) * 1_000);
  return `${CLOCK.format(up)} IST on ${DAY.format(up)}`;
}

function limitOf({ name, max }: Counted, { kind, plan }: Caller): string {
  if (name === 'assistant-day') return `the ${max} tool calls a day that all users of this assistant share`;
  const whose = kind === 'anonymous' ? 'without a key' : `of the ${plan === 'pro' ? 'Pro' : 'free'} plan`;
  return `the ${max} calls a ${name} ${whose}`;
}

/**
 * One sentence that names the time of the reset in IST.
 * @param charge one that did not fit
 */
export function toolLimitSentence(charge: Charge, caller: Caller): string {
  const full = tellingWindow(charge);
  if (!full) throw new RangeError('a call without windows always fits');
  const more = howToGetMore(caller, full).replace(/\.$/, '').replace(': ', ', as ').replace('. ', '; ');
  const limit = limitOf(full, caller);
  return `${limit.charAt(0).toUpperCase()}${limit.slice(1)} are used until ${istTime(full.endsAt)}; ${more.charAt(0).toLowerCase()}${more.slice(1)}.`;
}
