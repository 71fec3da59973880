/** What operators can do on the pages of this process. */
import { retryParked } from '../projector/retry/retry.ts';
import type { Desk } from '../web/desk.ts';
import { openFetcher } from './fetcher.ts';
import { liveModels } from './live-models.ts';
import { now } from './parts.ts';
import type { Services } from './services.ts';

/** @param signal ends what a page began when the process stops */
export function openDesk(services: Services, signal: AbortSignal): Desk {
  return {
    fetchPage: openFetcher(services.configuration),
    async retry(entries) {
      const outcomes = [];
      for (const model of await liveModels(services)) {
        const own = entries.filter((entry) => entry.model === model.name);
        if (own.length > 0)
          outcomes.push(...(await retryParked({ ...services, clock: now, model, entries: own, signal })));
      }
      return outcomes;
    },
  };
}
