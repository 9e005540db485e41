/** The OpenAPI document is valid, complete, and true: real answers are what it says they are. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import Schema from 'typebox/schema'
import { type ErrorCode, errorCatalogue } from '../../src/domain/errors.ts'
import { drainKinds } from '../../src/domain/event.ts'
import { newApiKey } from '../../src/domain/ids.ts'
import { addAccount, addKeyTo } from '../support/accounts.ts'
import { type Answer, ask, type Question } from '../support/ask.ts'
import { startServer } from '../support/server.ts'
import { SiteClient } from '../support/site-client.ts'

interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, { readonly schema: { readonly type: string } }>>
  readonly content?: { readonly 'application/json': { readonly schema: object } }
}
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly description?: string
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly security?: readonly object[]
  readonly responses: Readonly<Record<string, Response>>
}
interface OpenApi {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const server = await startServer({ settings: { PUGMARK_PLAN_FREE_EVENTS_PER_MONTH: '0' } })
after(() => server.stop())
const published = (await ask(`${server.url}/openapi.json`)).json<OpenApi>()
/** With what its references stand for in their place. */
const document = resolved(published) as OpenApi

function resolved(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(resolved)
  if (typeof part !== 'object' || part === null) return part
  if ('$ref' in part) return resolved(targetOf(String(part.$ref)))
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolved(value)]))
}

function targetOf(reference: string): unknown {
  const place = reference.replace('#/', '').split('/')
  const target = place.reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], published)
  assert.ok(target, `${reference} leads nowhere`)
  return target
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const ofApi = operations.filter(({ path }) => path.startsWith('/api/v1'))
const named = (id: string): Operation =>
  operations.find(({ operation }) => operation.operationId === id)!.operation

describe('GET /openapi.json', () => {
  test('is a valid OpenAPI 3.1 document, served as JSON to anybody', async () => {
    const answer = await ask(`${server.url}/openapi.json`)
    assert.match(answer.headers['content-type']!, /^application\/json/)
    assert.match(document.openapi, /^3\.1\./)
    const { valid, errors } = await new Validator().validate(answer.json<Record<string, unknown>>())
    assert.deepEqual([valid, errors], [true, undefined])
  })

  test('has every operation of the specification, and those that Pugmark adds', () => {
    const shown = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    const expected = [
      'GET /api/v1/sites',
      'GET /api/v1/sites/{siteId}/attribution',
      'GET /api/v1/sites/{siteId}/breakdown',
      'GET /api/v1/sites/{siteId}/events',
      'GET /api/v1/sites/{siteId}/health',
      'GET /api/v1/sites/{siteId}/stats',
      'GET /api/v1/sites/{siteId}/timeseries',
      'GET /healthz',
      'GET /readyz',
      'POST /api/v1/sites/{siteId}/events',
      'POST /api/v1/sites/{siteId}/hits',
      ...drainKinds.map(kind => `POST /drains/${kind}/{siteId}`).sort(),
    ]
    assert.deepEqual(shown.sort(), expected)
  })

  test('says of every operation under /api/v1 what it is for, that it needs a key, and which parameters it takes', () => {
    for (const { path, operation } of ofApi) {
      assert.ok(operation.summary.length > 10 && operation.operationId)
      assert.deepEqual(operation.security, [{ apiKey: [] }])
      const parameters = operation.parameters ?? []
      assert.equal(
        parameters.some(({ name, in: place, required }) => name === 'siteId' && place === 'path' && required),
        path.includes('{siteId}'),
      )
      for (const { name, description } of parameters)
        if (name !== 'siteId') assert.ok(description, `${operation.operationId} ${name}`)
    }
    const names = (id: string) =>
      named(id)
        .parameters!.map(({ name }) => name)
        .sort()
    assert.deepEqual(names('getStats'), ['end', 'siteId', 'start'])
    assert.deepEqual(names('getTimeseries'), ['end', 'granularity', 'siteId', 'start'])
    assert.deepEqual(names('listEvents'), ['cursor', 'end', 'limit', 'siteId', 'start', 'type'])
    assert.deepEqual(names('recordEvents'), ['idempotency-key', 'siteId'])
    assert.deepEqual(names('recordHits'), ['idempotency-key', 'siteId'])
  })

  test('describes every response, and names the codes under their status', () => {
    for (const { operation } of ofApi) {
      for (const [status, { description }] of Object.entries(operation.responses)) {
        assert.doesNotMatch(description, /Default Response/)
        if (Number(status) < 400) continue
        for (const code of description.split(', '))
          assert.equal(errorCatalogue[code as ErrorCode].status, Number(status))
      }
    }
  })
})

