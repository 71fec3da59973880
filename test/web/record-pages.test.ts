/** The public pages, on a small record and on hostile text. */
import { gzipSync } from 'node:zlib';
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderMarkup } from '../../presentation/markup.ts';
import { boxesOf, cityMap, INDIA_STATES, layOut, project, ZOOMS } from '../../web/map.ts';
import type { Serving } from '../api/serving.ts';
import { attributesOf, textsOf } from '../harness/elements.ts';
import { appendHostileSignals, fullRecord, PAGES } from './full-record.ts';
import { sharedPages } from './shared-pages.ts';

let site: Serving;
const open = async (url: string) => {
  const answer = await site.server.inject({ url, headers: { accept: 'text/html' } });
  const $ = load(answer.body);
  return { answer, $, text: $('main').text().replace(/\s+/g, ' ') };
};
interface Led {
  readonly status: number;
  readonly canonical: string | undefined;
  readonly title: string;
}
const followed = new Map<string, Promise<Led>>();
/** Where a link leads. Pages have most links in common: each is requested once. */
function led(link: string): Promise<Led> {
  const known =
    followed.get(link) ??
    open(link).then(({ answer, $ }) => ({
      status: answer.statusCode,
      canonical: $('link[rel=canonical]').attr('href'),
      title: $('title').text(),
    }));
  followed.set(link, known);
  return known;
}
/** Bytes over the wire, compressed. */
const weight = async (path: string): Promise<number> => gzipSync((await open(path)).answer.body).byteLength;

beforeAll(async () => {
  site = await fullRecord();
});
afterAll(() => site.close());

describe('every page of the record', () => {
  it.each(PAGES)(
    'given %s, then it is complete: one heading, a title, a canonical address, no broken link',
    async (url) => {
      const { answer, $ } = await open(url);
      const isMissing = url === '/nothing-here';
      expect(answer.statusCode).toBe(isMissing ? 404 : 200);
      expect($('h1')).toHaveLength(1);
      expect($('title').text()).toMatch(/Clarity/);
      expect($('link[rel=canonical]')).toHaveLength(isMissing ? 0 : 1);
      for (const time of $('main time').toArray())
        expect($(time).attr('datetime')).toMatch(/^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/);
      const links = new Set(attributesOf($, 'a[href^="/"], link[href^="/"]', 'href'));
      for (const link of links) expect([link, (await led(link)).status < 400]).toEqual([link, true]);
    },
  );

  it('given every page and where its links lead, then no two addresses have the same title', async () => {
    for (const path of PAGES) await led(path);
    const pages = (await Promise.all(followed.values())).filter(({ canonical }) => canonical !== undefined);
    const titles = Map.groupBy(pages, ({ title }) => title);
    const shared = [...titles].map(([title, all]) => [title, ...new Set(all.map(({ canonical }) => canonical))]);
    expect(titles.size).toBeGreaterThan(PAGES.length);
    expect(shared.filter((addresses) => addresses.length > 2)).toEqual([]);
  });

  it('given a style sheet, a script and any page, then together they stay under 30 KB over the wire', async () => {
    const { $ } = await open('/');
    const files = [$('link[rel=stylesheet]').attr('href') ?? '', $('script[src]').attr('src') ?? ''];
    const shared = (await Promise.all(files.map(weight))).reduce((sum, one) => sum + one, 0);
    for (const path of PAGES) expect([path, shared + (await weight(path)) < 30_000]).toEqual([path, true]);
  });
});

describe('search and filter', () => {
  it('given words, then matching signals, and pages with a matching name', async () => {
    const { $, text } = await open('/?q=kiri+foods');
    expect($('.entry h3').text()).toContain('Kiri Foods opens 12 stores in Pune');
    expect($('a[href="/brand/kiri-foods"]').length).toBeGreaterThan(0);
    expect(text).toContain('(brand)');
    const nothing = await open('/?q=zebra');
    expect(nothing.text).toContain('No signals found');
    expect(nothing.$('.empty a[href="/brand/kiri-foods"]')).toHaveLength(1);
  });

  it('given names as readers type them, then the brand and the city are recognised', async () => {
    const typed = '/?brand=Maya+Retail&city=poona&kind=';
    const { location } = (await open(typed)).answer.headers;
    expect(location).toBe('/?brand=maya-stores&city=Pune');
    expect((await open(String(location))).$('.chips').text()).toMatch(/Maya Stores.*Pune/s);
    expect((await open('/?city=poona')).$('.entry')).not.toHaveLength(0);
  });

  it('given an alternative name of a city, then its page redirects to the current address', async () => {
    expect((await open('/city/poona')).answer.headers.location).toBe('http://clarity.test/city/pune');
  });
});

