/** Nothing in the repository is unused: every file and every dependency has someone who needs it. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, test } from 'node:test'
import { filesUnder, packagesOf, projectFiles, reachableFrom, read } from './source-tree.ts'

const isTest = (file: string) => file.endsWith('.test.ts')
const tests = projectFiles.filter(isTest)
const launchers = projectFiles.filter(file => /^(bin|scripts)\//.test(file))
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts

describe('every file is needed:', () => {
  test('each source file by src/main.ts', () => {
    const used = reachableFrom(['src/main.ts'])
    const sources = filesUnder('src', '').filter(file => !isTest(file))
    assert.deepEqual(
      sources.filter(file => !used.has(file)),
      [],
    )
  })

  test('each support file of the tests by a test', () => {
    const used = reachableFrom(tests)
    const support = filesUnder('tests', '.ts').filter(file => !isTest(file))
    assert.deepEqual(
      support.filter(file => !used.has(file)),
      [],
    )
  })

  test('each data file of the tests by a test that names it', () => {
    const code = [...reachableFrom(tests)].filter(file => file.endsWith('.ts')).map(read)
    const names = filesUnder('tests/data', '').map(file => path.basename(file))
    assert.deepEqual(
      names.filter(name => !code.some(text => text.includes(name))),
      [],
    )
  })

  test('each launcher and script by a command of package.json or by another one', () => {
    const { bin } = JSON.parse(read('package.json')) as { bin: Record<string, string> }
    const named = launchers.filter(file => Object.values(scripts).some(script => script.includes(file)))
    const used = reachableFrom([...named, ...Object.values(bin)])
    assert.deepEqual(
      launchers.filter(file => !used.has(file)),
      [],
    )
  })

  test('each page of docs by a link that leads there from README.md', () => {
    const reached = new Set(['README.md'])
    for (const page of reached) for (const link of linksOf(page)) reached.add(link)
    assert.deepEqual(
      filesUnder('docs', '').filter(file => !reached.has(file)),
      [],
    )
  })
})

/** Project files that a Markdown page links to, pictures included; a link to a folder stands for all that is in it. */
function linksOf(page: string): string[] {
  if (!page.endsWith('.md')) return []
  const targets = read(page).matchAll(/\]\(([^)#\s]+)/g)
  const places = Array.from(targets, ([, target]) => path.posix.join(path.posix.dirname(page), target!))
  return projectFiles.filter(file => places.some(place => file === place || file.startsWith(`${place}/`)))
}

test('every source file and test opens with a sentence that says what it is for', () => {
  const code = [...filesUnder('src', '.ts'), ...filesUnder('tests', '.ts'), ...launchers]
  assert.deepEqual(
    code.filter(file => !/^(#!.*\n)?\/\*\* ?\S|^(#!.*\n)?\/\*\*\n \* \S/.test(read(file))),
    [],
  )
})

describe('every dependency is needed:', () => {
  const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
  const sources = filesUnder('src', '.ts').filter(file => !isTest(file))
  /** Run by name rather than imported, or types of something that is. */
  const tools = ['node', 'typescript', '@biomejs/biome', '@types/node']

  test('dependencies are what src names, and the pinned Node', () => {
    const text = sources.map(read).join('\n')
    const named = Object.keys(manifest.dependencies!).filter(name =>
      new RegExp(`['"]${name}['"/]`).test(text),
    )
    assert.deepEqual([...named, 'node'].sort(), Object.keys(manifest.dependencies!).sort())
  })

  test('src imports nothing that is only a development dependency, or not declared at all', () => {
    const imported = new Set(sources.flatMap(packagesOf))
    assert.deepEqual(
      [...imported].filter(name => !name.startsWith('node:') && !(name in manifest.dependencies!)),
      [],
    )
  })

  test('development dependencies are tools, or imported by tests and benchmarks', () => {
    const workshop = ['tests', 'bench', 'scripts'].flatMap(folder => filesUnder(folder, '.ts', '.cjs'))
    const imported = new Set([...tests, ...workshop, ...sources].flatMap(packagesOf))
    const unused = Object.keys(manifest.devDependencies!).filter(
      name => !tools.includes(name) && !imported.has(name.replace(/^@types\//, '')),
    )
    assert.deepEqual(unused, [])
  })

  test('versions are exact, and the lock file names no registry', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
    assert.deepEqual(
      versions.filter(version => !/^\d+\.\d+\.\d+$/.test(version)),
      [],
    )
    assert.doesNotMatch(read('package-lock.json'), /"resolved": "https?:/)
  })
})
