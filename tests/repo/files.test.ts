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

  test('each data file of the tests by a test or benchmark that names it', () => {
    const users = [...reachableFrom(tests), ...filesUnder('bench', '.ts')]
    const code = users.filter(file => file.endsWith('.ts')).map(read)
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
  const inFolders = (...folders: string[]) =>
    projectFiles.filter(file => folders.some(folder => file.startsWith(`${folder}/`)))
  /** What runs for a user: the program, the dashboard, and what sets them up. */
  const product = inFolders('src', 'dashboard', 'bin', 'scripts').filter(file => !isTest(file))
  const workshop = [...inFolders('tests', 'bench'), ...tests]
  /** Run by name, or asked for by another package, rather than imported. */
  const tools = ['node', 'typescript', '@biomejs/biome', '@types/node']

  test('dependencies by the product', () => {
    assert.deepEqual(unnamed(manifest.dependencies!, product), [])
  })

  test('development dependencies by tests and benchmarks, or by the types of the product', () => {
    assert.deepEqual(unnamed(manifest.devDependencies!, [...workshop, ...product]), [])
  })

  /** A name counts wherever it stands in quotes, as data files of a package are looked up by name too. */
  function unnamed(dependencies: Record<string, string>, files: readonly string[]): string[] {
    const text = files.filter(file => /\.(?:[cm]?[jt]sx?|css|html)$/.test(file)).map(read)
    return Object.keys(dependencies).filter(name => {
      const quoted = new RegExp(`['"]${name.replace(/^@types\//, '')}['"/]`)
      return !tools.includes(name) && !text.some(code => quoted.test(code))
    })
  }

  test('and src imports only what serving installs', () => {
    const imported = new Set(
      filesUnder('src', '.ts')
        .filter(file => !isTest(file))
        .flatMap(packagesOf),
    )
    assert.deepEqual(
      [...imported].filter(name => !name.startsWith('node:') && !(name in manifest.dependencies!)),
      [],
    )
  })

  test('versions are exact', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
    assert.deepEqual(
      versions.filter(version => !/^\d+\.\d+\.\d+$/.test(version)),
      [],
    )
  })
})

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

for (const file of projectFiles.filter(place => path.basename(place) === 'package-lock.json')) {
  describe(file, () => {
    const { packages } = JSON.parse(read(file)) as { packages: Record<string, LockedPackage> }

    test('names no registry', () => assert.doesNotMatch(read(file), /"resolved": "https?:/))

    // npm leaves out what it could not find for another system, and then refuses to install from what it wrote.
    test('knows the builds for every system', () => {
      const known = Object.keys(packages)
      const wanted = Object.values(packages).flatMap(entry => Object.keys(entry.optionalDependencies ?? {}))
      assert.deepEqual(
        wanted.filter(name => !known.some(place => place.endsWith(`node_modules/${name}`))),
        [],
      )
    })
  })
}