describe('next to the record', () => {
  it('given the last seven days, then home counts them by kind, brand, theme and city', async () => {
    const { $ } = await open('/');
    const listed = (heading: string): string =>
      $('.rail section')
        .filter((_, section) => $(section).find('h2').text() === heading)
        .find('li')
        .map((_, line) => $(line).text().replace(/\s+/g, ' '))
        .get()
        .slice(0, 4)
        .join(', ');
    expect(listed('Seven days, by kind')).toBe('Stores 2, Deals 0, People 1, Results 1');
    expect(listed('Brands with most stories')).toBe('Kiri Foods 3, Maya Stores 1');
    expect(listed('Cities')).toBe('Pune 2, Nagpur 1');
  });

  it('given a signal about a brand with other signals, then it links to these, and not to itself', async () => {
    const { $ } = await open('/signal/slug-kiri-pune');
    const others = attributesOf($, '.more:not(.of-kind) li a', 'href');
    expect(others.sort()).toEqual(['/signal/slug-kiri-chief', '/signal/slug-kiri-results']);
    expect((await open('/signal/slug-maya-nagpur')).$('.more:not(.of-kind)')).toHaveLength(0);
    expect($('.of-kind li a').attr('href')).toBe('/signal/slug-maya-nagpur');
  });
});

describe('/signal/{slug}', () => {
  it('given facts, then each is a row with the words of a report that print it, and those that none prints say so', async () => {
    const { $ } = await open('/signal/slug-kiri-chief');
    const rows = $('.stated tbody tr')
      .map((_, row) =>
        $(row)
          .find('th, td')
          .map((_at, cell) => $(cell).text().trim())
          .get()
          .join(' | '),
      )
      .get();
    expect(rows).toEqual([
      'Figure | 40 stores | “Kiri Foods opened 40 stores in Pune.”'.replace(/[“”]/g, ''),
      'Person | Asha Rao joins Kiri Foods, chief marketing officer, from Tilak Shoes, effective 30 November 2026 | No report is quoted.',
    ]);
  });

  it('given a signal, then it is cited as a link, as text, in Markdown and in BibTeX', async () => {
    const { $ } = await open('/signal/slug-kiri-results');
    const cited = textsOf($, '[data-copy] pre');
    expect(cited[0]).toBe('http://clarity.test/signal/slug-kiri-results');
    expect(cited[1]).toMatch(/^Kiri Foods revenue rises 24% in Q2 FY27\. .*, 20 November 2026\. http/);
    expect(cited[2]).toBe(
      '[Kiri Foods revenue rises 24% in Q2 FY27](http://clarity.test/signal/slug-kiri-results), Clarity, 20 November 2026',
    );
    expect(cited[3]).toContain('title = {{Kiri Foods revenue rises 24\\% in Q2 FY27}}');
  });
});

describe('/brand/{slug}', () => {
  it('given a record younger than two windows, then it says since when it is kept, and compares with nothing', async () => {
    const { $, text } = await open('/brand/kiri-foods');
    expect(text).toContain(
      'The record is kept since 20 November 2026: there is no full period before to compare with.',
    );
    expect(text).not.toMatch(/up from|Before/);
    expect((await open('/watch?b=kiri-foods')).text).not.toContain('from 0');
    const rows = $('.compared tbody tr')
      .map((_, row) => $(row).find('th, .figure').text().replace(/\s+/g, ' '))
      .get();
    expect(rows).toEqual(['Stores1', 'People1', 'Results1']);
    expect($('svg[aria-label^="Kiri Foods: 3 stories in 4 weeks"] circle')).toHaveLength(3);
    expect($('.rail').text()).toMatch(/Sources.*Daily Trade/s);
  });

  it('given a brand of the catalogue without a story, then a page that says so', async () => {
    const { $, text } = await open('/brand/tilak-group');
    expect(text).toContain('No stories about Tilak Group yet');
    expect($('.empty a[href="/brand/kiri-foods"]').text()).toBe('Kiri Foods');
  });
});

