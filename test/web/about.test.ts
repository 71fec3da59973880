/** Texts about the service, and what browsers take from it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Serving, serving } from '../api/serving.ts';
import { textsOf } from '../harness/elements.ts';

const CONTACT = 'desk@clarity.test';
let site: Serving;
let folder: string;

const get = (url: string) => site.server.inject({ url, headers: { accept: 'text/html' } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clarity-texts-'));
  await writeFile(join(folder, 'terms.md'), '## House rules\n\nNo <script>alert(1)</script> here.');
  site = await serving({ models: ['search'], settings: { CONTACT_EMAIL: CONTACT, SITE_TEXTS: folder } });
});
afterAll(async () => {
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('texts about the service', () => {
  it('given an address of the operators, then contact, privacy and plans have it', async () => {
    for (const path of ['/contact', '/privacy', '/plans']) expect((await get(path)).body, path).toContain(CONTACT);
  });

  it('given a text of the operators, then it is shown as text in place of the own; others stay', async () => {
    const $ = load((await get('/terms')).body);
    expect($('.prose h2').text()).toBe('House rules');
    expect($('.prose script')).toHaveLength(0);
    expect(load((await get('/about')).body)('.prose a[href="/quality"]').text()).toBe('Quality');
  });

  it('given the menu, then its pages are in groups', async () => {
    const $ = load((await get('/about')).body);
    expect(textsOf($, '.menu nav b')).toEqual(['The record', 'Yours', 'The service']);
    expect($('.menu a[aria-current=page]').text()).toBe('About');
  });
});

describe('what browsers take', () => {
  it('given the manifest, then its icons are there, and the page names it', async () => {
    const $ = load((await get('/about')).body);
    const address = $('link[rel=manifest]').attr('href') ?? '';
    const { icons } = (await get(address)).json();
    for (const { src, type } of icons) expect((await get(src)).headers['content-type']).toContain(type);
    expect((await get('/icon.png')).rawPayload.readUInt32BE(16)).toBe(512);
  });

  it('given the description of the search, then it is XML that leads to the feed', async () => {
    const $ = load((await get('/opensearch.xml')).body, { xml: true });
    expect($('Url').attr('template')).toMatch(/\/\?q=\{searchTerms\}$/);
  });

  it('given the worker, then it may load from the site alone', async () => {
    const { headers, body } = await get('/worker.js');
    expect(headers['content-security-policy']).toBe("default-src 'none'; connect-src 'self'");
    expect(body).toContain("credentials: 'omit'");
  });
});
