/** What people do on the pages, over real HTTP, one site for all of it; in this order. */
import { afterAll } from 'vitest';
import { closeTheSite } from './people/the-site.ts';
import './people/account.ts';
import './people/reader.ts';
import './people/ask.ts';

afterAll(closeTheSite);