describe('the document says by name', () => {
  const { schemas } = published.components
  const schemaIn = (content: Readonly<Record<string, { readonly schema: object }>> | undefined) =>
    content?.['application/json']?.schema

  test('what each operation takes and answers', () => {
    const named = Object.values(published.paths)
      .flatMap(methods => Object.values(methods))
      .filter(({ operationId }) => !operationId.startsWith('receive'))
      .flatMap(({ operationId, requestBody, responses }) => [
        [operationId, schemaIn(requestBody?.content)],
        ...Object.entries(responses)
          .filter(([status]) => status !== '304')
          .map(([status, { content }]) => [`${operationId} ${status}`, schemaIn(content)]),
      ])
      .filter(([, schema]) => schema !== undefined)
    const names = new Map(named.map(([place, schema]) => [place, (schema as { $ref?: string }).$ref]))
    for (const [place, reference] of names)
      assert.match(reference ?? '', /^#\/components\/schemas\/\w+$/, `${place}`)
    assert.equal(names.get('getStats 200'), '#/components/schemas/Stats')
    assert.equal(names.get('getStats 401'), '#/components/schemas/Error')
    assert.equal(names.get('recordEvents'), '#/components/schemas/SentEventBatch')
  })

  test('three kinds of events, which their type tells apart', () => {
    for (const prefix of ['', 'Sent']) {
      const of = (kind: string) => `#/components/schemas/${prefix}${kind}Event`
      assert.deepEqual(schemas[`${prefix}Event`], {
        oneOf: [{ $ref: of('Bot') }, { $ref: of('Referral') }, { $ref: of('Conversion') }],
        discriminator: {
          propertyName: 'type',
          mapping: { bot: of('Bot'), referral: of('Referral'), conversion: of('Conversion') },
        },
      })
    }
  })
})

describe('real answers are what the document says:', () => {
  /** Properties that no schema speaks of are mistakes here, though JSON Schema lets them pass. */
  function closed(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(closed)
    if (typeof schema !== 'object' || schema === null) return schema
    const inside = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
    const isOpen =
      inside.type === 'object' &&
      inside.additionalProperties === undefined &&
      inside.patternProperties === undefined
    return isOpen ? { ...inside, additionalProperties: false } : inside
  }

  /** Of those that a script in a browser may read. A replayed answer is the one that can have a header more. */
  function assertHeaders(operationId: string, { headers }: Response, answer: Answer): void {
    const exposed = answer.headers['access-control-expose-headers']!.split(', ')
    const sent = exposed.filter(name => answer.headers[name.toLowerCase()] !== undefined)
    const replayed = 'Idempotent-Replayed'
    const described = Object.keys(headers).filter(name => name !== replayed || sent.includes(replayed))
    assert.deepEqual(sent.sort(), described.sort(), `${operationId} ${answer.status}`)
    for (const name of sent.filter(name => headers[name]!.schema.type === 'integer'))
      assert.match(String(answer.headers[name.toLowerCase()]), /^\d+$/)
  }

  function assertDescribed(operationId: string, answer: Answer): void {
    const response = named(operationId).responses[answer.status]
    assert.ok(response, `${operationId} can answer ${answer.status}, and the document does not say so`)
    assertHeaders(operationId, response, answer)
    const described = response.content?.['application/json'].schema
    assert.equal(described === undefined, answer.status === 304, 'all but 304 have a body')
    if (described === undefined) return
    const schema = closed(described) as object
    const value = answer.json()
    assert.ok(
      Schema.Check(schema, value),
      `${operationId} ${answer.status}: ${answer.text.slice(0, 300)} ${JSON.stringify(Schema.Errors(schema, value)).slice(0, 500)}`,
    )
    if (answer.status < 400) return
    const { code } = answer.json<{ code: string }>()
    assert.ok(response.description.split(', ').includes(code), `${operationId} can answer ${code}`)
  }

  const reads = {
    getStats: 'stats',
    getTimeseries: 'timeseries',
    listEvents: 'events',
    getBreakdown: 'breakdown?dimension=page',
    getAttribution: 'attribution',
    getHealth: 'health',
  }
  const writes = { recordEvents: 'events', recordHits: 'hits' }

  test('reports of a site that has all kinds of events', async () => {
    const site = new SiteClient(server, await addAccount(server.data))
    await site.record([
      { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI', page_path: '/' },
      { type: 'referral', source: 'ChatGPT', page_path: '/' },
      { type: 'conversion', event_name: 'a', page_path: '/' },
      { type: 'conversion', event_name: 'b', event_value: 9.5, page_path: '/' },
      { type: 'conversion', event_name: 'b', page_path: '/', source: 'ChatGPT' },
      { type: 'conversion', event_name: 'b', page_path: '/', source: 'ChatGPT', landing_page: '/' },
    ])
    for (const [id, place] of Object.entries(reads)) {
      const answer = await site.ask(place)
      assertDescribed(id, answer)
      assertDescribed(id, await site.ask(place, { headers: { 'if-none-match': answer.headers.etag } }))
    }
    assertDescribed('listEvents', await site.ask('events?limit=1'))
    assertDescribed('getTimeseries', await site.ask('timeseries?granularity=hour'))
    for (const dimension of ['country', 'company', 'purpose', 'bot', 'source', 'event'])
      assertDescribed('getBreakdown', await site.ask(`breakdown?dimension=${dimension}`))
    assertDescribed('listSites', await ask(`${server.url}/api/v1/sites`, { key: site.key }))
    for (const _ of ['recorded', 'replayed'])
      assertDescribed('recordEvents', await site.post('events', [], { 'idempotency-key': 'once' }))
    assertDescribed(
      'recordHits',
      await site.post('hits', [
        { url: '/', user_agent: '' },
        { url: '/', user_agent: 'GPTBot/1.4' },
      ]),
    )
  })

  test('errors', async () => {
    const owner = await addAccount(server.data)
    const free = await addAccount(server.data, { plan: 'free' })
    const site = new SiteClient(server, owner)
    const { key: readOnly } = await addKeyTo(server.data, owner.email, ['read'])
    const { key: writeOnly } = await addKeyTo(server.data, owner.email, ['write'])
    const nowhere = new SiteClient(server, { key: owner.key, site: { id: '' } })
    const foreign = new SiteClient(server, { key: owner.key, site: free.site })
    for (const [id, place] of Object.entries(reads)) {
      const more = place.includes('?') ? '&' : '?'
      for (const question of [
        site.ask(place, { headers: { authorization: undefined } }),
        site.ask(place, { key: newApiKey() }),
        site.ask(place, { key: writeOnly }),
        site.ask(`${place}${more}start=x`),
        nowhere.ask(place),
        foreign.ask(place),
      ])
        assertDescribed(id, await question)
    }
    assertDescribed('getTimeseries', await site.ask('timeseries?granularity=week'))
    assertDescribed('listEvents', await site.ask('events?limit=0'))
    assertDescribed('getBreakdown', await site.ask('breakdown'))
    assertDescribed('getTimeseries', await new SiteClient(server, free).ask('timeseries?granularity=hour'))
    for (const [id, place] of Object.entries(writes)) {
      const refused: Question[] = [
        { body: '{' },
        { body: {} },
        { body: [], key: readOnly },
        { body: 'x', headers: { 'content-type': 'text/plain' } },
        { body: ' '.repeat(8 * 2 ** 20 + 1) },
        { body: [], headers: { 'idempotency-key': 'two words' } },
      ]
      for (const question of refused)
        assertDescribed(id, await site.ask(place, { method: 'POST', ...question }))
      for (const client of [nowhere, foreign])
        assertDescribed(id, await client.ask(place, { method: 'POST', body: [] }))
      await site.post('events', [], { 'idempotency-key': 'k' })
      assertDescribed(id, await site.post(place as 'events', [{}], { 'idempotency-key': 'k' }))
      assertDescribed(
        id,
        await site.ask(place, { method: 'POST', body: ' []', headers: { 'idempotency-key': 'k' } }),
      )
    }
    const visit = { type: 'referral', source: 'ChatGPT', page_path: '/' }
    assertDescribed('recordEvents', await new SiteClient(server, free).post('events', visit))
  })

  test('health', async () => {
    for (const place of ['/healthz', '/readyz']) {
      const answer = await ask(server.url + place)
      assert.equal(answer.status, 200)
      const { schema } = document.paths[place]!.get!.responses['200']!.content!['application/json']
      assert.ok(Schema.Check(closed(schema) as object, answer.json()))
    }
    assert.ok(document.paths['/readyz']!.get!.responses['503'], 'and /readyz says that it can fail')
  })
})

describe('real requests are what the document says:', () => {
  test('what the schema of a body takes is taken, and what it refuses is refused', async () => {
    const site = new SiteClient(server, await addAccount(server.data))
    const bodies: unknown[] = [
      { type: 'bot', bot_name: 'GPTBot', bot_company: 'OpenAI', page_path: '/' },
      [
        {
          type: 'referral',
          source: 'ChatGPT',
          page_path: '/',
          country: 'DE',
          created_at: '2026-01-31T09:30:00Z',
        },
      ],
      { events: [{ type: 'conversion', event_name: 'a', event_value: null, page_path: '/' }] },
      [],
      { type: 'conversion', event_name: 'a', page_path: '/', source: 'ChatGPT', landing_page: '/a' },
      { type: 'conversion', event_name: 'a', page_path: '/', source: null, landing_page: null },
      { type: 'conversion', event_name: 'a', page_path: '/', source: '' },
      { type: 'conversion', event_name: 'a', page_path: '/', source: 'x', landing_page: 'a' },
      { type: 'referral', source: 'x', page_path: '/', landing_page: '/' },
      { type: 'bot' },
      { type: 'referral', source: '', page_path: '/' },
      { type: 'referral', source: 'x', page_path: 'x' },
      { type: 'referral', source: 'x', page_path: '/', country: 'DEU' },
      { type: 'conversion', event_name: 'a', event_value: '1', page_path: '/' },
      { type: 'referral', source: 'x', page_path: '/', extra: 1 },
      'text',
      5,
    ]
    const { schema } = named('recordEvents').requestBody!.content['application/json']!
    for (const body of bodies) {
      const isTaken = (await site.post('events', JSON.stringify(body))).status === 201
      assert.equal(isTaken, Schema.Check(schema, body), JSON.stringify(body))
    }
  })

  test('both operations of recording take NDJSON too', () => {
    for (const id of ['recordEvents', 'recordHits'])
      assert.deepEqual(Object.keys(named(id).requestBody!.content), [
        'application/json',
        'application/x-ndjson',
      ])
    const lines = named('recordEvents').requestBody!.content['application/x-ndjson']!.schema
    assert.equal((lines as { type?: string }).type, 'string', 'which is text to a program')
  })
})
