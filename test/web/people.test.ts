/** The actions of people on the pages, over real HTTP, on one site for all files, in this order. */
import { afterAll } from 'vitest';
import { closeTheSite } from './people/the-site.ts';
import './people/account.ts';
import './people/reader.ts';
import './people/sources.ts';
import './people/ask.ts';
import './people/searches.ts';
import './people/team-lists.ts';

afterAll(closeTheSite);
