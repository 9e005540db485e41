/** The marks must not change how a visit is classified. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDetector } from '../../detection/create-detector.ts'
import { newAssistantVisitor, newBotVisitor } from './visitor.ts'

test('a marked visitor is classified like one without a mark, and each mark is different', () => {
  const { classify } = createDetector({ excludedBots: new Set() })
  const marks = new Set<string>()
  for (let i = 0; i < 1_000; i++) {
    for (const [visitor, kind] of [
      [newBotVisitor(), 'bot'],
      [newAssistantVisitor(), 'referral'],
    ] as const) {
      const { userAgent, referrer, mark } = visitor
      const request = { method: 'GET', url: '/', status: 200, siteDomain: 'example.com' }
      assert.equal(classify({ ...request, userAgent, referrer }).kind, kind, userAgent)
      assert.ok(userAgent.endsWith(mark))
      marks.add(mark)
    }
  }
  assert.equal(marks.size, 2_000)
})
