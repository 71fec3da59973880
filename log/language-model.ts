/** A language model behind a provider with the OpenAI protocol. The only file that imports the package `ai`. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { extractJsonMiddleware, generateText, jsonSchema, NoObjectGeneratedError, Output, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { modelCalled } from '../schemas/observation.ts';
import { backoff, RETRY } from './backoff.ts';

/** The budget that calls to the model reserve from; passed in by the process. */
interface ModelBudget {
  /**
   * Counts what a call may cost, before it is sent.
   * @returns null when the budget does not cover it: the call must not be sent
   */
  reserve(usd: number): Promise<Reservation | null>;
}

interface Reservation {
  /** Corrects the count when the call has answered. A failed call is not settled: it may have cost the whole amount. */
  settle(usd: number): Promise<void>;
}

/** The budget of one run of a command. @param budget US dollars */
export function budgetOfRun(budget: number): ModelBudget {
  let spent = 0;
  return {
    async reserve(usd) {
      if (spent + usd > budget) return null;
      spent += usd;
      return {
        async settle(actual) {
          spent += actual - usd;
        },
      };
    },
  };
}

export interface ModelOptions {
  /** `LLM_BASE_URL`, such as `https://models.example/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  /** US dollars a million tokens. */
  readonly prices: { readonly input: number; readonly output: number };
  /** Counts every call before it is sent. Without budget left, no call is sent. */
  readonly budget: ModelBudget;
  /** Called with every error. */
  readonly report?: (error: unknown) => void;
  /** Called with every answer: what it took. */
  readonly spent?: (call: ModelCall) => void;
}

/** What an answer of a model took. */
interface ModelCall {
  readonly model: string;
  readonly purpose: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
  readonly milliseconds: number;
}

/** A task of the model: its instructions, the form of its answer, and how long that may be. */
export interface ModelTask<Answer> {
  /** What it is for, in logs and metrics: `compose`. */
  readonly purpose: string;
  readonly instructions: string;
  readonly schema: z.ZodType<Answer>;
  /** What is taken of an answer, where that is less than what was asked for; the schema when unset. */
  readonly accepts?: z.ZodType<Answer>;
  readonly maxTokens: number;
  /** Milliseconds after which the answer is not waited for. */
  readonly timeout: number;
}

/** What a task answered, and what that cost. */
export interface ModelAnswer<Answer> {
  readonly answer: Answer;
  readonly cost_usd: number;
}

export interface LanguageModel {
  readonly name: string;
  /** Calls the model within the budget. @returns null when it fails, is slow, is not tried after failures, or there is no budget */
  call<Answer>(task: ModelTask<Answer>, given: unknown): Promise<ModelAnswer<Answer> | null>;
}

const MILLION = 1_000_000;
/** Bytes of text that make a token, at least on average: words of other scripts take more tokens than English. */
const BYTES_OF_TOKEN = 3;
/** Tokens that the provider adds to what is sent, such as roles. */
const ADDED_TOKENS = 100;

/** The form of an answer as the provider gets it: patterns and limits of numbers cost tokens, and are checked here. */
const sentSchema = (schema: z.ZodType) =>
  z.toJSONSchema(schema, {
    override({ jsonSchema: sent }) {
      for (const name of ['pattern', 'minimum', 'maximum'] as const) delete sent[name];
    },
  });

/** US dollars that a call may cost: all of its prompt and the form of its answer read, and the longest answer written. */
function mayCost(
  { instructions, schema, maxTokens }: ModelTask<unknown>,
  prompt: string,
  prices: ModelOptions['prices'],
): number {
  const sent = instructions + prompt + JSON.stringify(sentSchema(schema));
  const read = Math.ceil(Buffer.byteLength(sent) / BYTES_OF_TOKEN) + ADDED_TOKENS;
  return (read * prices.input + maxTokens * prices.output) / MILLION;
}

