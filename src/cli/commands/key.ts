/** pugmark key add | list | revoke */
import { Command } from 'commander'
import { addKey, revokeKey } from '../../accounts/api-keys.ts'
import { requireUser } from '../../accounts/users.ts'
import { type Scope, scopes } from '../../domain/account.ts'
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
import { WrongUsage } from '../wrong-usage.ts'

export function keyCommand(context: CliContext): Command {
  const command = withExample(
    new Command('key'),
    'pugmark key add --user ann@example.com --name reports --scope read\npugmark key list --user ann@example.com',
  ).description('Manage API keys: add, list, revoke.')

  shared(command.command('add'), 'pugmark key add --user ann@example.com --name reports --scope read')
    .description('Make an API key. It is shown only once.')
    .requiredOption('--user <email>', 'the account')
    .option('--name <name>', 'what the key is for', '')
    .option('--scope <scope>', 'read (default) or write; repeat the option for both', collect)
    .action((options: SharedOptions & { user: string; name: string; scope?: string[] }) =>
      withStores(context, options, async parts => {
        const { key, secret } = await addKey(parts, await requireUser(parts, options.user), {
          name: options.name,
          scopes: readScopes(options.scope ?? ['read']),
        })
        const text = `${secret}\n\nThis key (${key.id}, ${key.scopes.join(' and ')}) is shown only this once. Keep it like a password.`
        print(context, options, { id: key.id, key: secret, name: key.name, scopes: key.scopes }, text)
      }),
    )

  shared(command.command('list'), 'pugmark key list --user ann@example.com')
    .description('List the keys of an account, oldest first.')
    .requiredOption('--user <email>', 'the account')
    .action((options: SharedOptions & { user: string }) =>
      withStores(context, options, async parts => {
        const account = await requireUser(parts, options.user)
        const keys = await parts.stores.accounts.listKeys(account.id)
        const shown = keys.map(key => ({
          id: key.id,
          name: key.name,
          last_four: key.lastFour,
          scopes: key.scopes,
          created_at: isoTime(key.createdAt),
          last_used_at: key.lastUsedAt === null ? null : isoTime(key.lastUsedAt),
          revoked_at: key.revokedAt === null ? null : isoTime(key.revokedAt),
        }))
        const rows = shown.map(key => [
          ...[key.id, key.name || '-', `…${key.last_four}`, key.scopes.join(' '), key.created_at],
          ...[key.last_used_at ?? 'never', key.revoked_at ?? '-'],
        ])
        const header = ['ID', 'NAME', 'KEY', 'SCOPES', 'CREATED', 'LAST USED', 'REVOKED']
        print(context, options, shown, table(header, rows))
      }),
    )

  shared(command.command('revoke <keyId>'), 'pugmark key revoke key_4Tq0vJmYb2xKc8RzLw1N')
    .description('Revoke a key. Its next request is refused.')
    .action((keyId: string, options: SharedOptions) =>
      withStores(context, options, async parts => {
        await revokeKey(parts, keyId)
        print(context, options, { id: keyId, revoked: true }, `Revoked ${keyId}.`)
      }),
    )
  return command
}

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]

function readScopes(texts: readonly string[]): Scope[] {
  return [...new Set(texts)].map(text => {
    const scope = scopes.find(known => known === text)
    if (!scope)
      throw new WrongUsage(`${JSON.stringify(text)} is not a scope; scopes are ${scopes.join(' and ')}.`)
    return scope
  })
}
