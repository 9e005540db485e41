/** What a page must be for everybody: nothing serious for axe-core, and nothing that hangs over its side. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe-core finds that is serious or worse, in words. */
export async function seriousViolations(page: Page, place = 'html'): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate(`axe.run('${place}')`)) as { violations: Violation[] }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join('\n')}`,
    )
}

export const isWideEnough = async (page: Page): Promise<boolean> =>
  (await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')) as boolean

export async function isFine(page: Page): Promise<void> {
  assert.deepEqual(await seriousViolations(page), [])
  assert.equal(await isWideEnough(page), true)
}
