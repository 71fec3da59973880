/**
 * The catalogue in use, in every process: the shipped files with the changes that the read model `catalogue` has by now. What is
 * made of it, such as the directory of names, follows it without a restart.
 */
import { kindOf } from '../../log/errors.ts';
import type { Database } from '../../log/postgres/database.ts';
import { isReadModelOutdated } from '../../log/postgres/postgres-errors.ts';
import { catalogueChanges, lastCatalogueChange } from '../../projector/models/catalogue-queries.ts';
import type { Catalogue } from '../../schemas/catalogue.ts';
import type { PreparedCatalogue } from '../understand/catalogue.ts';
import { prepareCatalogue } from '../understand/catalogue.ts';
import { type EffectiveCatalogue, effectiveCatalogue, isCatalogueChange } from './effective-catalogue.ts';

export interface LiveCatalogue {
  /** The files, without changes. */
  readonly shipped: Catalogue;
  effective(): EffectiveCatalogue;
  /** The same, indexed; done when it is first asked for after a change. */
  prepared(): PreparedCatalogue;
  /** Reads what changed since; a command does so after its own change. */
  refresh(): Promise<void>;
  /**
   * An object that always reflects the current catalogue, so that its holder need not follow changes.
   * @param make is called when it is first used after a change
   */
  following<Made extends object>(make: (effective: EffectiveCatalogue) => Made): Made;
  /** Ends the reading of changes. */
  close(): void;
}

/** Milliseconds between two looks at the number of changes. */
const EVERY = 1_000;

interface LiveOptions {
  /** The files, indexed. */
  readonly shipped: PreparedCatalogue;
  readonly database: Database;
  /** Called for an error that is no outage; the catalogue stays as it was. */
  readonly report: (error: unknown) => void;
  /** Milliseconds between two looks; 0 for none but by `refresh`. */
  readonly every?: number;
}

/** A process that starts before the first projector finds no read model: then there are no changes. */
async function readChanges(database: Database, known: number): Promise<ReturnType<typeof catalogueChanges> | null> {
  try {
    return (await lastCatalogueChange(database)) === known ? null : await catalogueChanges(database);
  } catch (error) {
    if (isReadModelOutdated(error)) return null;
    throw error;
  }
}

/** Opens it with the changes that there are; see `LiveOptions`. */
export async function openLiveCatalogue({
  shipped,
  database,
  report,
  every = EVERY,
}: LiveOptions): Promise<LiveCatalogue> {
  let effective = effectiveCatalogue(shipped.catalogue, []);
  let indexed: { readonly of: EffectiveCatalogue; readonly prepared: PreparedCatalogue } = {
    of: effective,
    prepared: shipped,
  };
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const events = await readChanges(database, effective.number);
    // While the read model is rebuilt from nothing it has fewer changes than are known.
    if (events && events.length > effective.number)
      effective = effectiveCatalogue(shipped.catalogue, events.filter(isCatalogueChange));
  }
  function prepared(): PreparedCatalogue {
    if (indexed.of !== effective) indexed = { of: effective, prepared: prepareCatalogue(effective.catalogue) };
    return indexed.prepared;
  }
  await read();
  const look = async (): Promise<void> => {
    if (reading) return;
    reading = read();
    try {
      await reading;
    } catch (error) {
      // An outage of the database is reported by all that works on it.
      if (kindOf(error) !== 'transient' && !database.ending) report(error);
    } finally {
      reading = undefined;
    }
    if (database.ending) close();
  };
  const timer = every > 0 ? setInterval(() => void look(), every).unref() : undefined;
  const close = (): void => clearInterval(timer);

  return {
    shipped: shipped.catalogue,
    effective: () => effective,
    prepared,
    async refresh() {
      await reading?.catch(() => undefined);
      await read();
    },
    following(make) {
      let made: { readonly of: EffectiveCatalogue; readonly value: ReturnType<typeof make> } | undefined;
      return followed(() => {
        if (made?.of !== effective) made = { of: effective, value: make(effective) };
        return made.value;
      });
    },
    close,
  };
}

/** An object whose properties are those of what `current` returns, each time that one is used. */
const followed = <Made extends object>(current: () => Made): Made =>
  new Proxy({} as Made, {
    get: (_, key) => Reflect.get(current(), key),
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Reflect.getOwnPropertyDescriptor(current(), key);
      return found && { ...found, configurable: true };
    },
  });
