/** Questions and briefings of the pages count as those of the API do, in the same windows. */
import type { FastifyRequest } from 'fastify';
import { plansPage } from '../../../access/authorise.ts';
import { ANONYMOUS, type Caller } from '../../../access/identify-caller.ts';
import { charge, refund } from '../../../access/quota/charge.ts';
import { limitRefusal } from '../../../access/quota/limit-answers.ts';
import { restWindows } from '../../../access/quota/limits.ts';
import { planOf } from '../../../projector/models/accounts-queries.ts';
import type { Site } from '../../site.ts';

export interface Charged {
  /** Gives it back, for an answer that failed on our side. */
  giveBack(): Promise<void>;
}

async function callerOf({ database }: Site, { reader }: FastifyRequest): Promise<Caller> {
  if (!reader) return ANONYMOUS;
  const { id: account } = reader.account;
  const plan = (await planOf(database, account)) ?? 'free';
  return { kind: 'person', account, plan, scopes: ['read', 'ask'], keyId: null };
}

async function charged(
  site: Site,
  request: FastifyRequest,
  caller: Caller,
  path: string,
  question: boolean,
): Promise<Charged> {
  const counted = await charge(site.database, restWindows(caller, request.ip, { method: 'POST', path, question }));
  if (!counted.fits) throw limitRefusal(counted, caller, plansPage(site.baseUrl));
  return { giveBack: async () => void (await refund(site.database, counted)) };
}

/**
 * A question: of somebody on Pro from the questions of the account's day, of everybody else by the address.
 * @throws Refusal when there is no room
 */
export async function chargeQuestion(site: Site, request: FastifyRequest): Promise<Charged> {
  const caller = await callerOf(site, request);
  const isPro = caller.plan === 'pro';
  return charged(site, request, isPro ? caller : ANONYMOUS, '/api/v1/ask', isPro);
}

/** A briefing, of the account. @throws Refusal when there is no room */
export const chargeBriefing = async (site: Site, request: FastifyRequest): Promise<Charged> =>
  charged(site, request, await callerOf(site, request), '/api/v1/research', false);
