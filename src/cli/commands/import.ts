/** pugmark import */
import type { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import { requireSiteById } from '../../accounts/sites.ts'
import { createDetector } from '../../detection/create-detector.ts'
import { planOf, type Site } from '../../domain/account.ts'
import { openCountries } from '../../ingest/country.ts'
import {
  formatNames,
  type ImportParts,
  type ImportReport,
  importLogs,
  type MalformedLine,
} from '../../ingest/import-log.ts'
import {
  type CliContext,
  type OpenedParts,
  print,
  type SharedOptions,
  shared,
  withStores,
} from '../cli-context.ts'
import { openProgress } from '../progress.ts'
import { WrongUsage } from '../wrong-usage.ts'

interface ImportCommandOptions extends SharedOptions {
  readonly site: string
  readonly format: string
  readonly follow?: boolean
}

export function importCommand(context: CliContext): Command {
  return shared(
    new Command('import'),
    'pugmark import /var/log/nginx/access.log* --site site_4Tq0vJmYb2xKc8RzLw1N\nzcat old.gz | pugmark import - --site site_4Tq0vJmYb2xKc8RzLw1N',
  )
    .description(
      'Import access logs into a site. A line that was imported before is not counted again, whatever its file is called.',
    )
    .argument('<files...>', 'plain, gzip or Zstandard; - is standard input')
    .requiredOption('--site <siteId>', 'the site of the logs')
    .option('--format <format>', `auto, ${formatNames.join(', ')}`, 'auto')
    .option('--follow', 'go on with new lines, across rotation, until Ctrl-C')
    .action((files: string[], options: ImportCommandOptions) => {
      if (options.format !== 'auto' && !formatNames.includes(options.format)) {
        throw new WrongUsage(
          `--format is ${options.format}; it must be auto or one of ${formatNames.join(', ')}.`,
        )
      }
      return withStores(context, options, opened => importFiles(context, opened, files, options))
    })
}

async function importFiles(
  context: CliContext,
  opened: OpenedParts,
  sources: readonly string[],
  options: ImportCommandOptions,
): Promise<void> {
  keepMemorySmall()
  opened.stores.prepareRecording()
  const parts = await importParts(context, opened, await requireSiteById(opened, options.site))
  const follow = options.follow === true
  const progress = openProgress(context.stderr)
  try {
    const report = await importLogs(parts, {
      sources,
      format: options.format,
      follow,
      signal: context.stop,
      onProgress: progress.advance,
      onMalformed: line => progress.note(malformedText(line)),
    })
    progress.end()
    print(context, options, report, reportText(report))
  } finally {
    progress.end()
  }
  if (context.stop.aborted && !follow) {
    throw new Error('Stopped before the end. Run the same command again to go on from there.')
  }
}

/**
 * A line leaves only garbage behind. By default V8 lets such garbage fill some 260 MiB before it collects it, which makes an import larger but
 * no faster. V8 reads these flags each time before it lets memory grow, so they may be set here.
 */
function keepMemorySmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=30')
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}

async function importParts(
  context: CliContext,
  { config, stores, clock }: OpenedParts,
  site: Site,
): Promise<ImportParts> {
  const account = await stores.accounts.findAccount(site.accountId)
  if (account === null) throw new Error(`The account of the site ${site.id} was removed.`)
  return {
    store: stores.events,
    detector: createDetector({ excludedBots: new Set(config.excludedBots) }),
    countryOf: openCountries(),
    clock,
    stdin: context.stdin as Readable,
    site,
    account: account.number,
    monthlyLimit: planOf(config.plans, account).eventsPerMonth,
  }
}

const malformedText = ({ name, number, text }: MalformedLine): string =>
  `${name}, line ${number} is malformed (further ones are only counted): ${text}`

const count = (value: number, one: string, many = `${one}s`): string =>
  `${value.toLocaleString('en')} ${value === 1 ? one : many}`

function reportText({
  files,
  lines,
  recorded,
  ignored,
  malformed,
  duplicate,
  seconds,
}: ImportReport): string {
  const reasons = Object.entries(ignored).sort(([, a], [, b]) => b - a)
  const ignoredLines = reasons.reduce((sum, [, value]) => sum + value, 0)
  return [
    `Read ${count(lines, 'line')} of ${count(files, 'file')} in ${seconds.toFixed(1)} s.`,
    `  recorded   ${count(recorded.bot, 'bot visit')}, ${count(recorded.referral, 'referral')}`,
    `  ignored    ${count(ignoredLines, 'line')}`,
    ...reasons.map(([reason, value]) => `    ${reason.padEnd(17)} ${value.toLocaleString('en')}`),
    `  duplicate  ${count(duplicate, 'line')}`,
    `  malformed  ${count(malformed, 'line')}`,
  ].join('\n')
}
