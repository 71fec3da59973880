/** `npm run describe`: writes the committed copy of the description. */
import { writeFileSync } from 'node:fs';
import { descriptionText } from './document.ts';

writeFileSync(new URL('../openapi.yaml', import.meta.url), descriptionText());
