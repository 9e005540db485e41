/** What every row of the benchmark is given: sizes, the trees to measure with their stored traffic, and where results go. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Fixture, type FixtureShape, loadFixture } from './fixture.ts'
import type { LoadClient } from './load.ts'
import { type Command, type ServerProcess, startServer } from './processes.ts'
import type { Result, Skipped } from './result.ts'
import type { Tree } from './tree.ts'

export interface Sizes {
  readonly rounds: number
  readonly secondsOfRound: number
  readonly fixtures: Readonly<Record<FixtureName, FixtureShape>>
  /** Lines of the logs that are imported: one, or a short and a long one. */
  readonly logLines: readonly number[]
}

/** Many sites; a twentieth of them; one site with many events; one with very many. */
export type FixtureName = 'many' | 'few' | 'one' | 'huge'

/** The share of the full sizes: 20 million events at 1. */
export function sizesOf(scale: number, rounds: number, secondsOfRound: number): Sizes {
  const each = Math.sqrt(scale)
  const sites = Math.max(20, Math.round(1_000 * each))
  const eventsPerSite = Math.max(200, Math.round(20_000 * each))
  const one = (events: number, pages: number): FixtureShape => ({
    sites: 1,
    eventsPerSite: Math.max(2_000, Math.round(events * scale)),
    days: 90,
    pages: Math.max(200, Math.round(pages * scale ** 0.7)),
  })
  return {
    rounds,
    secondsOfRound,
    fixtures: {
      many: { sites, eventsPerSite, days: 180 },
      few: { sites: Math.ceil(sites / 20), eventsPerSite, days: 180 },
      one: one(500_000, 23_000),
      huge: one(20_000_000, 100_000),
    },
    logLines: [1_000_000, 10_000_000].map(lines => Math.max(5_000, Math.round(lines * scale))),
  }
}

/** A tree with the traffic that was stored by it. */
export class Subject {
  readonly label: 'ours' | 'against'
  readonly tree: Tree
  readonly #folder: string
  readonly #sizes: Sizes
  readonly #progress: (text: string) => void
  readonly #loaded = new Map<FixtureName, Promise<Fixture>>()

  constructor(
    label: 'ours' | 'against',
    tree: Tree,
    { folder, sizes, progress }: Pick<Bench, 'folder' | 'sizes' | 'progress'>,
  ) {
    this.label = label
    this.tree = tree
    this.#folder = join(folder, label)
    this.#sizes = sizes
    this.#progress = progress
  }

  /** An empty data folder. */
  emptyFolder(name: string): string {
    const path = join(this.#folder, name)
    mkdirSync(path, { recursive: true })
    return path
  }

  /** Loaded at the first use. */
  fixture(name: FixtureName): Promise<Fixture> {
    const loaded =
      this.#loaded.get(name) ??
      loadFixture(this.tree, this.emptyFolder(name), this.#sizes.fixtures[name], share =>
        this.#progress(`${this.label}: loading traffic of '${name}', ${Math.round(share * 100)} %`),
      )
    this.#loaded.set(name, loaded)
    return loaded
  }
}

export interface Bench {
  readonly sizes: Sizes
  /** This tree, and the other one when there is one. */
  readonly subjects: readonly Subject[]
  /** For files of this run; removed at its end. */
  readonly folder: string
  /** The process that asks. */
  readonly client: LoadClient
  readonly progress: (text: string) => void
  readonly add: (result: Result | Skipped) => void
}

export interface RowBenchmark {
  /** The rows of the table that it fills. */
  readonly rows: readonly number[]
  run(bench: Bench, wanted: ReadonlySet<number>): Promise<void>
}

/** Node running a program of this folder. */
export const benchProgram = (program: string, ...args: readonly string[]): Command => ({
  file: process.execPath,
  args: [join(import.meta.dirname, program), ...args],
  folder: import.meta.dirname,
  environment: process.env,
})

export const startBare = (answerFile: string): Promise<ServerProcess> =>
  startServer(port => benchProgram('bare-server.ts', String(port), answerFile))

/** Runs `work` with a server of each subject on the traffic of that name, and ends the servers. */
export async function withServers<T>(
  { subjects }: Bench,
  name: FixtureName,
  work: (running: readonly Running[]) => Promise<T>,
): Promise<T> {
  const running: Running[] = []
  try {
    for (const subject of subjects) {
      const fixture = await subject.fixture(name)
      running.push({ subject, fixture, server: await subject.tree.serve(fixture.data) })
    }
    return await work(running)
  } finally {
    for (const { server } of running) await server.stop()
  }
}

export interface Running {
  readonly subject: Subject
  readonly fixture: Fixture
  readonly server: ServerProcess
}
