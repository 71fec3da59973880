/** The changelog, cut into pages. */
import { describe, expect, it } from 'vitest';
import { changelogPages } from '../../web/pages/changelog.ts';

const TEXT = [
  '## Next',
  '',
  '### Added',
  '- One thing',
  '  that goes on.',
  '- Another',
  '',
  '### Fixed',
  '- A third',
  '',
  '## 1.0',
  '- The first',
].join('\n');

describe('the pages of the changelog', () => {
  it('given a short text, then it is one page, unchanged', () => {
    expect(changelogPages(TEXT, 1_000)).toEqual([TEXT]);
  });

  it('given a long text, then pages are cut before an entry, and repeat the headings above it', () => {
    const pages = changelogPages(TEXT, 40);

    expect(pages[1]).toMatch(/^## Next\n### Added\n- One thing/);
    expect(pages[2]).toMatch(/^## Next\n### Fixed\n- A third/);
    expect(pages.at(-1)).toContain('## 1.0\n- The first');
  });

  it('given any length of pages, then every entry is on one of them, in order', () => {
    for (let maximum = 1; maximum < 200; maximum += 7) {
      const entries = changelogPages(TEXT, maximum).flatMap((page) =>
        page.split('\n').filter((line) => line.startsWith('- ')),
      );
      expect(entries).toEqual(['- One thing', '- Another', '- A third', '- The first']);
    }
  });
});
