/** The project's own files and what they refer to, for the tests that hold the repository together. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

export const root = path.join(import.meta.dirname, '../..')

/** All files of the project as paths from its root, in order; what .gitignore files name is left out. Needs no git. */
export const projectFiles: readonly string[] = walk('', ['.git']).sort()

function walk(folder: string, ignoredAbove: readonly string[]): string[] {
  const here = path.join(root, folder)
  const own = ignorePatterns(path.join(here, '.gitignore'))
  // A pattern that begins with a slash means a place from this folder on; any other, a name wherever it stands.
  const ignored = [
    ...ignoredAbove,
    ...own.map(pattern => (pattern.startsWith('/') ? path.posix.join('/', folder, pattern) : pattern)),
  ]
  return readdirSync(here, { withFileTypes: true }).flatMap(entry => {
    const place = path.posix.join(folder, entry.name)
    const isIgnored = (pattern: string) =>
      path.matchesGlob(pattern.startsWith('/') ? `/${place}` : entry.name, pattern)
    if (ignored.some(isIgnored)) return []
    return entry.isDirectory() ? walk(place, ignored) : [place]
  })
}

/** Our ignore files hold names, globs of names and places; nothing is taken back by `!`. */
function ignorePatterns(file: string): string[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter(line => line !== '' && !line.startsWith('#')).map(line => line.replace(/\/$/, ''))
}

export function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

export function filesUnder(folder: string, ...endings: string[]): string[] {
  return projectFiles.filter(
    file => file.startsWith(`${folder}/`) && endings.some(ending => file.endsWith(ending)),
  )
}

/**
 * Files that `file` names by a relative path in any string: imports, types, worker entries, programs and data alike. A name
 * whose ending is put together at run time counts as the source file.
 */
export function referencesOf(file: string): string[] {
  const names = read(file).matchAll(/(['"`])(\.{1,2}\/[^'"`\s]*|[\w./-]+\.[cm]?[jt]s)\1/g)
  return Array.from(names, ([, , name]) => resolveName(path.posix.dirname(file), name!)).filter(
    found => found !== undefined,
  )
}

function resolveName(folder: string, name: string): string | undefined {
  const plain = path.posix.join(folder, name.replace(/\$\{.*$/, ''))
  const endings = ['', '.ts', '.cjs', '.js']
  return endings.map(ending => plain + ending).find(place => isFile(place))
}

function isFile(place: string): boolean {
  return statSync(path.join(root, place), { throwIfNoEntry: false })?.isFile() ?? false
}

/** Everything reachable from `entries` through references, entries included. */
export function reachableFrom(entries: readonly string[]): Set<string> {
  const found = new Set(entries)
  for (const file of found) {
    if (!/\.[cm]?[jt]sx?$/.test(file)) continue
    for (const reference of referencesOf(file)) found.add(reference)
  }
  return found
}

/** Names of the packages and Node modules that `file` imports, without paths inside them. */
export function packagesOf(file: string): string[] {
  const specifiers = read(file).matchAll(
    /\b(?:from |import |import\(|require\(|require\.resolve\()(['"])([@\w][\w@./:-]*)\1/g,
  )
  return Array.from(specifiers, ([, , name]) => packageName(name!))
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
