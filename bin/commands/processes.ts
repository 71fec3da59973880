/**
 * The commands that run one part of the service in a process of its own, and `migrate`, which prepares PostgreSQL.
 */
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { matchLines } from '../../ingest/match/compare-pairs.ts';
import { measureCoverage } from '../../ingest/oracle.ts';
import { streamLines } from '../../ingest/stream-items.ts';
import { readUncertain } from '../../ingest/understand/stored-readings.ts';
import { type ClaimsOf, type Understander, understandLines } from '../../ingest/understand/understander.ts';
import { messageOf } from '../../log/errors.ts';
import { budgetOfRun } from '../../log/language-model.ts';
import { measurementText, ORACLE } from '../../operations/oracle.ts';
import { readConfiguration } from '../../schemas/configuration.ts';
import { addActions } from '../operator-commands.ts';
import {
  analysePart,
  matchPart,
  oracleOptions,
  oraclePart,
  pollPart,
  projectPart,
  retentionPart,
  searchIndexPart,
  sweepPart,
  understandPart,
} from '../parts.ts';
import { openRoster } from '../polled-sources.ts';
import { runProcess } from '../process.ts';
import { languageModelOf, openUnderstanding, preparedModels, withServices } from '../services.ts';
import { keepHeapOfRebuildsSmall, keepHeapSmall } from '../supervise.ts';
import { progressBar, warnOnStderr, writeLines } from '../terminal.ts';

/** `clarity poll`: the process that polls the sources. */
export function addPoll(program: Command): void {
  program
    .command('poll')
    .description('poll the sources of the roster and publish the topics items and polls until stopped')
    .addHelpText('after', '\nROSTER=my.yaml names the sources; default: those of the last start, or the demo newsroom.')
    .action(() => {
      keepHeapSmall();
      return runProcess('poll', async (services, closing) => {
        // The state of a source is in a read model, which no projector may have created yet.
        await preparedModels(services);
        const roster = await openRoster(services);
        closing.add(roster.close);
        services.logger.info({ roster: roster.about }, 'polling');
        return { poll: pollPart(services, roster.demoPort) };
      });
    });
}

interface UnderstandFlags {
  readonly serve?: boolean;
  readonly stream?: boolean;
  readonly all?: boolean;
  readonly explain?: boolean;
}

/** What the language model says of lines, where one is configured. This run spends at most `LLM_BUDGET`. */
async function claimsFor(understander: Understander): Promise<ClaimsOf | undefined> {
  const configuration = readConfiguration(process.env);
  const { LLM_READS: reads, LLM_READER_MODEL: reader } = configuration;
  if (reads === 'off') return undefined;
  const model = await languageModelOf(configuration, {
    model: reader,
    budget: budgetOfRun(configuration.LLM_BUDGET),
    report: (error) => warnOnStderr(`the language model failed: ${messageOf(error)}`),
  });
  if (!model) return undefined;
  return async (items) => (await readUncertain({ model, reads, understander }, items)).map(({ claims }) => claims);
}

/** `clarity understand`: a filter over JSON lines, alone or with matching, or the process between `items` and `stories`. */
export function addUnderstand(program: Command): void {
  program
    .command('understand')
    .description('classify items, given as JSON lines on standard input; with --serve, consume the topics')
    .option('--serve', 'consume the topic items and publish the topic stories until stopped')
    .option('--stream', 'match the items too, in memory: prints the signal of each, when all have been read')
    .option('--all', 'with --stream, match noise too')
    .option('--explain', 'print the rule and the words behind each field')
    .addHelpText(
      'after',
      `
Input:   {"key":"1","title":"Zudio opens in Pune","summary":null,"url":"https://…","outlet":"…","date":"2026-11-20"}
Output:  {"key":"1","relevant":true,"move":"stores","primary":["Zudio"],"cities":["Pune"],…}
With --stream, every item has a date and they are in order of time. Adds
         {"signal":"sig_…" or null,"matched":{"as":"new|same|resurfaced","score":0.93,"reasons":[…],"follows":null}}
A fact that is read and not published has "sure":false. With LLM_BASE_URL and LLM_MODEL the model reads uncertain lines (LLM_READS).
An invalid line gives {"line":N,"error":{…}}; the following lines are processed.`,
    )
    .action(async ({ serve, stream, all = false, explain = false }: UnderstandFlags) => {
      if (serve) return runProcess('understand', async (services) => ({ understand: await understandPart(services) }));
      // The weights first: a line reader loses the lines that arrive while something else is awaited.
      const understander = await openUnderstanding({ warn: warnOnStderr });
      const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
      if (!stream)
        return writeLines(understandLines(lines, understander, { explain, claims: await claimsFor(understander) }));
      const bar = progressBar('stream', 'items');
      const onProgress = (done: number, total: number): void => bar.at('understanding and matching', done, total);
      await writeLines(streamLines(lines, understander, { explain, all, onProgress })).finally(() => bar.end());
    });
}

