/**
 * What an operator can do, as one value: the schema of its arguments, who may do it, what it does, how the audit log has it,
 * and its help. The command line (`bin/operator-commands.ts`) and the forms below /operate (`web/pages/operate/operator-forms.ts`) are
 * derived from these values.
 */
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Commander } from '../access/account.ts';
import type { LiveCatalogue } from '../ingest/catalogue/effective-catalogue.ts';
import type { ReadReport } from '../ingest/correct-signals.ts';
import type { FetchPage } from '../ingest/poll/fetch/fetch-page.ts';
import type { Understander } from '../ingest/understand/understander.ts';
import { type EventStore, recordOperation } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import type { Topics } from '../log/topic.ts';
import type { Parked } from '../projector/parked-events.ts';
import type { Model } from '../projector/read-model.ts';
import type { Retried } from '../projector/retry-parked.ts';
import type { Operation, Role } from '../schemas/access.ts';
import type { Configuration } from '../schemas/configuration.ts';
import type { Directory } from '../schemas/directory.ts';
import { Refusal } from '../schemas/input-errors.ts';

/** Who makes a change, and why, as events have it. */
export interface Author {
  readonly by: string;
  readonly why: string;
}

/** What every action may use, on the command line and on a page. */
export interface OperatorContext {
  readonly database: Database;
  readonly store: EventStore;
  readonly now: () => Date;
  /** Aborts when the operator no longer waits. */
  readonly signal: AbortSignal;
  /** The operator, as commands of accounts name one. */
  readonly commander: Commander;
  /** The operator and the reason. @param usual the reason where none was given */
  author(usual?: string): Author;
  /** Writes a line of the audit log that the action declares: once it is done, or when it begins if it takes long. */
  record(operation: Operation['operation'], subject: string, why?: string): Promise<void>;
  /** Fetches with the guards and the politeness of the poller. @throws Refusal where the process cannot */
  readonly fetchPage: FetchPage;
  /** The setting ALLOW_PRIVATE_SOURCES: sources may be on private networks. */
  readonly privateSources: boolean;
  /** The catalogue in use. @throws Refusal where the process has none */
  catalogue(): Promise<LiveCatalogue>;
  directory(): Promise<Directory>;
  /** Understands a report by the present rules; null where the process cannot. */
  readonly understand: ReadReport | null;
  /** Projects parked events now. */
  retryParked(entries: readonly Parked[]): Promise<readonly Retried[]>;
}

/** What actions may use in addition where they run from a terminal. */
export interface TerminalContext extends OperatorContext {
  readonly configuration: Configuration;
  readonly topics: Topics;
  readonly logger: Logger;
  /** Prints text before the result. */
  say(text: string): void;
  /** @throws Refusal unless the operator confirms, on the terminal or by `--yes` */
  confirm(question: string): Promise<void>;
  /** Shows the progress of long work. */
  progress(name: string, unit: string): (phase: string, done: number, total: number) => void;
  understander(): Promise<Understander>;
}

/** What actions may use that run without the stores, such as while nothing is set up. */
export interface BareContext {
  readonly configuration: Configuration;
  readonly fetchPage: FetchPage;
  readonly signal: AbortSignal;
  warn(message: string): void;
  /** Asks for a secret on the terminal. @throws Refusal without one */
  askSecret(question: string, setting: string): Promise<string>;
  /** Understanding with the shipped catalogue. */
  understander(): Promise<Understander>;
  /** Opens the stores for some work. */
  withStore<Result>(work: (store: EventStore) => Promise<Result>): Promise<Result>;
}

/** Where an action can run, and with which of the contexts above. */
type Place = 'anywhere' | 'terminal' | 'bare';
interface Contexts {
  readonly anywhere: OperatorContext;
  readonly terminal: TerminalContext;
  readonly bare: BareContext;
}

