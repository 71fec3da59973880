/** A site where people sign in with the embedded issuer, over real HTTP, as a browser would. */
import { load } from 'cheerio';
import { migrateAccess, openAccess } from '../../../access/access.ts';
import { mountIssuer, openEmbeddedIssuer } from '../../../access/embedded-issuer.ts';
import { type Browser, browser, follow } from '../../access/issuer-program.ts';
import { type Serving, type ServingOptions, serving } from '../../api/serving.ts';
import { freePort } from '../../harness/free-port.ts';

export const OPERATOR = 'olga@clarity.test';
export const REVIEWER = 'ravi@clarity.test';

export interface SignedIn {
  readonly browser: Browser;
  /** A page, parsed. */
  open(path: string): Promise<{ status: number; headers: Headers; $: ReturnType<typeof load> }>;
  /**
   * Sends the form of a page with this `action`, with its own values and these fields filled in.
   * @throws when the page has no such form
   */
  send(path: string, action: string, typed?: Record<string, string>): Promise<Response>;
  /** The token that the forms of the session have. */
  formToken(): Promise<string>;
}

export interface SigningIn {
  readonly site: Serving;
  readonly baseUrl: string;
  /** A visitor with a browser of their own, who is not signed in. */
  visitor(): SignedIn;
  /** @param person whose browser it is; a new one by default */
  signIn(email: string, person?: SignedIn): Promise<SignedIn>;
  close(): Promise<void>;
}

export async function signingIn(options: ServingOptions = {}): Promise<SigningIn> {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const own = { BASE_URL: baseUrl, HOST: '127.0.0.1', OPERATORS: [OPERATOR], REVIEWERS: [REVIEWER] };
  const settings = { ...options.settings, ...own };
  const failures: unknown[] = [];
  const site = await serving({
    ...options,
    baseUrl,
    settings,
    models: [
      'accounts',
      'follows',
      'inbox_reads',
      'saved_searches',
      'team_lists',
      'brief_subscribers',
      ...(options.models ?? []),
    ],
    access: (database) => openAccess({ database, configuration: settings, remember: 100 }),
    async issuer(database) {
      await migrateAccess(database);
      const issuer = await openEmbeddedIssuer(database, baseUrl, (error) => failures.push(error));
      return { issuer, mounted: mountIssuer(issuer, baseUrl) };
    },
  });
  await site.server.listen({ port, host: 'localhost' });

  const visitor = (): SignedIn => {
    const through = browser();
    const open: SignedIn['open'] = async (path) => {
      const answer = await through.get(`${baseUrl}${path}`);
      return { status: answer.status, headers: answer.headers, $: load(await answer.text()) };
    };
    return {
      browser: through,
      open,
      async send(path, action, typed = {}) {
        const { $ } = await open(path);
        const form = $(`form[action="${action}"]`).first();
        if (form.length === 0) throw new Error(`${path} has no form for ${action}: ${$('main').text()}`);
        const fields = form.serializeArray().map(({ name, value }) => [name, value] as const);
        return through.post(`${baseUrl}${action}`, { ...Object.fromEntries(fields), ...typed });
      },
      formToken: async () => String((await open('/account')).$('input[name=form_token]').first().val()),
    };
  };
  return {
    site,
    baseUrl,
    visitor,
    async signIn(email, person = visitor()) {
      const asked = await follow(person.browser, `${baseUrl}/sign-in/begin?to=/account`, baseUrl);
      const answer = await person.browser.post(asked, { answer: 'sign_in', email });
      await follow(person.browser, new URL(answer.headers.get('location') ?? '', baseUrl).href, baseUrl);
      return person;
    },
    async close() {
      await site.close();
      if (failures.length > 0) throw failures[0];
    },
  };
}
