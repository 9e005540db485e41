/** pugmark site add | list | remove */
import { Command } from 'commander'
import { addSite, removeSite, requireSiteById } from '../../accounts/sites.ts'
import { requireUser } from '../../accounts/users.ts'
import type { Site } from '../../domain/account.ts'
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

const shown = ({ id, domain, key, createdAt }: Site) => ({ id, domain, key, created_at: isoTime(createdAt) })

export function siteCommand(context: CliContext): Command {
  const command = withExample(
    new Command('site'),
    'pugmark site add example.com --user ann@example.com\npugmark site list',
  ).description('Manage sites: add, list, remove.')

  shared(command.command('add <domain>'), 'pugmark site add example.com --user ann@example.com')
    .description('Add a site to an account.')
    .requiredOption('--user <email>', 'the account')
    .action((domain: string, options: SharedOptions & { user: string }) =>
      withStores(context, options, async parts => {
        const site = await addSite(parts, await requireUser(parts, options.user), domain)
        print(
          context,
          options,
          shown(site),
          `Added ${site.domain} (${site.id}) with the tracking key ${site.key}.`,
        )
      }),
    )

  shared(command.command('list'), 'pugmark site list --user ann@example.com')
    .description('List the sites, oldest first.')
    .option('--user <email>', 'only the sites of this account')
    .action((options: SharedOptions & { user?: string }) =>
      withStores(context, options, async parts => {
        const account = options.user === undefined ? null : await requireUser(parts, options.user)
        const sites = await parts.stores.accounts.listSites(account?.id ?? null)
        const rows = sites.map(({ id, domain, key, createdAt }) => [id, domain, key, isoTime(createdAt)])
        print(context, options, sites.map(shown), table(['ID', 'DOMAIN', 'TRACKING KEY', 'CREATED'], rows))
      }),
    )

  shared(command.command('remove <siteId>'), 'pugmark site remove site_4Tq0vJmYb2xKc8RzLw1N')
    .description('Remove a site and all its events.')
    .action((siteId: string, options: SharedOptions) =>
      withStores(context, options, async parts => {
        const site = await requireSiteById(parts, siteId)
        await removeSite(parts, site)
        print(context, options, shown(site), `Removed ${site.domain} (${site.id}) and all its events.`)
      }),
    )
  return command
}
