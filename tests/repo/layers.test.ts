/** Holds the import directions of docs/architecture.md: knowledge flows one way, and technology stays at the edges. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, test } from 'node:test'
import { filesUnder, packagesOf, read, referencesOf } from './source-tree.ts'

const subject = ['domain', 'detection', 'storage']
const core = [...subject, 'accounts', 'ingest', 'reports']

/** What each room of src/ may import besides itself. The engines of storage are rooms of their own. */
const mayImport: Record<string, readonly string[]> = {
  domain: [],
  detection: ['domain'],
  storage: ['domain'],
  'storage/sqlite': ['domain', 'storage'],
  accounts: subject,
  ingest: [...subject, 'accounts'],
  reports: [...subject, 'accounts'],
  http: core,
  cli: [...core, 'server'],
  server: [...core, 'storage/sqlite', 'http'],
  main: ['domain', 'cli', 'server'],
}

/** Packages and Node modules that only some rooms may know. */
const edges: Record<string, readonly string[]> = {
  fastify: ['http', 'server'],
  commander: ['cli'],
  'cli-progress': ['cli'],
  'node:sqlite': ['storage/sqlite'],
  'node:worker_threads': ['storage/sqlite', 'ingest'],
}

/** Words and rules compute; they reach no files, no network and no process. */
const modulesOfDomain = ['node:crypto', 'node:zlib', 'typebox']

const sources = filesUnder('src', '.ts').filter(file => !file.endsWith('.test.ts'))

/** `src/storage/sqlite/x.ts` is in `storage/sqlite`, `src/ingest/logs/x.ts` in `ingest`, `src/main.ts` in `main`. */
function roomOf(file: string): string {
  const inside = file.slice('src/'.length).replace(/\.ts$/, '')
  return /^storage\/\w+(?=\/)/.exec(inside)?.[0] ?? inside.split('/')[0]!
}

describe('imports', () => {
  test('every room of src has its rule', () => {
    const rooms = [...new Set(sources.map(roomOf))]
    assert.deepEqual(
      rooms.filter(room => !(room in mayImport)),
      [],
    )
  })

  test('go one way: domain <- detection, storage <- accounts <- ingest, reports <- http, cli <- server, main', () => {
    const wrong = sources.flatMap(file =>
      referencesOf(file)
        .filter(target => !isAllowed(roomOf(file), target))
        .map(target => `${file} imports ${target}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('of frameworks and drivers stay in the rooms named after them', () => {
    const wrong = sources.flatMap(file =>
      packagesOf(file)
        .filter(name => edges[name] && !edges[name].includes(roomOf(file)))
        .map(name => `${file} imports ${name}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('never lead in a circle', () => {
    assert.deepEqual(cyclesAmong(sources), [])
  })

  test('only the choice of the engine imports an engine', () => {
    const wrong = sources.filter(
      file =>
        referencesOf(file).some(target => target.startsWith('src/storage/sqlite/')) &&
        !file.startsWith('src/storage/sqlite/'),
    )
    assert.deepEqual(wrong, ['src/server/engine.ts'])
  })

  test('of the domain reach no files, network or process', () => {
    const wrong = filesUnder('src/domain', '.ts')
      .filter(file => !file.endsWith('.test.ts'))
      .flatMap(file => packagesOf(file).map(name => ({ file, name })))
      .filter(({ name }) => !modulesOfDomain.includes(name))
    assert.deepEqual(wrong, [])
  })

  test('of trackers stay inside trackers, as they run in other people’s servers', () => {
    const files = filesUnder('trackers/src', '.js', '.ts')
    const wrong = files.flatMap(file => [
      ...referencesOf(file).filter(target => !target.startsWith('trackers/')),
      ...packagesOf(file).filter(name => !name.startsWith('node:')),
    ])
    assert.deepEqual(wrong, [])
  })
})

/** What a file loads before anything is done: its imports that are neither types nor made in the middle of the work. */
const loadedWith = (file: string): string[] =>
  Array.from(
    read(file).matchAll(/^(?:import|export|\}) (?!type\b)[^'\n]*'([^']+)'/gm),
    ([, specifier]) => specifier!,
  )

test('an import loads neither the server nor its schemas, which take longer than the import of a short log', () => {
  const loaded = new Set(['src/main.ts', 'src/cli/commands/import.ts'])
  const packages = new Set<string>()
  for (const file of loaded) {
    for (const specifier of loadedWith(file)) {
      if (!specifier.startsWith('.')) packages.add(specifier.split('/')[0]!)
      else if (specifier.endsWith('.ts')) loaded.add(path.join(path.dirname(file), specifier))
    }
  }
  assert.ok(loaded.has('src/ingest/import-log.ts') && packages.has('commander'))
  assert.deepEqual(
    ['typebox', 'fastify', 'better-auth'].filter(name => packages.has(name)),
    [],
  )
})

/** Declared at the left margin: what a file would keep from one call to the next. */
const keptState = /^(?:export )?(?:let |const \w+(?:: [^=]+)? = new (?:Map|Set|WeakMap)(?:<[^(]*>)?\(\))/m

test('no file of src keeps state of its own: whoever needs a memory owns it', () => {
  assert.deepEqual(
    // main.ts is the process itself, which is told once to stop.
    sources.filter(file => file !== 'src/main.ts' && keptState.test(read(file))),
    [],
  )
})

describe('the dashboard', () => {
  const files = filesUnder('dashboard/src', '.ts', '.tsx')

  test('knows the server by its generated client alone', () => {
    const wrong = files.flatMap(file =>
      referencesOf(file)
        .filter(target => !target.startsWith('dashboard/'))
        .map(target => `${file} imports ${target}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('has parts that need each other in one direction only', () => {
    assert.deepEqual(cyclesAmong(files), [])
  })
})

/** Each circle of files that lead back to themselves, types included: none of them could be read, moved or tried alone. */
function cyclesAmong(files: readonly string[]): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start >= 0) cycles.push([...path.slice(start), file].join(' -> '))
    if (start >= 0 || done.has(file)) return
    for (const target of referencesOf(file)) if (files.includes(target)) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return cycles
}

/** Files outside src that the product reads as text: its version, and the snippet that it serves. */
const readAsText = ['package.json', 'trackers/browser/pugmark.min.js']

function isAllowed(room: string, target: string): boolean {
  if (!target.startsWith('src/')) return readAsText.includes(target)
  const targetRoom = roomOf(target)
  return targetRoom === room || (mayImport[room] ?? []).includes(targetRoom)
}

test('only src/server/config.ts and src/main.ts read the environment', () => {
  const readers = sources.filter(file => /process\.env|\benv\b[^}]*\} from 'node:process'/.test(read(file)))
  assert.deepEqual(
    readers.filter(file => file !== 'src/server/config.ts' && file !== 'src/main.ts'),
    [],
  )
})