describe('/brief', () => {
  it('given a day, then its morning brief, without later moves and with the newest of a thread', async () => {
    const { text, $ } = await open('/brief/2026-11-21');
    expect(text).toContain('Saturday 21 November 2026');
    expect($('.briefing li')).toHaveLength(3);
    expect((await open('/brief/2026-11-20')).$('.briefing li')).toHaveLength(0);
    // Without moves of these brands it leads to the brief that has the newest entry.
    expect((await open('/brief/2026-11-21?brands=tilak-shoes')).$('.empty a[href="/brief/2026-11-21"]')).toHaveLength(
      1,
    );
  });

  it.each(['/brief/2026-11-22', '/brief/2026-13-01', '/brief/yesterday'])('given %s, then 404', async (url) => {
    expect((await open(url)).answer.statusCode).toBe(404);
  });

  it('given a day from the form, then its own address', async () => {
    expect((await open('/brief?date=2026-11-20')).answer.headers.location).toBe('http://clarity.test/brief/2026-11-20');
  });
});

describe('/watch', () => {
  it('given ticked and typed brands, then a column each, and unknown names are reported', async () => {
    const { $, text } = await open('/watch?b=kiri-foods&b=maya-stores&add=Tilak+Footwear+Ltd,zebra');
    expect(textsOf($, '.watch thead th')).toEqual(['Kiri Foods', 'Maya Stores', 'Tilak Shoes']);
    expect(text).toContain('No brand has the name zebra');
    expect((await open('/watch?add=maya+store')).text).toContain('Similar names: Maya Stores');
    const left = attributesOf($, '.chip', 'href');
    expect(left[0]).toBe('/watch?b=maya-stores,tilak-shoes');
    const { answer } = await open($('a[download]').attr('href') ?? '');
    expect(answer.headers['content-type']).toContain('text/csv');
    expect(answer.body).toMatch(/\r\nKiri Foods,kiri-foods,[^\r]+\r\nMaya Stores,maya-stores,/);
  });

  it('given more days than the plan allows, then the maximum of the plan, and a note', async () => {
    const { text } = await open('/watch?b=kiri-foods&days=90');
    expect(text).toContain('in 7 days');
    expect(text).toContain('Your plan compares up to');
    const six = await open('/watch?b=kiri-foods,kiri-cafe,kiri-juice,maya-stores,maya-mart&add=nobody,Tilak+Shoes');
    expect(six.text).toContain('Left out: Tilak Shoes.');
    expect(six.text).toContain('No brand has the name nobody.');
  });
});

