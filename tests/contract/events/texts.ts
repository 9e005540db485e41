/** Promises about texts and provenance: nothing is folded, cut or mixed up, and `find` tells all that explains an event. */
import assert from 'node:assert/strict'
import { type NewEvent, namedBySender, notJudged, type Provenance } from '../../../src/domain/event.ts'
import type { Suite } from '../engine.ts'
import { assertRollUpsEqualList } from '../event-model.ts'
import {
  asRecorded,
  botEvent,
  conversionEvent,
  dayRange,
  everyDay,
  listAll,
  noon,
  record,
  referralEvent,
  someJudgement,
  someProvenance,
  withoutId,
} from '../sample-events.ts'

const paths = [
  '/',
  '/größe/日本語/🦊/العربية',
  '/e\u0301 and /\u00e9 differ',
  '/ends with a space ',
  '/quote\'s "and" \\ backslash; DROP TABLE event; --',
  '/line\nbreak\tand tab',
  '/%00%F0%9F%A6%8A',
  `/${'x'.repeat(2047)}`,
  `/${'\u{1F98A}'.repeat(1023)}y`,
]

export function textPromises(suite: Suite): void {
  const { promise, newNumber } = suite

  promise('paths of any characters, up to 2048 long, come back as they were', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const recorded = paths.map((path, i) => botEvent({ path, createdAt: noon - i }))
    await record(events, site, recorded)
    assert.deepEqual((await listAll(events, site)).map(withoutId), recorded.map(asRecorded))
    const long = recorded.filter(({ path }) => path.length === 2048)
    assert.equal(long.length, 2)
  })

  promise('names that differ only in case, spaces, accents or composition are different names', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const names = [
      'GPTBot',
      'gptbot',
      'GPTBot ',
      'GPTBöt',
      'GPTBo\u0308t',
      ' GPTBot',
      'ＧＰＴＢｏｔ',
      'GPTBot\u200b',
    ]
    for (const name of names) await record(events, site, [conversionEvent({ name, value: 1 })])
    const { conversion } = await events.counts(site, everyDay)
    assert.deepEqual(conversion.map(({ name }) => name).sort(), names.sort())
    assert.ok(conversion.every(({ count, value }) => count === 1 && value === 1))
  })

  promise('a text that is no valid Unicode comes back with U+FFFD where it is not', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const broken = ['\ud800x', '\udc00x', '\ufffdx']
    await record(
      events,
      site,
      broken.map(text => botEvent({ name: text, company: text, path: `/${text}` })),
    )
    const listed = await listAll(events, site)
    assert.equal(listed.length, 3)
    assert.ok(listed.every(({ name, path }) => name === '\ufffdx' && path === '/\ufffdx'))
    assert.deepEqual((await events.counts(site, everyDay)).bot, [
      { name: '\ufffdx', company: '\ufffdx', count: 3, value: 0 },
    ])
  })

  promise('one name in three types is three names', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const recorded = [botEvent, referralEvent, conversionEvent].map(make => make({ name: 'Same' }))
    await record(events, site, recorded)
    const counts = await events.counts(site, everyDay)
    assert.deepEqual(
      [counts.bot, counts.referral, counts.conversion].map(names => names.map(({ count }) => count)),
      [[1], [1], [1]],
    )
  })

  promise('name and company are told apart wherever the border between them lies', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const recorded = [
      botEvent({ name: 'a\nb', company: 'c' }),
      botEvent({ name: 'a', company: 'b\nc', createdAt: noon - 1 }),
      botEvent({ name: 'ab', company: 'c', createdAt: noon - 2 }),
      botEvent({ name: 'abc', company: '', createdAt: noon - 3 }),
    ]
    for (const event of recorded) await record(events, site, [event])
    assert.deepEqual((await listAll(events, site)).map(withoutId), recorded.map(asRecorded))
    const { bot } = await events.counts(site, everyDay)
    assert.deepEqual(
      bot.map(({ name, company }) => [name, company]).sort(),
      recorded.map(({ name, company }) => [name, company]).sort(),
    )
  })

  promise(
    'a bot that was reported with two companies is one name, and each event keeps its own',
    async () => {
      const { events } = suite.engine.stores
      const site = newNumber()
      const recorded = ['OpenAI', 'Open AI', 'OpenAI'].map((company, i) =>
        botEvent({ company, createdAt: noon - i }),
      )
      for (const event of recorded) await record(events, site, [event])
      const { bot } = await events.counts(site, dayRange(noon))
      assert.equal(bot.length, 1)
      assert.equal(bot[0]!.count, 3)
      assert.ok(['OpenAI', 'Open AI'].includes(bot[0]!.company))
      assert.deepEqual((await listAll(events, site)).map(withoutId), recorded.map(asRecorded))
    },
  )

  promise('find gives one event with all that explains it', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const explained: Provenance[] = [
      someProvenance,
      namedBySender,
      { ...namedBySender, source: 'import', userAgent: '' },
      { ...someProvenance, referrerHost: 'chatgpt.com', rule: 'referrer:chatgpt.com', source: 'import' },
      { ...someProvenance, catalogueVersion: '2026-07-01' },
      { ...namedBySender, assistant: 'ChatGPT', landing: '/pricing' },
      { ...namedBySender, assistant: 'ChatGPT' },
      { ...namedBySender, assistant: 'Claude', landing: '/pricing' },
      { ...someProvenance, userAgent: 'ü'.repeat(1000) },
    ]
    const recorded: NewEvent[] = explained.flatMap((provenance, i) => [
      botEvent({ provenance, createdAt: noon - i, judgement: notJudged, status: 400 + i, bytes: i * 1_000 }),
      conversionEvent({
        provenance,
        createdAt: noon - i,
        judgement: { ...someJudgement, reason: i + 1 },
        value: i,
      }),
    ])
    await record(events, site, recorded)
    const found: NewEvent[] = []
    for (const position of await listAll(events, site)) {
      const event = await events.find(site, position)
      const { id: _, seenBy, ...recorded } = event!
      assert.deepEqual(withoutId(position), asRecorded(recorded))
      assert.deepEqual(seenBy, [recorded.provenance.source])
      found.push(recorded)
    }
    const byTypeAndTime = (a: NewEvent, b: NewEvent): number =>
      a.type.localeCompare(b.type) || b.createdAt - a.createdAt
    assert.deepEqual(found.sort(byTypeAndTime), recorded.sort(byTypeAndTime))
  })

  promise('one text in different fields of a provenance explains different things', async () => {
    const { events } = suite.engine.stores
    const site = newNumber()
    const nothing: Provenance = { ...namedBySender, source: 'hits' }
    const fields = ['userAgent', 'referrerHost', 'rule', 'catalogueVersion', 'assistant', 'landing'] as const
    const explained = ['x', '1 x', '- '].flatMap(text => fields.map(field => ({ ...nothing, [field]: text })))
    const recorded = [
      ...explained,
      ...fields.map((field, i) => ({ ...nothing, [field]: 'x', [fields.at(i - 1)!]: 'x' })),
    ]
    await record(
      events,
      site,
      recorded.map((provenance, i) => botEvent({ provenance, createdAt: noon - i })),
    )
    const found = await Promise.all((await listAll(events, site)).map(event => events.find(site, event)))
    assert.deepEqual(
      found.map(event => event?.provenance),
      recorded,
    )
  })

  promise('find gives null for another id, another time and another site', async () => {
    const { events } = suite.engine.stores
    const [site, other] = [newNumber(), newNumber()]
    await record(events, site, [botEvent(), referralEvent()])
    await record(events, other, [botEvent()])
    const [position] = await listAll(events, site)
    const { createdAt, id } = position!
    assert.ok(await events.find(site, { createdAt, id }))
    for (const absent of [
      { createdAt, id: id + 1_000_000 },
      { createdAt: createdAt + 1, id },
      { createdAt: createdAt - 1, id },
      { createdAt: 0, id: 0 },
      { createdAt, id: Number.MAX_SAFE_INTEGER },
    ]) {
      assert.equal(await events.find(site, absent), null)
    }
    assert.equal(await events.find(other, { createdAt, id }), null)
    await assertRollUpsEqualList(events, site)
  })
}
