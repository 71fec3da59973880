/** Finds faults of a page in a browser. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The pixels by which a page is wider than its window. */
export const WIDER = 'document.documentElement.scrollWidth - innerWidth';

/** The findings of axe, and whether the page is wider than its window. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<string[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`,
  );
  const over = await page.evaluate<number>(WIDER);
  return over > 0 ? [...found, `${over} pixels wider than its window`] : found;
}