interface ActionParts<Input extends z.ZodObject, Result, Context> {
  /** The last word of the command, and of the address of a form. */
  readonly name: string;
  readonly summary: string;
  /** More text for `--help`. */
  readonly help?: string;
  /** The arguments: fields are described, and `meta` has their labels and options, see `fields.ts`. */
  readonly input: Input;
  /** Fields that the command line takes by place. */
  readonly positional?: readonly (keyof z.output<Input> & string)[];
  /** Who may do it on a page; operators alone by default. */
  readonly role?: Role;
  /** How the audit log has it: not at all because it changes nothing, by the events that it appends, or by lines of its own. */
  readonly audit: 'nothing' | 'events' | readonly Operation['operation'][];
  /** Whether a reason is asked for: always, by pages alone, or where the operator likes. Unset, there is none. */
  readonly reason?: 'required' | 'on pages' | 'optional';
  /** True for one that asks for confirmation, so that `--yes` is there. */
  readonly asks?: boolean;
  /** Read models that must have all earlier events; a command that runs alone projects them itself. */
  readonly projects?: () => readonly Model[];
  /** Read models in which a page that returns from its form waits for the outcome. */
  readonly seenIn?: readonly string[];
  run(input: z.output<Input>, context: Context): Promise<Result>;
  /** The result as `--json` prints it; the result itself by default. */
  json?(result: Result): unknown;
  /** The result for a terminal, without a final line end; empty for nothing more to say. */
  text?(result: Result, input: z.output<Input>): string;
  /** Not 0 for a result that a script should notice. */
  exitCode?(result: Result): 0 | 1 | 2;
}

export interface OperatorAction<
  Input extends z.ZodObject = z.ZodObject,
  // biome-ignore lint/suspicious/noExplicitAny: lists of actions with results of any type.
  Result = any,
  Where extends Place = Place,
> extends ActionParts<Input, Result, Contexts[Where]> {
  readonly place: Where;
}

/** An action for the command line and for forms. */
export const defineOperatorAction = <Input extends z.ZodObject, Result>(
  parts: ActionParts<Input, Result, OperatorContext>,
): OperatorAction<Input, Result, 'anywhere'> => ({ ...parts, place: 'anywhere' });

/** An action for the command line alone: it takes long, writes files or asks questions. */
export const defineTerminalAction = <Input extends z.ZodObject, Result>(
  parts: ActionParts<Input, Result, TerminalContext>,
): OperatorAction<Input, Result, 'terminal'> => ({ ...parts, place: 'terminal' });

/** An action for the command line that needs no stores. */
export const defineBareAction = <Input extends z.ZodObject, Result>(
  parts: ActionParts<Input, Result, BareContext>,
): OperatorAction<Input, Result, 'bare'> => ({ ...parts, place: 'bare' });

/** The actions of a subject: `clarity NAME` and below. A single action of the same name is the command itself. */
export interface OperatorActions {
  readonly name: string;
  readonly summary: string;
  readonly help?: string;
  readonly actions: readonly OperatorAction[];
}

/** Maximum characters of a reason. */
const MAXIMUM_REASON = 500;

/** The parts of a context that say who acts and why, and write the audit log. */
export function actingAs(
  { audit, name, reason }: Pick<OperatorAction, 'audit' | 'name' | 'reason'>,
  services: Pick<OperatorContext, 'store' | 'now'>,
  { by, why: given }: { readonly by: string; readonly why?: string | undefined },
): Pick<OperatorContext, 'author' | 'record'> {
  const why = given?.trim().slice(0, MAXIMUM_REASON) ?? '';
  if (reason === 'required' && why === '')
    throw new Refusal('invalid_request', 'why: missing. Allowed: a reason, which is stored.');
  return {
    author: (usual = '') => ({ by, why: why || usual }),
    async record(operation, subject, note) {
      if (typeof audit === 'string' || !audit.includes(operation))
        throw new Error(`${name} does not declare ${operation} for the audit log`);
      await recordOperation(services, { operation, subject, by, why: (note ?? why) || null });
    },
  };
}