/** `clarity match`: pairs as a filter over JSON lines, or the process between the topic `stories` and the event store. */
export function addMatch(program: Command): void {
  program
    .command('match')
    .description('consume the topic stories and append signals until stopped; with --pairs, compare items of a file')
    .option(
      '--pairs',
      'read pairs {key, a, b} as JSON lines on standard input and say whether both report the same event',
    )
    .option('--explain', 'print the evidence for each score')
    .action(async ({ pairs, explain = false }: { pairs?: boolean; explain?: boolean }) => {
      if (!pairs) return runProcess('match', async (services) => ({ match: matchPart(services) }));
      // The weights first: a line reader loses the lines that arrive while something else is awaited.
      const understander = await openUnderstanding({ warn: warnOnStderr });
      const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
      await writeLines(matchLines(lines, understander, { explain }));
    });
}

/** `clarity analyse`: the process that writes why each new signal matters, from the read models. */
export function addAnalyse(program: Command): void {
  program
    .command('analyse')
    .description('write why each new signal matters and what to watch, from the read models, until stopped')
    .action(() => runProcess('analyse', async (services) => ({ analyse: analysePart(services) })));
}

/** `clarity project`: the process that folds events into read models. */
export function addProject(program: Command): void {
  program
    .command('project')
    .description('fold events into the read models until stopped; one process owns each model, others are on standby')
    .action(() => {
      keepHeapOfRebuildsSmall();
      return runProcess('project', async (services) => ({
        project: projectPart(services),
        retention: retentionPart(services),
        ...searchIndexPart(services),
      }));
    });
}

/** What serves readers is half of all code and is loaded only where it is used: it would double the start of a poller. */
const readerServer = () => import('../reader-server.ts');

/** `clarity api`: the process that serves the REST API, the pages and MCP. */
export function addApi(program: Command): void {
  program
    .command('api')
    .description('serve the REST API and the pages on HOST and PORT until stopped')
    .action(() =>
      runProcess('api', async (services, closing) => {
        const { listen } = await readerServer();
        const port = await listen(services, closing);
        services.logger.info({ port }, 'listening');
        return { sweep: sweepPart(services) };
      }),
    );
}

/** `clarity mcp`: a process that serves only assistants, in addition to or instead of those of the API. */
export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve assistants at /mcp and /mcp/account on HOST and PORT until stopped')
    .addHelpText(
      'after',
      `
"clarity api" and "clarity up" serve them too; this process takes over that load. BASE_URL is the address that
assistants use; route /mcp to this process and the rest to "clarity api".`,
    )
    .action(() =>
      runProcess('mcp', async (services, closing) => {
        const [{ openAccess }, { standaloneServer }, { openMcp, openReaders, openSearch }] = await Promise.all([
          import('../../access/access.ts'),
          import('../../mcp/mcp-surface.ts'),
          readerServer(),
        ]);
        const { configuration, database, logger } = services;
        const access = openAccess({ database, configuration, now: services.now });
        const readers = await openReaders(services, closing);
        const search = await openSearch(services, readers, closing);
        const surface = await openMcp(services, access, readers, search);
        const server = await standaloneServer({ configuration, logger, surface, identify: access.identify });
        await server.listen({ host: configuration.HOST, port: configuration.PORT });
        closing.serves(() => server.beginDraining());
        closing.add(() => server.close());
        logger.info({ port: configuration.PORT }, 'listening');
        return { sweep: sweepPart(services) };
      }),
    );
}

/** `clarity migrate`: creates or updates what processes need in PostgreSQL. */
export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description(
      'create or update the tables of logs and access for this release; every process does so at its start too',
    )
    .action(() =>
      withServices('migrate', async (services) => {
        await preparedModels(services);
        process.stdout.write('the tables are up to date\n');
      }),
    );
}

/** `clarity oracle`: the process that measures the coverage; or one measurement. `operations/oracle.ts` has its commands. */
export function addOracle(program: Command): void {
  addActions(program, ORACLE)
    .option('--once', 'measure now, print what was missed, and exit')
    .option('--json', 'with --once: print JSON')
    .action(async ({ once, json }: { readonly once?: boolean; readonly json?: boolean }) => {
      if (!once) return runProcess('oracle', async (services) => ({ oracle: await oraclePart(services) }));
      await withServices('oracle', async (services) => {
        const measurement = await measureCoverage(await oracleOptions(services));
        process.stdout.write(`${json ? JSON.stringify(measurement, null, 2) : measurementText(measurement)}\n`);
      });
    });
}
