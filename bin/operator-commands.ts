/** Commands made of the actions of operators: their arguments and options, `--json`, confirmation, progress and exit codes. */
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { pause } from '../log/backoff.ts';
import type { EventStore } from '../log/event-store.ts';
import { type Field, fieldsOf, type Given, readInput } from '../operations/fields.ts';
import {
  actingAs,
  type BareContext,
  type OperatorAction,
  type OperatorActions,
  type TerminalContext,
} from '../operations/operator-action.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import type { Model } from '../projector/read-model.ts';
import { runProjector } from '../projector/run-projector.ts';
import { type Configuration, readConfiguration } from '../schemas/configuration.ts';
import { directoryOf } from '../schemas/directory.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { openFetcher } from './polled-sources.ts';
import {
  catalogueInUse,
  openUnderstanding,
  preparedModels,
  retryParkedEvents,
  type Services,
  understandingInUse,
  withServices,
} from './services.ts';
import { stopSignal } from './supervise.ts';
import { askSecret, confirmed, operatorName, type ProgressBar, progressBar, writeLines } from './terminal.ts';

/** What commander has read: options by attribute. */
type Flags = Readonly<Record<string, unknown>>;

const collect = (text: string, before: readonly string[] = []): string[] => [...before, text];

const isRepeated = ({ kind }: Field): boolean => kind === 'list' || kind === 'map';

const optionName = ({ option, name }: Field): string => option ?? name.replaceAll('_', '-');

/** Both names that commands have had for a trial run. */
const DRY = /^dry(?:-run)?$/;

/** The option of a field. The schema checks its value, so that a form and a command refuse the same. */
function optionOf(field: Field): Option {
  const { kind, placeholder, description = '', isRequired, choices } = field;
  const value = kind === 'flag' ? '' : ` <${placeholder ?? (kind === 'number' ? 'n' : optionName(field))}>`;
  const allowed = choices.length > 0 ? `${description ? '; ' : ''}${choices.join(', ')}` : '';
  const repeated = isRepeated(field) ? '; repeatable' : '';
  const flag = DRY.test(optionName(field)) ? '--dry, --dry-run' : `--${optionName(field)}`;
  const option = new Option(`${flag}${value}`, `${description}${allowed}${repeated}`);
  if (isRepeated(field)) option.argParser(collect);
  return option.makeOptionMandatory(isRequired);
}

/** An argument by its place, such as `<id>`, `[file]` or `<names...>`. */
function argumentOf(field: Field): string {
  const name = `${field.placeholder ?? field.name}${isRepeated(field) ? '...' : ''}`;
  return field.isRequired ? `<${name}>` : `[${name}]`;
}

/** Adds the commands of a subject to the program. @returns the command of the subject */
export function addActions(program: Command, { name, summary, help, actions }: OperatorActions): Command {
  const [first] = actions;
  if (actions.length === 1 && first?.name === name) return addAction(program, name, first);
  const subject = program.command(name).description(summary);
  if (help) subject.addHelpText('after', `\n${help}`);
  for (const action of actions) addAction(subject, name, action);
  return subject;
}

function addAction(parent: Command, subject: string, action: OperatorAction): Command {
  const command = parent.command(action.name).description(action.summary);
  const fields = fieldsOf(action.input);
  const positional = (action.positional ?? []).flatMap((name) => fields.find((field) => field.name === name) ?? []);
  const options = fields
    .filter((field) => !positional.includes(field))
    .map((field) => ({ field, option: optionOf(field) }));
  for (const field of positional) command.argument(argumentOf(field), field.description ?? '');
  for (const { option } of options) command.addOption(option);
  if (action.reason !== undefined) {
    const why = new Option('--why <reason>', 'the reason; it is stored');
    command.addOption(why.makeOptionMandatory(action.reason === 'required'));
    command.option('--by <name>', 'who does it; default: the user of the system');
  }
  if (action.asks) command.option('--yes', 'do not ask for confirmation');
  command.option('--json', 'print JSON');
  if (action.help) command.addHelpText('after', `\n${action.help}`);
  return command.action(async (...words: unknown[]) => {
    // `--json` may be an option of the subject too, which then has it.
    const flags: Flags = command.optsWithGlobals();
    const given = [
      ...positional.map((field, place) => [field, words[place]] as const),
      ...options.map(({ field, option }) => [field, flags[option.attributeName()]] as const),
    ];
    const input = readInput(action, Object.fromEntries(await Promise.all(given.map(valueGiven))));
    await run(subject, action, input, flags);
  });
}

/** The value of a field, with the text of a file. @throws Refusal for a file that cannot be read */
async function valueGiven([field, value]: readonly [Field, unknown]): Promise<readonly [string, Given]> {
  if (field.kind !== 'file' || typeof value !== 'string') return [field.name, value as Given];
  const text = await readFile(value, 'utf8').catch((error: Error) => {
    throw new Refusal('invalid_request', `${value} cannot be read: ${error.message}`);
  });
  return [field.name, { name: value, text }];
}

