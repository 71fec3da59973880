/** The charging of questions and briefings from pages, in the windows of the API. */
import type { FastifyRequest } from 'fastify';
import { plansPage } from '../../access/authorise.ts';
import { ANONYMOUS, type Caller } from '../../access/caller.ts';
import { charge, refund } from '../../access/quota/charge.ts';
import { limitRefusal, restWindows } from '../../access/quota/limits.ts';
import { planOf } from '../../projector/models/accounts-queries.ts';
import type { Site } from '../site.ts';

interface Charged {
  /** Refunds the charge of an answer that failed with an internal error. */
  giveBack(): Promise<void>;
}

async function callerOf({ database }: Site, { reader }: FastifyRequest): Promise<Caller> {
  if (!reader) return ANONYMOUS;
  const { id: account } = reader.account;
  const plan = (await planOf(database, account)) ?? 'free';
  return { kind: 'person', account, plan, scopes: ['read', 'ask'], keyId: null };
}

async function chargeCaller(
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
 * Charges a question, in the same windows as the API: on Pro to the account's questions of the day, otherwise to the
 * client's address.
 * @throws Refusal when no question is left
 */
export async function chargeQuestion(site: Site, request: FastifyRequest): Promise<Charged> {
  const caller = await callerOf(site, request);
  const isPro = caller.plan === 'pro';
  return chargeCaller(site, request, isPro ? caller : ANONYMOUS, '/api/v1/ask', isPro);
}

/** Charges a briefing to the account. @throws Refusal when no briefing is left */
export const chargeBriefing = async (site: Site, request: FastifyRequest): Promise<Charged> =>
  chargeCaller(site, request, await callerOf(site, request), '/api/v1/research', false);