describe('/map, /people, /group', () => {
  it('given openings, then a marker for each city at its place, states by their openings, and the lists', async () => {
    const { $ } = await open('/map');
    expect(attributesOf($, '.map .marker', 'href').sort()).toEqual(['/map?city=Nagpur', '/map?city=Pune']);
    expect($('.map [href="/map?city=Pune"]').attr('aria-label')).toBe('Pune: 2 openings, 12 stores opened, 3 planned');
    expect($('.map a:has(.land)').attr('data-tip')).toBe('Maharashtra: 4 openings in 2 cities');
    expect($('.map .land.shade-4')).toHaveLength(1);
    expect($('.legend').text()).toContain('4 or more');
    expect($('.list tbody th').text()).toBe('NagpurPune');
  });

  it('given a city, several or a state, then figures and lists are theirs, and the map has all', async () => {
    const { $, text } = await open('/map?city=poona');
    expect($('h1').text()).toBe('Who is opening in Pune');
    expect([$('.marker').length, $('.marker[aria-current]').attr('href')]).toEqual([2, '/map?city=Pune']);
    expect(text).toContain('Kiri Foods opens 12 stores in Pune');
    expect(text).not.toContain('Maya Stores opens 12 stores in Nagpur');
    expect($('a[href="/city/pune"]').first().text()).toBe('All about Pune');
    expect((await open('/map?city=Pune&city=Nagpur')).$('[data-part=found] dd').first().text()).toBe('4');
    const state = await open('/map?state=maharashtra&category=value_fashion');
    expect(state.$('.land.chosen')).toHaveLength(1);
    expect(state.$('h1').text()).toBe('Who is opening in Maharashtra');
    expect(state.$('[data-part=found] dd').first().text()).toBe('2');
    expect(state.$('.list a').first().attr('href')).toBe('/map?category=value_fashion&city=Nagpur');
    expect((await open('/map?state=Atlantis')).answer.statusCode).toBe(400);
    expect((await open('/map?state=Karnataka&city=Pune')).answer.statusCode).toBe(400);
    expect((await open('/map?city=Bengaluru')).text).toContain('No openings are reported here in this period.');
  });

  it('given a mall, then its openings without a map', async () => {
    expect((await open('/map?mall=hill+mal')).text).toContain('Opening at Hill Mall');
    expect((await open('/map?mall=zebra+crossing+9')).answer.statusCode).toBe(400);
  });

  it.each([
    ['/city/Pune', '/city/pune'],
    ['/brand/Kiri-Foods?days=7', '/brand/kiri-foods?days=7'],
    ['/theme/Expansion', '/theme/expansion'],
    ['/mall/HILL-MALL', '/mall/hill-mall'],
    ['/group/Food', '/group/food'],
  ])('given %s, then it leads to the address in lower case', async (typed, address) => {
    const { statusCode, headers } = await site.server.inject(typed);
    expect([statusCode, headers.location]).toEqual([301, `http://clarity.test${address}`]);
  });

  it('given a mall, then its year, and a link from the city; a misspelt name redirects, an ambiguous name does not', async () => {
    const { $, text } = await open('/mall/hill-mall');
    expect($('h1').text()).toBe('Hill Mall');
    expect(text).toMatch(/Hill Mall Mall in Maharashtra · Pune/);
    expect(text).toContain('Kiri Foods');
    expect((await open('/city/pune')).$('a[href="/mall/hill-mall"]')).toHaveLength(1);
    const misspelt = (await open('/mall/hil-mall')).answer;
    expect([misspelt.statusCode, misspelt.headers.location]).toEqual([301, 'http://clarity.test/mall/hill-mall']);
    const several = await site.server.inject('/mall/lake-mall');
    expect([several.statusCode, several.json().message]).toEqual([
      404,
      expect.stringContaining('Similar names: Lake Mall'),
    ]);
    expect((await open('/mall/zebra-crossing-9')).answer.statusCode).toBe(404);
  });

  it('given the states of India, then they are small, share their borders, and cities are in their places', () => {
    const states = INDIA_STATES;
    expect(states.map(({ path }) => path).join('').length).toBeLessThan(16_000);
    // Without its state, a point of the border between two states would be in neither.
    const pointsOf = (name: string): Set<string> => {
      const path = states.find(({ names }) => names.includes(name))?.path ?? '';
      let [x, y] = [0, 0];
      return new Set(
        [...path.matchAll(/([Ml])(-?\d+) (-?\d+)/g)].map(([, command, dx, dy]) => {
          [x, y] = command === 'M' ? [Number(dx), Number(dy)] : [x + Number(dx), y + Number(dy)];
          return `${x} ${y}`;
        }),
      );
    };
    expect(pointsOf('Maharashtra').intersection(pointsOf('Karnataka')).size).toBeGreaterThan(15);
    // The outer boundary is that of the data: its northernmost and easternmost points, and all of the north.
    const all = new Set(states.flatMap(({ names: [name] }) => [...pointsOf(name ?? '')]));
    expect(['136 0', '612 225'].filter((point) => !all.has(point))).toEqual([]);
    const north = [...pointsOf('Ladakh')].map((point) => point.split(' ').map(Number) as [number, number]);
    const bounds = (axis: 0 | 1): number[] =>
      [Math.min, Math.max].map((of) => of(...north.map((point) => point[axis])));
    expect([bounds(0), bounds(1)]).toEqual([
      [93, 252],
      [0, 122],
    ]);
    const [mumbai, kolkata] = [project(72.88, 19.07), project(88.36, 22.57)];
    expect(mumbai.x).toBeCloseTo(98, -1);
    expect(kolkata.x).toBeGreaterThan(mumbai.x + 300);
    expect(kolkata.y).toBeLessThan(mumbai.y);
  });

  it('given many cities, then at every zoom no label covers another or a circle, also on a phone', () => {
    const many = Array.from({ length: 80 }, (_, n) => ({
      city: `City ${n}`,
      state: null,
      openings: 1 + ((n * 7) % 13),
      stores: 1,
      stores_opened: 1,
      stores_planned: 0,
      latitude: 12 + ((n * 37) % 19) / 2,
      longitude: 73 + ((n * 53) % 14) / 2,
    })).sort((one, other) => other.openings - one.openings);
    for (const zoom of ZOOMS) {
      const markers = layOut(many, zoom);
      expect(markers.flatMap(({ cities }) => cities)).toHaveLength(80);
      for (const isNarrow of [false, true]) {
        const { circles, labels } = boxesOf(markers, isNarrow);
        const covered = labels.filter((label) =>
          [...labels, ...circles].some(
            (other) =>
              other !== label &&
              label.left < other.right &&
              other.left < label.right &&
              label.top < other.bottom &&
              other.top < label.bottom,
          ),
        );
        expect(covered).toEqual([]);
        expect(labels.length).toBeGreaterThan(5);
      }
    }
    // One marker of several cities is separated by enlarging.
    expect(layOut(many, 6).length).toBeGreaterThan(layOut(many, 1).length);
  });

  it('given openings in every city of a large catalogue, then the map stays small', async () => {
    const cities = Array.from({ length: 600 }, (_, n) => ({
      city: `A city with a long name, number ${n}`,
      state: null,
      openings: 9,
      stores: 1_000,
      stores_opened: 1_000,
      stores_planned: 200,
      latitude: 10 + (n % 20),
      longitude: 72 + (n % 17),
    }));
    const links = { address: () => '/map?city=A+city+with+a+long+name', chosen: [] };
    expect(gzipSync(await renderMarkup(cityMap(cities, links))).byteLength).toBeLessThan(16_000);
  });

  it('given an appointment, then it is listed, and a company filters the list', async () => {
    expect((await open('/people')).text).toContain('Asha Rao');
    const nobody = await open('/people?company=maya+stores');
    expect(nobody.text).toContain('No leadership moves match');
    expect(nobody.$('.empty a[href="/people?company=Kiri+Foods&days=365"]')).toHaveLength(1);
    expect((await open('/people?company=qqqq')).answer.statusCode).toBe(400);
  });

  it('given a result, then its season with the chart, and links to adjacent quarters', async () => {
    const { $, text } = await open('/group/food');
    expect($('header a.button').attr('href')).toMatch(/^\/sign-in\?to=%2Fsearches%2Fnew%3Fbrand%3D/);
    expect(text).toContain('1 of 3 companies have reported Q2 FY27');
    expect($('svg[role=img] .up')).toHaveLength(1);
    const seasons = textsOf($, '.seasons tbody tr');
    // Who reported first; then who has not, and no column for quarters that no company reported.
    expect(seasons).toEqual([
      expect.stringMatching(/^Kiri Foods ?20 November 2026 ?revenue ₹230 Cr, \+24% ?profit ₹12 Cr, −4%$/),
      expect.stringMatching(/^Maya Stores ?Not yet ?–$/),
      expect.stringMatching(/^Tilak Shoes ?Not yet ?–$/),
    ]);
    expect(textsOf($, '.seasons thead th')).toEqual(['Company', 'Q2 FY27 reported', 'Q2 FY27']);
    expect(text).toMatch(/Kiri Foods ?revenue ?₹230 Cr ?\+24% ?Report ?Kiri Foods ?profit ?₹12 Cr ?−4% ?Report/);
    expect(textsOf($, 'nav[aria-label=Quarters] a')).toEqual(['Q1 FY27', 'Q3 FY27']);
    expect((await open('/group/nobody')).answer.statusCode).toBe(404);
  });
});

