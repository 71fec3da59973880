/** A browser as far as signing in needs one: it keeps cookies by path, follows no redirect by itself, posts forms. */

export interface Browser {
  get(address: string): Promise<Response>;
  post(address: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

function readCookie(line: string): Cookie & { readonly ended: boolean } {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const [name = '', value = ''] = pair.split('=', 2);
  const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
  const ended = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=.*1970/i.test(one));
  return { name, value, path, ended };
}

export function browser(): Browser {
  let cookies: Cookie[] = [];
  const ask = async (address: string, options: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(address);
    const cookie = cookies
      .filter(({ path }) => pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const answer = await fetch(address, {
      ...options,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(options.headers as Record<string, string>), ...(cookie && { cookie }) },
    });
    for (const one of answer.headers.getSetCookie().map(readCookie)) {
      cookies = cookies.filter(({ name, path }) => name !== one.name || path !== one.path);
      if (!one.ended) cookies.push(one);
    }
    return answer;
  };
  return {
    get: (address) => ask(address),
    post: (address, form, headers = {}) =>
      ask(address, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: { origin: new URL(address).origin, ...headers },
      }),
  };
}
