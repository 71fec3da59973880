import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsText } from '../../bin/describe-settings.ts';

it('given the schema of the settings, then docs/settings.md is what `npm run describe` writes from it', () => {
  expect(readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')).toBe(settingsText());
});
