/** What anybody may open: the reference to browse, and whether the server lives and is ready. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { ask, errorOf } from '../support/ask.ts'
import { startServer } from '../support/server.ts'

const server = await startServer()
after(() => server.stop())

describe('/docs', () => {
  test('is a page whose scripts and styles all come from this server', async () => {
    const page = await ask(`${server.url}/docs`)
    assert.equal(page.status, 200)
    assert.match(page.headers['content-type']!, /^text\/html/)
    const files = Array.from(page.text.matchAll(/(?:src|href)="([^"]*)"/g), ([, target]) => target!)
    assert.ok(files.length >= 4)
    for (const file of files) {
      assert.match(file, /^\/docs\//)
      assert.equal((await ask(server.url + file)).status, 200, file)
    }
    const styles = await Promise.all(
      files.filter(file => file.endsWith('.css')).map(file => ask(server.url + file)),
    )
    for (const { text } of styles) assert.doesNotMatch(text, /(@import|url\()\s*['"]?(https?:)?\/\//)
  })

  test('has a policy that lets a browser load nothing from elsewhere, and that works without TLS', async () => {
    for (const place of ['/docs', '/docs/', '/docs/static/swagger-initializer.js']) {
      const policy = (await ask(server.url + place)).headers['content-security-policy'] as string
      const sources = policy.split(';').flatMap(directive => directive.trim().split(/\s+/).slice(1))
      assert.ok(sources.length > 0)
      assert.deepEqual(
        sources.filter(source => !["'self'", "'none'", 'data:'].includes(source)),
        [],
      )
      assert.match(policy, /default-src '(none|self)'/)
      assert.doesNotMatch(policy, /upgrade-insecure-requests/)
    }
  })

  test('asks no stranger to judge the document, and shows the one that /openapi.json has', async () => {
    const script = (await ask(`${server.url}/docs/static/swagger-initializer.js`)).text
    assert.match(script, /validatorUrl: null/)
    const [shown, served] = await Promise.all([
      ask(`${server.url}/docs/json`),
      ask(`${server.url}/openapi.json`),
    ])
    assert.deepEqual(shown.json(), served.json())
  })
})

describe('GET /healthz', () => {
  test('answers {"status":"ok"} without a key, for GET and HEAD', async () => {
    assert.deepEqual((await ask(`${server.url}/healthz`)).json(), { status: 'ok' })
    assert.equal((await ask(`${server.url}/healthz`, { method: 'HEAD' })).status, 200)
  })
})

describe('GET /readyz', () => {
  test('answers {"status":"ok"} while the data can be read, and 503 with Retry-After when it cannot', async () => {
    const broken = await startServer()
    try {
      assert.deepEqual((await ask(`${broken.url}/readyz`)).json(), { status: 'ok' })
      const database = new DatabaseSync(path.join(broken.data, 'pugmark.db'))
      database.exec('ALTER TABLE site RENAME TO elsewhere')
      database.close()
      const answer = await ask(`${broken.url}/readyz`)
      assert.deepEqual([answer.status, errorOf(answer).code], [503, 'OVERLOADED'])
      assert.match(answer.headers['retry-after']!, /^\d+$/)
      assert.doesNotMatch(answer.text, /sql|table/i)
      assert.equal((await ask(`${broken.url}/healthz`)).status, 200, 'the process lives')
    } finally {
      await broken.stop()
    }
  })
})