/** The form of an answer, and the check of what is answered. */
function formOf<Answer>({ schema, accepts = schema }: ModelTask<Answer>) {
  return jsonSchema<Answer>(sentSchema(schema) as Parameters<typeof jsonSchema>[0], {
    validate(value) {
      const parsed = accepts.safeParse(value);
      return parsed.success ? { success: true, value: parsed.data } : { success: false, error: parsed.error };
    },
  });
}

/** Failures in a row after which no caller waits for the provider. */
const FAILURES = 2;

/**
 * Whether a provider is called. After failures in a row it is not, and from time to time one call is made that nobody waits for;
 * when it is answered, calls are made again. So a provider that hangs delays one caller, and none while it goes on hanging.
 */
class Breaker {
  #failures = 0;
  #notBefore = 0;
  #probing = false;

  get isOpen(): boolean {
    return this.#failures >= FAILURES;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** @param hung whether it did not answer in time, which is as good as failures in a row */
  failed(hung: boolean): void {
    this.#failures = hung ? Math.max(FAILURES, this.#failures + 1) : this.#failures + 1;
    if (this.isOpen) this.#notBefore = performance.now() + backoff(this.#failures - FAILURES, RETRY.job, Math.random);
  }

  /** Tries the provider in the background, when it is time and no other try is under way. */
  probe(attempt: () => Promise<unknown>): void {
    if (this.#probing || performance.now() < this.#notBefore) return;
    this.#probing = true;
    void attempt().finally(() => {
      this.#probing = false;
    });
  }
}

function modelOf({ baseUrl, apiKey, model }: ModelOptions) {
  const provider = createOpenAICompatible({
    name: 'provider',
    baseURL: baseUrl,
    ...(apiKey === undefined ? {} : { apiKey }),
    supportsStructuredOutputs: true,
  });
  // Some providers put JSON into a fence of Markdown.
  return wrapLanguageModel({ model: provider(model), middleware: extractJsonMiddleware() });
}

/** Opens a model. Nothing is sent before the first call. */
export function openLanguageModel(options: ModelOptions): LanguageModel {
  const { prices, budget, report = () => undefined, spent = () => undefined } = options;
  const model = modelOf(options);
  const breaker = new Breaker();

  async function attempt<Answer>(task: ModelTask<Answer>, given: unknown): Promise<ModelAnswer<Answer> | null> {
    const { purpose, instructions, maxTokens, timeout } = task;
    const started = performance.now();
    const patience = AbortSignal.timeout(timeout);
    try {
      const prompt = JSON.stringify(given);
      const reservation = await budget.reserve(mayCost(task, prompt, prices));
      if (!reservation) return null;
      const { output, usage } = await generateText({
        model,
        output: Output.object({ schema: formOf(task) }),
        instructions,
        prompt,
        maxOutputTokens: maxTokens,
        temperature: 0,
        maxRetries: 0,
        abortSignal: patience,
      });
      breaker.succeeded();
      const { inputTokens = 0, outputTokens = 0 } = usage;
      const cost_usd = (inputTokens * prices.input + outputTokens * prices.output) / MILLION;
      const milliseconds = Math.round(performance.now() - started);
      spent({
        model: options.model,
        purpose,
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        cost_usd,
        milliseconds,
      });
      modelCalled.emit({ purpose, outcome: 'answered', input_tokens: inputTokens, output_tokens: outputTokens });
      await reservation.settle(cost_usd).catch(report);
      return { answer: output, cost_usd };
    } catch (error) {
      report(error);
      modelCalled.emit({ purpose, outcome: 'failed', input_tokens: 0, output_tokens: 0 });
      // An answer of the wrong form says nothing of the next one.
      if (NoObjectGeneratedError.isInstance(error)) breaker.succeeded();
      else breaker.failed(patience.aborted);
      return null;
    }
  }

  return {
    name: options.model,
    async call(task, given) {
      if (!breaker.isOpen) return attempt(task, given);
      breaker.probe(() => attempt(task, given));
      return null;
    },
  };
}