describe('/sources', () => {
  it('given a measurement of the Oracle, then its miss-rate and the target, and each miss with a safe link', async () => {
    const { $, text } = await open('/sources');
    expect(text).toContain('a miss-rate of 25%. The target is at most 10%');
    expect(attributesOf($, '#oracle a', 'href')).toEqual(['https://reference.test/tilak']);
    expect($('.spark')).toHaveLength(1);
  });

  it('given a proposal by the form, then it is accepted; given an invalid one, then the form is shown again', async () => {
    const send = (payload: string, origin = 'http://clarity.test') =>
      site.server.inject({
        method: 'POST' as const,
        url: '/sources/propose',
        payload,
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', origin },
      });
    const taken = await send('url=https%3A%2F%2Fnew.test%2Ffeed&outlet=');
    expect([taken.statusCode, load(taken.body)('[role=status]').text()]).toEqual([
      200,
      'Thank you. An operator will review it.',
    ]);
    const refused = await send('url=nonsense&reason=%3Cb%3E');
    expect([refused.statusCode, load(refused.body)('[role=alert]').text()]).toEqual([
      400,
      expect.stringContaining('url'),
    ]);
    expect(load(refused.body)('textarea').text()).toBe('<b>');
    expect((await send('url=https%3A%2F%2Fnew.test', 'https://evil.test')).statusCode).toBe(400);
  });
});

