import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { RSS, read } from './feeds.ts';

describe('character sets', () => {
  const feed = (title: string, encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?>${RSS(`<title>${title}</title><link>http://a.in/1</link>`)}`;
  it.each([
    ['gb2312', '中国零售'],
    ['gbk', '中国零售'],
    ['gb18030', '中国零售'],
    ['big5', '零售業'],
    ['euc-jp', '小売り'],
    ['shift_jis', '小売り'],
    ['euc-kr', '소매'],
    ['koi8-r', 'Розница'],
    ['koi8-u', 'Роздріб'],
    ['windows-1251', 'Розница'],
    ['iso-8859-5', 'Розница'],
    ['iso-8859-2', 'Łódź'],
    ['iso-8859-7', 'Λιανική'],
    ['iso-8859-15', 'Café €'],
    ['windows-1250', 'Łódź'],
    ['windows-1252', 'Café €'],
    ['windows-1256', 'تجزئة'],
    ['iso-8859-9', 'İstanbul'],
    ['ibm866', 'Розница'],
    ['macintosh', 'Café'],
    ['utf-8', 'ज़ूडियो खुला'],
  ])('%s, declared', async (encoding, title) => {
    expect((await read(iconv.encode(feed(title, encoding), encoding))).item?.title).toBe(title);
  });
  it.each(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])('%s, with and without its mark', async (encoding) => {
    for (const addBOM of [true, false])
      expect((await read(iconv.encode(feed('ज़ूडियो', encoding), encoding, { addBOM }))).item?.title).toBe('ज़ूडियो');
  });
  it('ISO-2022-JP', async () => {
    const title = Buffer.from('\u001b$B>.Gd\u001b(B', 'latin1');
    const [before = '', after = ''] = feed('|', 'iso-2022-jp').split('|');
    expect((await read(Buffer.concat([Buffer.from(before), title, Buffer.from(after)]))).item?.title).toBe('小売');
  });
  it('the header goes before the declaration', async () => {
    const body = iconv.encode(feed('Розница', 'utf-8'), 'windows-1251');
    expect((await read(body, { 'content-type': 'application/xml; charset="windows-1251"' })).item?.title).toBe(
      'Розница',
    );
  });
});
