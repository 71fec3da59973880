import { resolve } from 'node:path';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import { readConfiguration } from '../schemas/configuration.ts';

const SHIPPED = 'deploy/catalogue';

/**
 * Loads the catalogue named by `CATALOGUE`, relative to the working directory; the shipped one lies beside this code.
 * @throws CatalogueError naming file, field and value
 */
export async function openCatalogue(setting = readConfiguration(process.env).CATALOGUE): Promise<PreparedCatalogue> {
  const folder = setting === SHIPPED ? resolve(import.meta.dirname, '..', SHIPPED) : resolve(setting);
  return prepareCatalogue(await loadCatalogue(folder));
}
