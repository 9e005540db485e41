/** Loads the planned tables of the embedded engine and prints what each costs and what each roll-up gains over reading its events. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { type Chance, createChance, pagesOf } from './chance.ts'

const usage = `node bench/table-trial.ts [--shape 1000x20000]… [--batch 20] [--page-size 4096]
  --shape      sites x events of each; may be repeated (default 20x100000 and 1000x4000)
  --batch      events of one site that arrive together (default: a tenth of its day, 20 to 1000)
  --page-size  bytes of a database page`

const days = 180
const dayMs = 86_400_000
const firstDay = Date.UTC(2026, 5, 1) / dayMs
/** Events of a group commit: about what four connections with batches of 1,000 leave waiting. */
const commitEvents = 4_000

/** The key columns of a roll-up, and the sums that it keeps. */
const rollUps = {
  by_day: {
    key: ['site', 'day', 'subject', 'status', 'verdict', 'robots'],
    sums: ['count', 'value', 'value_rest', 'bytes', 'duration_ms'],
  },
  by_hour: { key: ['site', 'hour', 'type', 'verdict'], sums: ['count'] },
  by_country: { key: ['site', 'day', 'country', 'subject'], sums: ['count', 'value', 'value_rest'] },
  by_page: {
    key: ['site', 'day', 'path'],
    sums: [
      'bots',
      'clicks',
      'conversions',
      'value',
      'value_rest',
      'errors',
      'spoofed',
      'violations',
      'bytes',
    ],
  },
  load_by_day: { key: ['site', 'day', 'source', 'kind'], sums: ['requests', 'bytes', 'duration_ms'] },
} as const
type RollUp = keyof typeof rollUps

const eventColumns = `site at id type subject path country value value_rest bytes duration_ms origin judgement
  client seen_by`.split(/\s+/)
const nullable = ['country', 'value', 'value_rest', 'bytes', 'duration_ms', 'client']

const schema = `
create table subject(id integer primary key, site integer not null, type integer not null, name text not null, company text not null) strict;
create unique index subject_name on subject(site, type, name, company);
create table path(id integer primary key, site integer not null, text text not null) strict;
create unique index path_text on path(site, text);
create table agent(id integer primary key, site integer not null, text text not null) strict;
create unique index agent_text on agent(site, text);
create table origin(id integer primary key, site integer not null, source integer not null, import integer, agent integer,
  referrer_host text, rule text not null, catalogue text not null, assistant text, landing integer) strict;
create unique index origin_facts on origin(site, source, agent, referrer_host, rule, landing);
create table judgement(id integer primary key, status integer, verdict integer not null, reason integer, evidence integer, robots integer) strict;
create unique index judgement_facts on judgement(status, verdict, reason, evidence, robots);
create table batch(site integer not null, first_id integer not null, last_id integer not null, min_at integer not null,
  max_at integer not null, import integer, primary key(site, first_id)) strict, without rowid;
create table event(${eventColumns.map(c => `${c} integer${nullable.includes(c) ? '' : ' not null'}`).join(', ')},
  primary key(site, at, id)) strict, without rowid;
create index click on event(site, at, id) where type = 1;
create index conversion on event(site, at, id) where type = 2;
${Object.entries(rollUps)
  .map(
    ([name, { key, sums }]) =>
      `create table ${name}(${[...key, ...sums].map(c => `${c} integer not null`).join(', ')}, primary key(${key})) strict, without rowid;`,
  )
  .join('\n')}`

/** A question in words, asked of a roll-up and of the events that it adds up. `:from` and `:to` are days, both inclusive. */
interface Question {
  readonly about: string
  readonly days: number
  readonly rollUp: RollUp | null
  readonly fast: string
  readonly events: string | null
}

const ofDays = 'site = :site and day between :from and :to'
const ofTimes = `site = :site and at >= :from * ${dayMs} and at < (:to + 1) * ${dayMs}`
const bySubject = 'subject, sum(count), sum(value), sum(value_rest)'
const eventsBySubject = 'subject, count(*), sum(value), sum(value_rest)'
const listColumns = `e.id, e.at, s.type, s.name, s.company, p.text, e.country, e.value
  from event e join subject s on s.id = e.subject join path p on p.id = e.path`
