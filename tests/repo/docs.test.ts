/** Holds the documentation to the code: the tree, links, commands, settings and errors are what they are said to be. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { errorCatalogue } from '../../src/domain/errors.ts'
import { settings } from '../../src/server/config.ts'
import { projectFiles, read, root } from './source-tree.ts'

const pages = projectFiles.filter(file => file.endsWith('.md'))

describe('the tree of docs/architecture.md', () => {
  const shown = readTree(read('docs/architecture.md'))

  test('shows every folder down to two levels, all of src, and none that is not there', () => {
    const real = new Set(projectFiles.flatMap(foldersAbove).filter(isShownFolder))
    assert.deepEqual(shown.filter(place => place.endsWith('/')).sort(), [...real].sort())
  })

  test('names files that exist, and every file that lies in src itself', () => {
    const files = shown.filter(place => !place.endsWith('/'))
    assert.deepEqual(
      files.filter(file => !projectFiles.includes(file)),
      [],
    )
    const inSrc = projectFiles.filter(file => /^src\/[^/]+$/.test(file) && !file.endsWith('.test.ts'))
    assert.deepEqual(
      inSrc.filter(file => !files.includes(file)),
      [],
    )
  })
})

/** The places in the first code block: two spaces of indent a level, a name, and after two spaces what it is for. */
function readTree(page: string): string[] {
  const block = /```\n(.*?)```/s.exec(page)?.[1] ?? ''
  const open: string[] = []
  return block
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [, indent, name] = /^( *)(\S+)/.exec(line)!
      open.splice(indent!.length / 2)
      open.push(name!)
      return open.join('')
    })
}

/** `a/b/c.ts` is below `a/` and `a/b/`. */
function foldersAbove(file: string): string[] {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}

const isShownFolder = (folder: string) => folder.startsWith('src/') || folder.split('/').length <= 3

describe('Markdown', () => {
  for (const page of pages) {
    test(`${page} links to files and headings that exist`, () => {
      const targets = Array.from(read(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => target!)
      const local = targets.filter(target => !/^[a-z]+:/.test(target))
      assert.deepEqual(
        local.filter(target => !leadsSomewhere(page, target)),
        [],
      )
    })

    test(`${page} names commands of npm that exist`, () => {
      const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
      const named = Array.from(read(page).matchAll(/(?:^|`)npm (?:run )?([a-z:-]+)/gm), ([, name]) => name!)
      const ownCommands = ['ci', 'pack', 'install', 'rebuild']
      assert.deepEqual(
        named.filter(name => !ownCommands.includes(name) && !(name in scripts)),
        [],
      )
    })
  }
})

function leadsSomewhere(page: string, target: string): boolean {
  const [place = '', heading] = target.split('#')
  const file = place === '' ? page : path.posix.join(path.posix.dirname(page), place)
  if (!existsSync(path.join(root, file))) return false
  return heading === undefined || headingsOf(file).includes(heading)
}

/** Anchors as code hosts make them: lower case, spaces to hyphens, other signs dropped. */
function headingsOf(page: string): string[] {
  const headings = Array.from(read(page).matchAll(/^#+ (.+)$/gm), ([, text]) => text!.toLowerCase())
  return headings.map(text => text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'))
}

test('docs/configuration.md lists every setting with its default and meaning, in the order of src/config.ts', () => {
  assert.deepEqual(
    tableRows('docs/configuration.md'),
    settings.map(({ name, default: fallback, what }) => [
      `\`${name}\``,
      fallback === '' ? 'none' : `\`${fallback}\``,
      what,
    ]),
  )
})

test('docs/api.md lists every error code with its status', () => {
  const rows = tableRows('docs/api.md').filter(([code]) => /^`[A-Z_]+`$/.test(code!))
  assert.deepEqual(
    Object.fromEntries(rows.map(([code, status]) => [code!.slice(1, -1), Number(status)])),
    Object.fromEntries(Object.entries(errorCatalogue).map(([code, { status }]) => [code, status])),
  )
})

test('docs/check.md lists every finding of pugmark check', () => {
  const sources = projectFiles.filter(file => file.startsWith('src/cli/check/') && !file.endsWith('.test.ts'))
  const codes = sources.flatMap(file =>
    Array.from(read(file).matchAll(/\bcode: '([a-z-]+)'/g), ([, code]) => code!),
  )
  const listed = tableRows('docs/check.md').flatMap(([cell]) =>
    Array.from(cell!.matchAll(/`([a-z-]+)`/g), ([, code]) => code!),
  )
  assert.deepEqual([...new Set(codes)].sort(), listed.sort())
})

/** Cells of all tables of a page, head rows left out. */
function tableRows(page: string): string[][] {
  const lines = read(page).split('\n')
  return lines
    .filter((line, index) => line.startsWith('|') && !isHead(line) && !isHead(lines[index + 1]))
    .map(line =>
      line
        .slice(1, -1)
        .split('|')
        .map(cell => cell.trim()),
    )
}

const isHead = (line: string | undefined) => /^\|[-|: ]+\|$/.test(line ?? '')
