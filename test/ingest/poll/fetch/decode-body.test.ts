import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { RSS, read } from '../read/feeds.ts';

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
  ])('given declared %s, then the text is decoded', async (encoding, title) => {
    expect((await read(iconv.encode(feed(title, encoding), encoding))).item?.title).toBe(title);
  });
  it.each(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
    'given %s, with and without a byte order mark, then the text is decoded',
    async (encoding) => {
      for (const addBOM of [true, false])
        expect((await read(iconv.encode(feed('ज़ूडियो', encoding), encoding, { addBOM }))).item?.title).toBe('ज़ूडियो');
    },
  );
  it('given ISO-2022-JP, then the text is decoded', async () => {
    const title = Buffer.from('\u001b$B>.Gd\u001b(B', 'latin1');
    const [before = '', after = ''] = feed('|', 'iso-2022-jp').split('|');
    expect((await read(Buffer.concat([Buffer.from(before), title, Buffer.from(after)]))).item?.title).toBe('小売');
  });
  it('given a header and a declaration that differ, then the header takes precedence', async () => {
    const body = iconv.encode(feed('Розница', 'utf-8'), 'windows-1251');
    expect((await read(body, { 'content-type': 'application/xml; charset="windows-1251"' })).item?.title).toBe(
      'Розница',
    );
  });

  const bytes = (...parts: readonly (string | number)[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))));
  const news = (...title: readonly (string | number)[]) => {
    const [before = '', after = ''] = feed('|', 'UTF-8').split('|');
    return bytes(before, ...title, after);
  };
  it.each([
    ['one wrong byte', news('₹4,700 crore ', 0x92, ' for Zudio – ₹50'), '', '₹4,700 crore \ufffd for Zudio – ₹50'],
    ['a letter cut within', news('₹4,700 crore ', 0xe2, 0x82, ' – Zudio'), '', '₹4,700 crore \ufffd – Zudio'],
    [
      'one wrong byte under a false label',
      news('ज़ूडियो ', 0xff, ' खुला'),
      'text/xml; charset=ISO-8859-1',
      'ज़ूडियो \ufffd खुला',
    ],
    [
      'a byte order mark under a false label',
      Buffer.concat([bytes(0xef, 0xbb, 0xbf), news('Café – ₹')]),
      'text/xml; charset=windows-1252',
      'Café – ₹',
    ],
    ['a false ISO-8859-1', news('₹4,700 crore'), 'text/xml; charset=ISO-8859-1', '₹4,700 crore'],
    ['a false windows-1252', news('Café – ₹'), 'text/xml; charset=windows-1252', 'Café – ₹'],
    ['a false utf-16', news('Café – ₹'), 'text/xml; charset=utf-16', 'Café – ₹'],
    ['a false utf-16 over ASCII', news('Zudio'), 'text/xml; charset=utf-16', 'Zudio'],
    ['a false gbk', news('ज़ूडियो खुला ₹'), 'text/xml; charset=gbk', 'ज़ूडियो खुला ₹'],
    ['a false shift_jis', news('ज़ूडियो खुला ₹'), 'text/xml; charset=shift_jis', 'ज़ूडियो खुला ₹'],
  ])('given UTF-8 with %s, then it is read as UTF-8', async (_name, body, type, title) => {
    expect((await read(body, { 'content-type': type })).item?.title).toBe(title);
  });

  it.each([
    [
      'windows-1252 that says UTF-8',
      iconv.encode(feed('Café à Paris – €', 'UTF-8'), 'windows-1252'),
      'Café à Paris – €',
    ],
    [
      'windows-1252 under a header that says UTF-8',
      iconv.encode(feed('Café', 'UTF-8'), 'windows-1252'),
      'Café',
      'utf-8',
    ],
    ['windows-1252 under an unknown label', iconv.encode(feed('Café', 'x-none'), 'windows-1252'), 'Café'],
    ['pairs of gbk that look like UTF-8', iconv.encode(feed('一些一些', 'gbk'), 'gbk'), '一些一些'],
    ['UTF-16 that begins with a space', iconv.encode(` ${feed('Café', 'UTF-16')}`, 'utf-16le'), 'Café', 'utf-16le'],
  ])('given %s, then it is not read as UTF-8', async (_name, body, title, charset = '') => {
    const type = charset && `text/xml; charset=${charset}`;
    expect((await read(body, { 'content-type': type })).item?.title).toBe(title);
  });
});
