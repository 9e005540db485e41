/** The package as its users get it, and the guides as they paste them: packed, installed, type-checked and run. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startProcess } from '../support/child-processes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Collector } from './collector.ts'
import { enginesFolder, installEngines, node18, program } from './engines.ts'
import { request } from './request.ts'

await installEngines()
const run = promisify(execFile)
const root = path.join(import.meta.dirname, '../..')
const guidesFolder = path.join(root, 'docs/trackers')
const project = temporaryFolder()
const installed = path.join(project, 'node_modules/pugmark-trackers')

interface Block {
  readonly guide: string
  readonly language: string
  readonly text: string
}

/** Every block of code in the guides that is a whole file. */
const blocks: Block[] = []

before(async () => {
  const { stdout } = await run('npm', ['pack', './trackers', '--pack-destination', project], { cwd: root })
  await writeFile(path.join(project, 'package.json'), '{ "type": "module", "private": true }')
  const archive = `./${stdout.trim().split('\n').at(-1)}`
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: project })
  for (const name of ['express', 'fastify', 'hono', 'koa', '@hono', '@types']) {
    await symlink(path.join(enginesFolder, 'node_modules', name), path.join(project, 'node_modules', name))
  }
  await cp(path.join(root, 'trackers/src'), path.join(project, 'pugmark'), { recursive: true })
  for (const guide of await readdir(guidesFolder)) {
    const page = await readFile(path.join(guidesFolder, guide), 'utf8')
    for (const [, language, text] of page.matchAll(/^```(js|ts)\n(.*?)^```$/gms)) {
      if (text!.includes('import ')) blocks.push({ guide, language: language!, text: text! })
    }
  }
})

test('the package has no dependencies, and every entry loads on Node 18', async () => {
  const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'))
  assert.deepEqual(
    Object.keys(manifest).filter(key => /dependencies/i.test(key)),
    [],
  )
  const entries = Object.keys(manifest.exports).map(entry => entry.replace('.', 'pugmark-trackers'))
  const code = entries.map(entry => `await import('${entry}')`).join('\n')
  await run(node18, ['--input-type=module', '-e', code], { cwd: project })
})

describe('the guides', { concurrency: 3 }, () => {
  test('have one page for every entry of the package, and the index leads to each', async () => {
    const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'))
    const index = await readFile(path.join(guidesFolder, 'README.md'), 'utf8')
    const pages = ['browser', ...Object.keys(manifest.exports).flatMap(entry => entry.split('/')[1] ?? [])]
    assert.deepEqual(
      (await readdir(guidesFolder)).sort(),
      ['README.md', ...pages.map(page => `${page}.md`)].sort(),
    )
    for (const page of pages) assert.ok(index.includes(`(${page}.md)`), page)
  })

  test('have code that fits the types of the package and of the frameworks', async () => {
    const folder = path.join(project, 'guides')
    await mkdir(folder)
    await symlink(path.join(project, 'pugmark'), path.join(folder, 'pugmark'))
    const globals = 'declare const Deno: any\ndeclare const Bun: any\ndeclare const Netlify: any\n'
    await writeFile(path.join(folder, 'globals.d.ts'), globals)
    const files = blocks.map(({ guide, language }, i) => `${i}-${guide.replace('.md', '')}.${language}`)
    for (const [i, { text }] of blocks.entries()) await writeFile(path.join(folder, files[i]!), text)
    const compilerOptions = {
      ...{
        allowJs: true,
        checkJs: true,
        strict: true,
        noImplicitAny: false,
        noEmit: true,
        skipLibCheck: true,
      },
      ...{ target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom'], types: ['node'] },
      typeRoots: [path.join(root, 'node_modules/@types')],
    }
    const include = ['globals.d.ts', ...files]
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
    assert.ok(files.length >= 13, files.join())
    await run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch(
      (error: { stdout: string }) => assert.fail(error.stdout),
    )
  })

  const programs: Record<string, readonly string[]> = {
    express: [process.execPath],
    fastify: [process.execPath],
    hono: [process.execPath],
    koa: [process.execPath],
    node: [process.execPath],
    deno: [program('deno'), 'run', '--allow-net', '--allow-env'],
    bun: [program('bun'), 'run'],
  }
  for (const [name, [command, ...argv]] of Object.entries(programs)) {
    test(`have code for ${name} that runs as it is pasted, and delivers when it is told to stop`, async t => {
      const collector = await new Collector().start()
      t.after(() => collector.stop())
      const port = await freePort()
      const block = blocks.find(({ guide }) => guide === `${name}.md`)!
      const file = path.join(project, `${name}-main.js`)
      await writeFile(file, block.text.replace('3000', String(port)))
      const { child, exit } = startProcess(command!, [...argv, file], {
        cwd: project,
        env: { ...process.env, PUGMARK_URL: collector.url, PUGMARK_SITE: 'site_a', PUGMARK_KEY: 'pug_a' },
      })
      t.after(() => child.kill('SIGKILL'))
      assert.match((await requestOnceUp(port)).body, /^Hello/)
      child.kill('SIGTERM')
      assert.deepEqual(await exit, { code: 0, signal: null })
      assert.equal(collector.hits[0]?.url, '/')
    })
  }
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

async function requestOnceUp(port: number) {
  for (let patience = 200; ; patience--) {
    try {
      return await request(port, '/')
    } catch (error) {
      if (patience === 0) throw error
      await sleep(25)
    }
  }
}
