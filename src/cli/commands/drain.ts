/** pugmark drain add | list | remove */
import { Argument, Command } from 'commander'
import {
  addDrain,
  type KeptDrainKind,
  keptDrainKinds,
  listDrains,
  removeDrain,
} from '../../accounts/drains.ts'
import { requireSiteById } from '../../accounts/sites.ts'
import type { Drain } from '../../domain/account.ts'
import {
  type CliContext,
  isoTime,
  print,
  type SharedOptions,
  shared,
  table,
  withExample,
  withStores,
} from '../cli-context.ts'

const shown = ({ id, siteId, kind, proof, createdAt }: Drain) => ({
  id,
  site: siteId,
  kind,
  proof,
  created_at: isoTime(createdAt),
})

export function drainCommand(context: CliContext): Command {
  const command = withExample(
    new Command('drain'),
    'pugmark drain add vercel --site site_4Tq0vJmYb2xKc8RzLw1N --proof 9d2b6c\npugmark drain list',
  ).description('Manage the log drains that need more than an API key (see docs/drains): add, list, remove.')

  shared(
    command.command('add'),
    'pugmark drain add vercel --site site_4Tq0vJmYb2xKc8RzLw1N --proof 9d2b6c\npugmark drain add fastly --site site_4Tq0vJmYb2xKc8RzLw1N --proof SU1Z0isxPaozGVKXdv0eY',
  )
    .description('Make a drain. If its service signs, the secret is shown only once.')
    .addArgument(new Argument('<kind>', 'the service').choices(keptDrainKinds))
    .requiredOption('--site <siteId>', 'the site of the logs')
    .option('--proof <text>', "Vercel's verification code, or the id of the Fastly service")
    .action((kind: KeptDrainKind, options: SharedOptions & { site: string; proof?: string }) =>
      withStores(context, options, async parts => {
        const site = await requireSiteById(parts, options.site)
        const { drain, secret } = await addDrain(parts, site, kind, options.proof ?? null)
        const path = `/drains/${kind}/${site.id}`
        const lines = [`Added ${drain.id}. Send its logs to ${path} on this server.`]
        if (secret !== null)
          lines.push(
            '',
            secret,
            '',
            'This secret is shown only this once. Enter it where the service asks for it.',
          )
        print(context, options, { ...shown(drain), path, secret }, lines.join('\n'))
      }),
    )

  shared(command.command('list'), 'pugmark drain list --site site_4Tq0vJmYb2xKc8RzLw1N')
    .description('List the drains, oldest first, without their secrets.')
    .option('--site <siteId>', 'only the drains of this site')
    .action((options: SharedOptions & { site?: string }) =>
      withStores(context, options, async parts => {
        const site = options.site === undefined ? null : await requireSiteById(parts, options.site)
        const drains = (await listDrains(parts, site)).map(shown)
        const rows = drains.map(drain => [
          drain.id,
          drain.kind,
          drain.site,
          drain.proof ?? '-',
          drain.created_at,
        ])
        print(context, options, drains, table(['ID', 'KIND', 'SITE', 'PROOF', 'CREATED'], rows))
      }),
    )

  shared(command.command('remove <drainId>'), 'pugmark drain remove drain_4Tq0vJmYb2xKc8RzLw1N')
    .description('Remove a drain. Deliveries that are signed with its secret are refused from now on.')
    .action((drainId: string, options: SharedOptions) =>
      withStores(context, options, async parts => {
        await removeDrain(parts, drainId)
        print(context, options, { id: drainId, removed: true }, `Removed ${drainId}.`)
      }),
    )
  return command
}
