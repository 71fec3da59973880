import { resolve } from 'node:path';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import { readConfiguration } from '../schemas/configuration.ts';

const SHIPPED = 'deploy/catalogue';

/** By folder: the parts of one process share a catalogue. */
const opened = new Map<string, Promise<PreparedCatalogue>>();

/**
 * Loads the catalogue named by `CATALOGUE`, relative to the working directory; the shipped one lies beside this code.
 * @throws CatalogueError naming file, field and value
 */
export async function openCatalogue(setting = readConfiguration(process.env).CATALOGUE): Promise<PreparedCatalogue> {
  const folder = setting === SHIPPED ? resolve(import.meta.dirname, '..', SHIPPED) : resolve(setting);
  const known = opened.get(folder);
  if (known) return known;
  const opening = loadCatalogue(folder).then(prepareCatalogue);
  opened.set(folder, opening);
  // A faulty one is read again at the next start of a part, when it may have been mended.
  opening.catch(() => opened.delete(folder));
  return opening;
}
