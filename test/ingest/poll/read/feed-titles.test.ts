import { describe, expect, it } from 'vitest';
import { ATOM, RDF, RSS, read } from './feeds.ts';

describe('titles', () => {
  const L = '<link>http://a.in/1</link>';
  const A = '<link href="http://a.in/1"/>';
  const packed = Buffer.from('Zudio <b>opens</b>').toString('base64');
  it.each([
    ['plain', RSS(`<title>Zudio opens</title>${L}`)],
    ['in CDATA', RSS(`<title><![CDATA[Zudio <b>opens</b>]]></title>${L}`)],
    ['in pieces of CDATA', RSS(`<title>Zud<![CDATA[io op]]>ens</title>${L}`)],
    ['escaped markup', RSS(`<title>Zudio &lt;b&gt;opens&lt;/b&gt;</title>${L}`)],
    ['markup as elements', RSS(`<title>Zudio <b>opens</b></title>${L}`)],
    ['escaped twice', RSS(`<title>Zudio &amp;lt;i&amp;gt;opens&amp;lt;/i&amp;gt;</title>${L}`)],
    [
      'of Dublin Core',
      RSS(`<dc:title>Zudio opens</dc:title>${L}`, 'version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'),
    ],
    ['of an undeclared prefix', RSS(`<dc:title>Zudio opens</dc:title>${L}`)],
    [
      'beside that of a picture',
      RSS(
        `<media:title>No</media:title><title>Zudio opens</title>${L}`,
        'version="2.0" xmlns:media="http://search.yahoo.com/mrss/"',
      ),
    ],
    [
      'beside that of a foreign space',
      RSS(`<x:title>No</x:title><title>Zudio opens</title>${L}`, 'version="2.0" xmlns:x="http://x.in/"'),
    ],
    [
      'with prefixes of its own',
      `<q:rss xmlns:q="http://backend.userland.com/rss2"><q:channel><q:item><q:title>Zudio opens</q:title><q:link>http://a.in/1</q:link></q:item></q:channel></q:rss>`,
    ],
    ['in a wrong space', RSS(`<title>Zudio opens</title>${L}`, 'version="2.0" xmlns="http://wrong.example/"')],
    ['Atom text', ATOM(`<title type="text">Zudio opens</title>${A}`)],
    ['Atom html', ATOM(`<title type="html">Zudio &lt;b&gt;opens&lt;/b&gt;</title>${A}`)],
    ['Atom html in CDATA', ATOM(`<title type="html"><![CDATA[Zudio <b>opens</b>]]></title>${A}`)],
    [
      'Atom xhtml',
      ATOM(`<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Zudio <b>opens</b></div></title>${A}`),
    ],
    [
      'Atom xhtml with a script',
      ATOM(`<title type="xhtml"><div>Zudio <script>location.href='https://a.in'</script>opens</div></title>${A}`),
    ],
    [
      'Atom xhtml with a prefix',
      ATOM(
        `<title type="xhtml"><h:div>Zudio <h:b>opens</h:b></h:div></title>${A}`,
        'xmlns="http://www.w3.org/2005/Atom" xmlns:h="http://www.w3.org/1999/xhtml"',
      ),
    ],
    [
      'Atom with a prefix',
      `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>Zudio opens</a:title><a:link href="http://a.in/1"/></a:entry></a:feed>`,
    ],
    ['Atom 0.3', ATOM(`<title>Zudio opens</title>${A}`, 'version="0.3" xmlns="http://purl.org/atom/ns#"')],
    [
      'Atom 0.3 escaped',
      ATOM(
        `<title type="text/html" mode="escaped">Zudio &lt;b&gt;opens&lt;/b&gt;</title>${A}`,
        'version="0.3" xmlns="http://purl.org/atom/ns#"',
      ),
    ],
    [
      'Atom 0.3 packed',
      ATOM(
        `<title type="text/html" mode="base64">\n${packed}\n</title>${A}`,
        'version="0.3" xmlns="http://purl.org/atom/ns#"',
      ),
    ],
    ['RSS 0.90', RDF(`<title>Zudio opens</title>${L}`, 'xmlns="http://my.netscape.com/rdf/simple/0.9/"')],
    [
      'RSS 0.91 with its own entities',
      `<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">${RSS(`<title>Zudio&nbsp;opens</title>${L}`, 'version="0.91"')}`,
    ],
    ['RSS 0.92', RSS(`<title>Zudio opens</title>${L}`, 'version="0.92"')],
    ['RSS without a version', RSS(`<title>Zudio opens</title>${L}`, '')],
    [
      'items outside of the channel',
      `<rss version="2.0"><channel><title>O</title></channel><item><title>Zudio opens</title>${L}</item></rss>`,
    ],
    [
      'RSS 1.1',
      `<Channel xmlns="http://purl.org/net/rss1.1#"><items><item><title>Zudio opens</title>${L}</item></items></Channel>`,
    ],
    ['white space before the declaration', `\n\n <?xml version="1.0"?>${RSS(`<title>Zudio opens</title>${L}`)}`],
    [
      'an end that is missing',
      RSS(`<title>Zudio opens${L}`)
        .replace('Zudio opens<link', 'Zudio opens</title><link')
        .replace('</channel></rss>', ''),
    ],
    ['crossed ends', RSS(`<title>Zudio <b><i>opens</b></i></title>${L}`)],
    ['a lone less-than', RSS(`<title>Zudio opens</title><description>5 < 6</description>${L}`)],
    ['attributes without quotes', RSS(`<title type=html>Zudio opens</title>${L}`)],
    ['an attribute twice', RSS(`<title a="1" a="2">Zudio opens</title>${L}`)],
    ['control characters', RSS(`<title>Zudio\u0008 opens\u0000</title>${L}`)],
    ['a comment', RSS(`<title>Zudio <!-- no -->opens</title>${L}`)],
    ['an instruction', `<?xml-stylesheet href="x.xsl"?>${RSS(`<title>Zudio opens</title>${L}`)}`],
    ['nothing before the items', `<item><title>Zudio opens</title>${L}</item></channel></rss>`],
    ['only in Dublin Core, of RDF', RDF(`<dc:title>Zudio opens</dc:title>${L}`)],
  ])('%s', async (_name, text) => expect((await read(text)).item?.title).toBe('Zudio opens'));

  it.each([
    ['named entities', 'M&amp;S &eacute; &#8377;&#x20b9; &quot;x&quot;', 'M&S é ₹₹ "x"'],
    ['entities twice', 'Retail&amp;#8217;s &amp;amp; more', 'Retail’s & more'],
    ['a raw ampersand', 'H&M & M&S; more', 'H&M & M&S; more'],
    ['numbers of Windows-1252', 'Retail&#146;s &#150; boom', 'Retail’s – boom'],
    ['a sign', 'EBITDA &lt; 5% &gt; 3%', 'EBITDA < 5% > 3%'],
    ['a script', 'A&lt;script&gt;alert(1)&lt;/script&gt;B', 'AB'],
  ])('with %s', async (_name, written, title) =>
    expect((await read(RSS(`<title>${written}</title>${L}`))).item?.title).toBe(title),
  );
});
