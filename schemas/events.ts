/** All events by name and version: what each carries, and how stored ones are checked and upcast on reading. */
import { z } from 'zod';
import { AccountEvents, OperationEvents } from './access.ts';
import { InvestigationEvents, SessionEvents } from './ask.ts';
import { CatalogueEvents } from './catalogue.ts';
import { OracleEvents } from './oracle.ts';
import { type PersonalField, personalFields } from './personal.ts';
import { ItemEvents, PollEvents } from './poll.ts';
import { BrandEvents } from './resources.ts';
import { Instant } from './scalar.ts';
import { MistakeEvents, SignalEvents, SlugEvents } from './signal.ts';
import { ProposalEvents, SourceEvents } from './source.ts';
import { StoryEvents } from './story.ts';
import { BriefMailEvents, FollowEvents, SavedSearchEvents } from './subscriptions.ts';
import { TeamListEvents } from './team-lists.ts';

const Envelope = z.object({
  /** Deterministic (see `identity.ts`): the same fact appended twice has the same id, so a log keeps it once. */
  id: z.uuid(),
  type: z.string().min(1),
  /** Version of the schema of `data`; older ones are upcast on reading. */
  version: z.int().positive(),
  time: Instant,
  /** The event that led to this one, null for one that comes from outside. */
  causation_id: z.uuid().nullable(),
  /** Shared by everything that follows from one poll or one command. */
  correlation_id: z.uuid(),
  data: z.unknown(),
});

/** An event before or after it is stored; `Type` and `Data` narrow what it says. */
export type Event<Type extends string = string, Data = unknown> = Omit<z.infer<typeof Envelope>, 'type' | 'data'> & {
  type: Type;
  data: Data;
};

export const EVENTS = {
  ...ItemEvents,
  ...PollEvents,
  ...StoryEvents,
  ...SourceEvents,
  ...SignalEvents,
  ...SlugEvents,
  ...AccountEvents,
  ...FollowEvents,
  ...SavedSearchEvents,
  ...TeamListEvents,
  ...ProposalEvents,
  ...OracleEvents,
  ...MistakeEvents,
  ...OperationEvents,
  ...BriefMailEvents,
  ...BrandEvents,
  ...CatalogueEvents,
  ...SessionEvents,
  ...InvestigationEvents,
} as const;

type Events = typeof EVENTS;
export type EventType = keyof Events;
type Latest<Versions> = Versions[keyof Versions];

/** The data of an event type in its newest version. */
export type DataOf<Type extends EventType> = z.output<
  Latest<Events[Type]> extends z.ZodType ? Latest<Events[Type]> : never
>;

/** An event of the service, distinguished by `type`. */
export type KnownEvent<Type extends EventType = EventType> = { [T in Type]: Event<T, DataOf<T>> }[Type];

/** Turns the data of one version into that of the next: `UPCASTS[type][1]` makes version 2 out of version 1. */
type Upcasts = Partial<Record<EventType, Record<number, (data: unknown) => unknown>>>;
const UPCASTS: Upcasts = {};

/** A stored event that no schema takes: an unknown type or version, or data of another form. */
export class UnreadableEvent extends Error {
  override name = 'UnreadableEvent';
  readonly event: { id: string; type: string };
  constructor(event: { id: string; type: string }, why: string) {
    super(`event ${event.id} of type ${event.type} cannot be read: ${why}`);
    this.event = event;
  }
}

/** The newest version that is written of a type. */
const latestVersion = (type: EventType): number => Math.max(...Object.keys(EVENTS[type]).map(Number));

interface Newest {
  readonly version: number;
  readonly schema: z.ZodType;
}

/** By type, its newest version with a checker that is compiled at first use: every event of a log is read through it. */
const newestOf = new Map<string, Newest>();

function newest(type: string): Newest | undefined {
  const newestForm = newestOf.get(type);
  if (newestForm || !Object.hasOwn(EVENTS, type)) return newestForm;
  const version = latestVersion(type as EventType);
  const schema = (EVENTS[type as EventType] as Record<number, z.ZodType>)[version];
  if (!schema) return undefined;
  // Where a schema cannot be compiled zod gives it back as it is; what it accepts and answers is the same.
  const compiled = { version, schema: z.compile(schema) };
  newestOf.set(type, compiled);
  return compiled;
}

const personalOf = new Map<string, ReadonlyMap<string, PersonalField>>();

/** The personal fields of events of a type by name: the author in `by`, and those that its versions declare. */
export function personalFieldsOf(type: string): ReadonlyMap<string, PersonalField> {
  const declared = personalOf.get(type);
  if (declared) return declared;
  const versions: readonly z.ZodType[] = Object.hasOwn(EVENTS, type)
    ? Object.values(EVENTS[type as EventType])
    : [z.unknown()];
  const fields = new Map(versions.flatMap((schema) => [...personalFields(schema)]));
  personalOf.set(type, fields);
  return fields;
}

/**
 * Checks an event that was read back and upcasts it to the newest version of its type.
 * @throws UnreadableEvent when no schema takes it
 */
export function readEvent(stored: Event, upcasts: Upcasts = UPCASTS): KnownEvent {
  const newestForm = newest(stored.type);
  if (!newestForm) throw new UnreadableEvent(stored, 'its type is unknown to this version of the program');
  if (stored.version > newestForm.version)
    throw new UnreadableEvent(
      stored,
      `its version ${stored.version} is newer than ${newestForm.version}; update the program`,
    );
  let data = stored.data;
  for (let version = stored.version; version < newestForm.version; version++) {
    const upcast = upcasts[stored.type as EventType]?.[version];
    if (!upcast) throw new UnreadableEvent(stored, `nothing upcasts version ${version}`);
    data = upcast(data);
  }
  const parsed = newestForm.schema.safeParse(data);
  if (!parsed.success) throw new UnreadableEvent(stored, z.prettifyError(parsed.error));
  return { ...stored, version: newestForm.version, data: parsed.data } as KnownEvent;
}

/** Checks the envelope of something that should be an event, such as a message from a topic. */
export const readEnvelope = (value: unknown): Event => Envelope.parse(value) as Event;

/** Makes an event in the newest version of its type; `id`, `time` and where it comes from are the caller's. */
export const newEvent = <Type extends EventType>(
  type: Type,
  data: DataOf<Type>,
  about: { id: string; time: string; causation_id?: string | null; correlation_id?: string },
): KnownEvent<Type> =>
  ({
    id: about.id,
    type,
    version: latestVersion(type),
    time: about.time,
    causation_id: about.causation_id ?? null,
    correlation_id: about.correlation_id ?? about.id,
    data,
  }) as KnownEvent<Type>;