async function run(subject: string, action: OperatorAction, input: unknown, flags: Flags): Promise<void> {
  const json = flags.json === true;
  if (action.place === 'bare')
    return print(action, await action.run(input as never, bareContext(subject)), input, json);
  await withServices(subject, async (services) => {
    // Where no projector has run yet, its tables are empty.
    await preparedModels(services);
    const bars: ProgressBar[] = [];
    const context = terminalContext(action, services, flags, bars);
    const done = () => action.run(input as never, context);
    const end = (): void => {
      for (const bar of bars.splice(0)) bar.end();
    };
    try {
      const result = await (action.projects ? whileProjecting(services, action.projects(), done) : done());
      end();
      await print(action, result, input, json, end);
    } finally {
      end();
    }
  });
}

/** Prints a result, and sets the exit code. @param end removes the progress from the terminal */
async function print(
  action: OperatorAction,
  result: unknown,
  input: unknown,
  json: boolean,
  end = (): void => undefined,
) {
  if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result)
    await writeLines(result as AsyncIterable<string>).finally(end);
  else if (json || !action.text)
    process.stdout.write(`${JSON.stringify(action.json ? action.json(result) : result, null, 2)}\n`);
  else {
    const text = action.text(result, input as never);
    if (text !== '') process.stdout.write(`${text}\n`);
  }
  const code = action.exitCode?.(result) ?? 0;
  if (code > 0) process.exitCode = code;
}

function terminalContext(
  action: OperatorAction,
  services: Services,
  flags: Flags,
  bars: ProgressBar[],
): TerminalContext {
  const { database, store, topics, configuration, logger, now } = services;
  const by = String(flags.by ?? '').trim() || operatorName();
  const signal = stopSignal();
  const json = flags.json === true;
  const catalogue = () => catalogueInUse(services);
  const progress: TerminalContext['progress'] = (name, unit) => {
    const bar = progressBar(name, unit, json);
    bars.push(bar);
    return bar.at;
  };
  return {
    database,
    store,
    topics,
    configuration,
    logger,
    now,
    signal,
    commander: { role: 'operator', by: `operator ${by}` },
    ...actingAs(action, services, { by, why: flags.why as string | undefined }),
    fetchPage: openFetcher(configuration, now),
    privateSources: configuration.ALLOW_PRIVATE_SOURCES,
    catalogue,
    directory: async () => directoryOf((await catalogue()).effective().catalogue),
    async understand(report) {
      const understander = await understandingInUse(services);
      const { understanding } = await understander.understand(report);
      return { understanding, understood_by: understander.version };
    },
    understander: () => understandingInUse(services),
    retryParked: (entries) => retryParkedEvents(services, entries, signal, progress),
    say: (text) => void (json || process.stdout.write(`${text}\n`)),
    async confirm(question) {
      if (!(await confirmed(question, flags.yes === true))) throw new Refusal('invalid_request', 'nothing was changed');
    },
    progress,
  };
}

function bareContext(subject: string): BareContext {
  const configuration: Configuration = readConfiguration(process.env);
  const warn = (message: string): void => void process.stderr.write(`${message}\n`);
  return {
    configuration,
    fetchPage: openFetcher(configuration),
    signal: stopSignal(),
    warn,
    askSecret,
    understander: () => openUnderstanding({ warn }, configuration.CATALOGUE),
    withStore: <Result>(work: (store: EventStore) => Promise<Result>) =>
      withServices(subject, ({ store }) => work(store)),
  };
}

/** Milliseconds that a command waits until the read models have all earlier events. */
const CATCH_UP_TIMEOUT = 10_000;
/** Milliseconds between two checks that the event store answers. */
const CHECK_INTERVAL = 500;

/**
 * Runs work with read models that are up to date. A running projector keeps its ownership; without one, the command projects
 * them itself meanwhile.
 */
async function whileProjecting<Result>(
  { database, store, topics }: Services,
  models: readonly Model[],
  work: () => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  await prepareReadModels(database, models);
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const projector = runProjector({ models, database, store, topics, logger: silent, signal: stop.signal });
  try {
    const head = await store.head();
    for (const { name } of models)
      await whileAnswering(store, () => waitForPosition(database, name, head, CATCH_UP_TIMEOUT));
    return await work();
  } finally {
    stop.abort();
    await projector;
  }
}

/**
 * Waits until read models have caught up, which they cannot while the event store hangs.
 * @throws EventStoreUnavailable when the event store stops answering: otherwise the command would wait a second time, for
 *   its own call
 */
async function whileAnswering(store: EventStore, reached: () => Promise<boolean>): Promise<void> {
  const done = new AbortController();
  let answer: Promise<unknown> = Promise.resolve();
  const asking = (async () => {
    for (; !done.signal.aborted; await pause(CHECK_INTERVAL, done.signal)) {
      answer = store.head();
      await answer;
    }
  })();
  // Its failure is that of `answer`, which is awaited below.
  asking.catch(() => undefined);
  try {
    if (!(await reached())) await answer;
  } finally {
    done.abort();
  }
}
