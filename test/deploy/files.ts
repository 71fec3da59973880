/** The files for running Clarity elsewhere, read once. */
import { globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const root = resolve(import.meta.dirname, '../..');
export const text = (file: string): string => readFileSync(resolve(root, file), 'utf8');

/** The documents of a YAML file. @throws on anything that YAML does not allow, such as a duplicate key */
export const documents = (file: string): unknown[] =>
  parseAllDocuments(text(file), { merge: true, uniqueKeys: true }).map((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) throw new Error(`${file}: ${fault.message}`);
    return document.toJS();
  });

export const yamlFiles = globSync('deploy/{compose.yaml,alerts/*.yaml,dashboards/*.yaml,kubernetes/**/*.yaml}', {
  cwd: root,
})
  .map((file) => relative('.', file))
  .toSorted();

/** Every value of a key, at any depth. */
export function valuesOf(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesOf(one, name));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === name ? [inner] : []).concat(valuesOf(inner, name) as never[]),
  );
}
