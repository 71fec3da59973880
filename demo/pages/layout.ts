/** The frame of every page of the newsroom. */
import { html, raw } from 'hono/html';
import { DEMO_NOTE, type Document, utf8 } from '../formats/document.ts';

type Markup = ReturnType<typeof html>;

const STYLE = `body{font:17px/1.55 Georgia,serif;max-width:44rem;margin:0 auto;padding:1rem;color:#222;background:#fffdf8}
h1{line-height:1.2}a{color:#7a2e0e}.demo{background:#fff1c2;border:1px solid #e0c060;padding:.4rem .8rem;font-family:sans-serif;font-size:.85rem}
.when,time,small{color:#666;font-size:.85rem}ul,ol{padding-left:1.2rem}li{margin:.4rem 0}article.teaser{border-top:1px solid #ddd}`;

/** @param head what belongs into the head besides title and style */
export async function page(title: string, body: Markup, head: Markup = html``): Promise<Document> {
  const text = await html`<!doctype html>
<html lang="en-IN">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${title}</title><style>${raw(STYLE)}</style>${head}</head>
<body><p class="demo">${DEMO_NOTE}</p>
${body}
</body></html>
`;
  return utf8('text/html', String(text));
}
