/** What operators can do on the pages of this process. */
import { retryParked } from '../projector/retry/retry.ts';
import type { Desk } from '../web/desk.ts';
import { openFetcher } from './fetcher.ts';
import { liveModels } from './live-models.ts';
import type { Services } from './services.ts';

/** @param signal ends what a page began when the process stops */
export function openDesk(services: Services, signal: AbortSignal): Desk {
  return {
    fetchPage: openFetcher(services.configuration, services.now),
    async retry(entries) {
      const outcomes = [];
      for (const model of await liveModels(services)) {
        const own = entries.filter((entry) => entry.model === model.name);
        if (own.length > 0)
          outcomes.push(...(await retryParked({ ...services, clock: services.now, model, entries: own, signal })));
      }
      return outcomes;
    },
  };
}
