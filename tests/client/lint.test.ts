/** The public OpenAPI document passes what `redocly lint` and `spectral lint` check by default, without errors or warnings. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startServer } from '../support/server.ts'
import { installTools } from './install-tools.ts'

await installTools()
const { createConfig, lintFromString } = await import('@redocly/openapi-core')
const { default: core } = await import('@stoplight/spectral-core')
const { default: rulesets } = await import('@stoplight/spectral-rulesets')

const server = await startServer()
after(() => server.stop())
const source = await (await fetch(`${server.url}/openapi.json`)).text()

async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer ?? 'the root'}: ${message}`,
  )
}

async function spectral(source: string): Promise<string[]> {
  const linter = new core.Spectral()
  linter.setRuleset(new core.Ruleset({ extends: [[rulesets.oas, 'recommended']] }))
  const problems = await linter.run(source)
  return problems.map(({ code, message, path }) => `${code} at ${path.join('/')}: ${message}`)
}

for (const [name, lint] of Object.entries({ redocly, spectral }))
  describe(`the rules of ${name}`, () => {
    test('are all kept', async () => {
      assert.deepEqual(await lint(source), [])
    })

    test('would tell of an example that its schema refuses', async () => {
      const document = JSON.parse(source)
      document.paths['/api/v1/sites'].get.responses[200].content['application/json'].example = { sites: 1 }
      assert.match((await lint(JSON.stringify(document))).join('\n'), /media-(type-)?example.*sites/s)
    })
  })