const newest = 'order by e.at desc, e.id desc limit 100'
const listTimes = ofTimes.replaceAll('site =', 'e.site =').replaceAll('at ', 'e.at ')

const questions: readonly Question[] = [30, 90].flatMap((days): Question[] => [
  {
    about: 'stats',
    days,
    rollUp: 'by_day',
    fast: `select ${bySubject} from by_day where ${ofDays} group by subject`,
    events: `select ${eventsBySubject} from event where ${ofTimes} group by subject`,
  },
  {
    about: 'series by day and subject',
    days,
    rollUp: 'by_day',
    fast: `select day, ${bySubject} from by_day where ${ofDays} group by day, subject`,
    events: `select at / ${dayMs} d, ${eventsBySubject} from event where ${ofTimes} group by d, subject`,
  },
  {
    about: 'series by hour and type',
    days,
    rollUp: 'by_hour',
    fast: 'select hour, type, sum(count) from by_hour where site = :site and hour >= :from * 24 and hour < (:to + 1) * 24 group by hour, type',
    events: `select at / 3600000 h, type, count(*) from event where ${ofTimes} group by h, type`,
  },
  {
    about: 'statuses by subject',
    days,
    rollUp: 'by_day',
    fast: `select subject, status, sum(count) from by_day where ${ofDays} group by subject, status`,
    events: `select subject, j.status, count(*) from event e join judgement j on j.id = e.judgement where ${ofTimes} group by subject, j.status`,
  },
  {
    about: 'countries',
    days,
    rollUp: 'by_country',
    fast: `select country, sum(count) from by_country where ${ofDays} group by country`,
    events: `select country, count(*) from event where ${ofTimes} group by country`,
  },
  {
    about: 'countries of one bot',
    days,
    rollUp: 'by_country',
    fast: `select country, sum(count) from by_country where ${ofDays} and subject = (select min(id) from subject where site = :site) group by country`,
    events: `select country, count(*) from event where ${ofTimes} and subject = (select min(id) from subject where site = :site) group by country`,
  },
  {
    about: 'top pages',
    days,
    rollUp: 'by_page',
    fast: `select path, sum(bots) n from by_page where ${ofDays} group by path order by n desc limit 10`,
    events: `select path, sum(type = 0) n from event where ${ofTimes} group by path order by n desc limit 10`,
  },
  {
    about: 'pages of one bot (no roll-up)',
    days,
    rollUp: null,
    fast: `select path, count(*) n from event where ${ofTimes} and subject = (select min(id) from subject where site = :site) group by path order by n desc limit 10`,
    events: null,
  },
  {
    about: 'list 100, all',
    days,
    rollUp: null,
    fast: `select ${listColumns} where ${listTimes} ${newest}`,
    events: null,
  },
  {
    about: 'list 100, conversions',
    days,
    rollUp: null,
    fast: `select ${listColumns} where ${listTimes} and e.type = 2 ${newest}`,
    events: null,
  },
])

/** Statuses as bots meet them: most pages answer, and errors are of several kinds. */
const statuses = [200, 200, 200, 200, 200, 200, 200, 304, 404, 404, 403, 500, 503, 429, 410, 206]

/** One event of the trial in the order of `eventColumns`, and what the roll-ups need of it besides. */
interface TrialEvent {
  readonly row: (number | null)[]
  readonly status: number
  readonly verdict: number
  readonly robots: number
}