describe('for developers and robots', () => {
  it('given the page of plans, then it shows the limits that the service applies', async () => {
    const { $ } = await open('/plans');
    const rows = textsOf($, 'tbody tr');
    expect(rows[0]).toMatch(/^No key, in an assistant 50 30/);
    expect(rows[1]).toMatch(/^Free key 100 30/);
    expect(rows[2]).toMatch(/^Pro key 5,000 60 ₹999 a month/);
  });

  it('given the description, then every operation is listed with what it does', async () => {
    const { $ } = await open('/developers');
    const operations = textsOf($, '.plain-list li code');
    expect(operations.length).toBeGreaterThan(15);
    for (const operation of operations) expect(operation).toMatch(/^(GET|POST|PATCH|DELETE) \//);
    expect($('.plain-list li small').filter((_, line) => $(line).text() === '')).toHaveLength(0);
    expect($('main a[href="/.well-known/openapi.yaml"]')).not.toHaveLength(0);
    const { location } = (await open('/developers/api/listSignals')).answer.headers;
    expect(location).toBe('http://clarity.test/developers');
  });

  it('given the change log, then it is rendered without Markdown characters', async () => {
    const { $, text } = await open('/developers/changelog');
    expect($('main li').length).toBeGreaterThan(5);
    expect(text).not.toMatch(/\*\*|^#+ /);
  });

  it('given the sitemap, then its maps list every signal and every name', async () => {
    const { answer } = await open('/sitemap.xml');
    const maps = [...answer.body.matchAll(/<loc>http:\/\/clarity\.test([^<]+)<\/loc>/g)].map(([, path]) => path ?? '');
    const listed = (await Promise.all(maps.map((path) => open(path)))).map((map) => map.answer.body).join('');
    for (const path of [
      '/signal/slug-kiri-pune',
      '/brand/kiri-foods',
      '/city/pune',
      '/mall/hill-mall',
      '/group/food',
      '/theme/expansion',
    ])
      expect(listed).toContain(`<loc>http://clarity.test${path}</loc>`);
    expect((await open('/robots.txt')).answer.body).toContain('Sitemap: http://clarity.test/sitemap.xml');
    expect((await open('/sitemap/2020-01-p1.xml')).answer.statusCode).toBe(404);
  });
});

describe('given hostile text from a source, on every page', () => {
  beforeAll(() => appendHostileSignals(site));

  it.each([...PAGES, '/signal/slug-hostile-0', '/brand/hostile', '/?q=W'])(
    'then %s shows it as text, and stays small',
    async (url) => {
      const { answer, $ } = await open(url);
      expect($('main img, main script:not([type]), [onerror]')).toHaveLength(0);
      const own = ['/site.js', '/map.js'].map((script) => `:not([src^="${script}?v="])`).join('');
      expect($(`script${own}`)).toHaveLength(0);
      expect($('a[href^="javascript" i]')).toHaveLength(0);
      expect(answer.body).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
      expect(Buffer.byteLength(answer.body)).toBeLessThan(60_000);
    },
  );
});

sharedPages(() => site);
