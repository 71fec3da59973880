/** What questions are answered with: the catalogue's names and, where one is set, a model. */
import { modelBudget } from '../access/model-spend.ts';
import type { AskServices } from '../answer/ask.ts';
import type { ResearchServices } from '../answer/research.ts';
import { answerServices } from '../answer/services.ts';
import type { Writer } from '../answer/writer/writer.ts';
import { openCatalogue } from './catalogue.ts';
import type { Services } from './services.ts';

/** The model's package is loaded only where a model is set. */
async function writerOf({ configuration, database, logger, now }: Services): Promise<Writer | null> {
  const { LLM_BASE_URL: baseUrl, LLM_MODEL: model, LLM_API_KEY: apiKey } = configuration;
  if (!baseUrl || !model) return null;
  const { openWriter } = await import('../answer/writer/provider.ts');
  return openWriter({
    ...{ baseUrl, model, apiKey },
    prices: { input: configuration.LLM_INPUT_PRICE, output: configuration.LLM_OUTPUT_PRICE },
    budget: modelBudget(database, configuration.LLM_BUDGET, now),
    report: (error) => logger.warn({ err: error }, 'the model failed; the answer was written without it'),
  });
}

/** @throws CatalogueError */
export async function openAnswers(services: Services): Promise<AskServices & ResearchServices> {
  const { database, store, configuration, now } = services;
  const catalogue = await openCatalogue(configuration.CATALOGUE);
  return answerServices({
    ...{ database, store, catalogue, now },
    baseUrl: configuration.BASE_URL,
    writer: await writerOf(services),
  });
}