/** Ids of the names that a site has shown so far; rows are written when a name is met first. */
class Names {
  readonly #known = new Map<string, number>()
  readonly #insert: StatementSync
  constructor(insert: StatementSync) {
    this.#insert = insert
  }
  id(key: string, values: () => readonly (string | number | null)[]): number {
    let id = this.#known.get(key)
    if (id === undefined) {
      id = Number(this.#insert.run(...values()).lastInsertRowid)
      this.#known.set(key, id)
    }
    return id
  }
}

/** Makes events of sites as they come: bots most of all, some clicks, few conversions. */
function trialTraffic(db: DatabaseSync, eventsOfSite: number, chance: Chance) {
  const insert = (table: string, columns: string): StatementSync =>
    db.prepare(
      `insert into ${table}(${columns}) values(${columns
        .split(',')
        .map(() => '?')
        .join()})`,
    )
  const subjects = new Names(insert('subject', 'site,type,name,company'))
  const paths = new Names(insert('path', 'site,text'))
  const agents = new Names(insert('agent', 'site,text'))
  const origins = new Names(insert('origin', 'site,source,agent,referrer_host,rule,catalogue'))
  const judgements = new Names(insert('judgement', 'status,verdict,reason,evidence,robots'))
  const pages = pagesOf(eventsOfSite)
  const common = Math.ceil(pages / 8)
  // Browsers that come from assistants differ in their versions; most crawlers do not, and some look like browsers.
  const browsers = Math.max(50, Math.round(eventsOfSite ** 0.6))

  return (site: number, at: number, id: number): TrialEvent => {
    const kind = chance.share()
    const type = kind < 0.85 ? 0 : kind < 0.98 ? 1 : 2
    const name = chance.zipf([50, 15, 5][type]!)
    const page = chance.share() < 0.8 ? chance.zipf(common) : common + chance.upTo(pages - common)
    const agent = type === 0 ? (name % 10 === 9 ? chance.zipf(40) : chance.zipf(3)) : chance.zipf(browsers)
    const subject = subjects.id(`${site} ${type} ${name}`, () => [
      site,
      type,
      `${['Crawler', 'Assistant', 'goal'][type]}-${name}`,
      type === 0 ? `Company ${name % 20}` : '',
    ])
    const path = paths.id(`${site} ${page}`, () => [site, `/articles/2026/a-title-of-some-words-${page}/`])
    const agentId = agents.id(`${site} ${type === 0 ? name : 'browser'} ${agent}`, () => [
      site,
      type === 0
        ? `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Crawler-${name}/1.${agent}; +https://crawler-${name}.example/bot)`
        : `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1${agent}.0.0.0 Safari/537.36`,
    ])
    const origin = origins.id(`${subject} ${agentId}`, () => [
      site,
      1,
      agentId,
      type === 1 ? `assistant-${name}.example` : null,
      type === 0 ? `token:Crawler-${name}` : `host:assistant-${name}.example`,
      '2026-11-01',
    ])
    const status = type === 0 ? statuses[chance.zipf(16)]! : 200
    const verdict = type !== 0 || name % 3 === 0 ? 3 : chance.share() < 0.05 ? 2 : name % 3 === 1 ? 0 : 1
    const robots = type === 0 ? (page % 9 === 8 ? 1 : 0) : 2
    const judgement = judgements.id(`${status} ${verdict} ${robots}`, () => [
      status,
      verdict,
      verdict,
      verdict < 2 ? 17 : null,
      robots,
    ])
    const value = type === 2 ? chance.upTo(500) : null
    const row = [
      site,
      at,
      id,
      type,
      subject,
      path,
      type === 0 ? (chance.share() < 0.8 ? 0 : chance.zipf(6)) : chance.zipf(60),
      value,
      value === null ? null : chance.upTo(100) * 10_000_000,
      status === 200 ? 2000 + ((page * 37) % 90_000) : 300,
      10 + chance.zipf(900),
      origin,
      judgement,
      chance.upTo(65_536),
      1,
    ]
    return { row, status, verdict, robots }
  }
}

/** Sums of the events of one commit, one map a roll-up, keyed by the joined key columns. */
function sumUp(events: readonly TrialEvent[]): Record<RollUp, Map<string, number[]>> {
  const sums = Object.fromEntries(Object.keys(rollUps).map(name => [name, new Map()])) as Record<
    RollUp,
    Map<string, number[]>
  >
  const add = (rollUp: RollUp, key: readonly number[], values: readonly number[]): void => {
    const text = key.join()
    const known = sums[rollUp].get(text)
    if (known === undefined) sums[rollUp].set(text, [...key, ...values])
    else for (let i = 0; i < values.length; i++) known[key.length + i]! += values[i]!
  }
  for (const { row, status, verdict, robots } of events) {
    const [site, at, , type, subject, path, country, value, rest, bytes, duration] = row as number[]
    const day = Math.floor(at! / dayMs)
    const money = [value ?? 0, rest ?? 0]
    add('by_day', [site!, day, subject!, status, verdict, robots], [1, ...money, bytes!, duration!])
    add('by_hour', [site!, Math.floor(at! / 3_600_000), type!, verdict], [1])
    add('by_country', [site!, day, country!, subject!], [1, ...money])
    const of = (n: number): number => Number(type === n)
    const marks = [Number(status >= 400), Number(verdict === 2), Number(robots === 1)]
    add('by_page', [site!, day, path!], [of(0), of(1), of(2), ...money, ...marks, bytes!])
    // What is not counted comes beside the events: a kind of it with each.
    add('load_by_day', [site!, day, 1, subject! % 5], [3, bytes! * 3, duration! * 3])
  }
  return sums
}

interface Load {
  readonly seconds: number
  readonly microsecondsOfTable: ReadonlyMap<string, number>
}

/** Fills the tables in the order of time, all sites mixed, many batches a commit. */
function load(db: DatabaseSync, sites: number, eventsOfSite: number, batch: number): Load {
  const chance = createChance(42)
  const next = trialTraffic(db, eventsOfSite, chance)
  const insertEvent = db.prepare(`insert into event values(${eventColumns.map(() => '?').join()})`)
  const insertBatch = db.prepare('insert into batch values(?, ?, ?, ?, ?, null)')
  const upserts = Object.entries(rollUps).map(([name, { key, sums }]) => ({
    name: name as RollUp,
    statement: db.prepare(
      `insert into ${name} values(${[...key, ...sums].map(() => '?').join()})
       on conflict do update set ${sums.map(c => `${c} = ${c} + excluded.${c}`).join()}`,
    ),
  }))
  const spent = new Map<string, number>()
  const timed = (table: string, work: () => void): void => {
    const start = performance.now()
    work()
    spent.set(table, (spent.get(table) ?? 0) + (performance.now() - start) * 1000)
  }
  const batches = Math.ceil((sites * eventsOfSite) / batch)
  const started = performance.now()
  let id = 0
  let waiting: TrialEvent[] = []
  db.exec('begin immediate')
  for (let done = 0; done < batches; done++) {
    // Each site comes once a round, at a place of its own, so that all end with as many events.
    const site = 1 + ((done * 7_919) % sites)
    const from = firstDay * dayMs + Math.floor((done / batches) * days * dayMs)
    const firstId = id + 1
    const times = Array.from({ length: batch }, () => from + chance.upTo(3_600_000)).sort((a, b) => a - b)
    timed('names', () => {
      for (const at of times) waiting.push(next(site, at, ++id))
    })
    timed('batch', () => insertBatch.run(site, firstId, id, times[0]!, times.at(-1)!))
    if (waiting.length < commitEvents && done < batches - 1) continue
    timed('event', () => {
      for (const { row } of waiting) insertEvent.run(...row)
    })
    let sums = {} as ReturnType<typeof sumUp>
    timed('summing', () => {
      sums = sumUp(waiting)
    })
    for (const { name, statement } of upserts)
      timed(name, () => {
        for (const row of sums[name].values()) statement.run(...row)
      })
    timed('commit', () => db.exec('commit'))
    db.exec('begin immediate')
    waiting = []
  }
  db.exec('commit')
  db.exec('pragma wal_checkpoint(truncate)')
  return { seconds: (performance.now() - started) / 1000, microsecondsOfTable: spent }
}

/** Median milliseconds over sites asked one after another, each with ranges of its own, for at most `patienceMs`. */
function ask(db: DatabaseSync, sql: string, sites: number, length: number, patienceMs: number) {
  const chance = createChance(7)
  const statement = db.prepare(sql)
  const times: number[] = []
  let rows = 0
  const until = performance.now() + patienceMs
  while (times.length < 200 && (times.length < 3 || performance.now() < until)) {
    const from = firstDay + chance.upTo(days - length + 1)
    const site = 1 + chance.upTo(sites)
    const start = performance.now()
    const found = statement.all({ site, from, to: from + length - 1 }).length
    times.push(performance.now() - start)
    rows += found
  }
  times.sort((a, b) => a - b)
  return { median: times[times.length >> 1]!, rows: rows / times.length }
}

const shown = (n: number): string => (n >= 100 ? n.toFixed(0) : n >= 1 ? n.toFixed(2) : n.toFixed(3))

function printTables(db: DatabaseSync, events: number, { microsecondsOfTable }: Load): void {
  console.log('\ntable or index            rows/event  bytes/event  µs/event to write')
  const sizes = db
    .prepare('select name, sum(pgsize) bytes from dbstat group by name order by bytes desc')
    .all() as {
    name: string
    bytes: number
  }[]
  const isTable = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?")
  for (const { name, bytes } of sizes) {
    const rows =
      isTable.get(name) && !name.startsWith('sqlite_')
        ? shown((db.prepare(`select count(*) n from ${name}`).get() as { n: number }).n / events)
        : ''
    const cost = microsecondsOfTable.get(name)
    console.log(
      `${name.padEnd(26)}${rows.padStart(10)}${shown(bytes / events).padStart(13)}${(cost === undefined ? '' : shown(cost / events)).padStart(19)}`,
    )
  }
  const others = ['names', 'summing', 'commit'].map(
    part => `${part} ${shown(microsecondsOfTable.get(part)! / events)}`,
  )
  console.log(`besides, µs/event: ${others.join(', ')} (names: making events and inserting names)`)
}

function printQuestions(db: DatabaseSync, sites: number): void {
  console.log(
    '\nquestion                          days   ms from table            ms from events  factor  rows',
  )
  const worst = new Map<RollUp, number>()
  for (const { about, days: length, rollUp, fast, events } of questions) {
    const quick = ask(db, fast, sites, length, 2_000)
    const slow = events === null ? null : ask(db, events, sites, length, 2_000)
    const factor = slow === null ? null : slow.median / quick.median
    if (rollUp !== null && factor !== null) worst.set(rollUp, Math.min(worst.get(rollUp) ?? Infinity, factor))
    console.log(
      [
        about.padEnd(33),
        String(length).padStart(4),
        shown(quick.median).padStart(9),
        (rollUp ?? 'event').padEnd(15),
        slow === null ? ''.padStart(9) : shown(slow.median).padStart(9),
        factor === null ? ''.padStart(13) : factor.toFixed(1).padStart(13),
        quick.rows.toFixed(0).padStart(6),
      ].join(' '),
    )
  }
  for (const [rollUp, factor] of worst)
    console.log(
      `${rollUp}: at least ${factor.toFixed(1)} times faster than its events: ${factor >= 3 ? 'build it' : 'not in every question'}`,
    )
}

function trial(shape: string, batchOption: number | null, pageSize: number): void {
  const [sites, eventsOfSite] = shape.split('x').map(Number) as [number, number]
  const events = sites * eventsOfSite
  const batch = batchOption ?? Math.min(1000, Math.max(20, Math.round(eventsOfSite / days / 10)))
  const folder = mkdtempSync(join(tmpdir(), 'table-trial-'))
  try {
    const file = join(folder, 'trial.db')
    const db = new DatabaseSync(file)
    db.exec(`pragma page_size = ${pageSize}; pragma auto_vacuum = incremental; pragma secure_delete = on;
      pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536;
      pragma wal_autocheckpoint = 8000; ${schema}`)
    const loaded = load(db, sites, eventsOfSite, batch)
    console.log(
      `\n== ${sites} sites x ${eventsOfSite} events over ${days} days, ${batch} of a site at a time, pages of ${pageSize} bytes`,
    )
    console.log(
      `${Math.round(events / loaded.seconds)} events/s on one thread, ${shown(statSync(file).size / events)} bytes/event in all`,
    )
    printTables(db, events, loaded)
    printQuestions(db, sites)
    db.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const { values: options } = parseArgs({
  options: {
    shape: { type: 'string', multiple: true, default: ['20x100000', '1000x4000'] },
    batch: { type: 'string' },
    'page-size': { type: 'string', default: '4096' },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) console.log(usage)
else
  for (const shape of options.shape)
    trial(shape, options.batch === undefined ? null : Number(options.batch), Number(options['page-size']))
