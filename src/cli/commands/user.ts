/** pugmark user add | list | plan | password | remove */
import { Command } from 'commander'
import { Sessions } from '../../accounts/sessions.ts'
import { addUser, removeUser, requirePlanName, requireUser, setUserPlan } from '../../accounts/users.ts'
import type { Account } from '../../domain/account.ts'
import { newPassword } from '../../domain/ids.ts'
import { planNames } from '../../domain/plan.ts'
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

const shown = ({ id, email, plan }: Account) => ({ id, email, plan })

export function userCommand(context: CliContext): Command {
  const command = withExample(
    new Command('user'),
    'pugmark user add ann@example.com --plan pro\npugmark user list',
  ).description('Manage accounts: add, list, change the plan, set a password, remove.')

  shared(command.command('add <email>'), 'pugmark user add ann@example.com --plan pro')
    .description('Add an account.')
    .option('--plan <plan>', `one of ${planNames.join(', ')}`, 'free')
    .action((email: string, options: SharedOptions & { plan: string }) =>
      withStores(context, options, async parts => {
        const account = await addUser(parts, email, readPlan(options.plan))
        print(
          context,
          options,
          shown(account),
          `Added ${account.email} (${account.id}, plan ${account.plan}).`,
        )
      }),
    )

  shared(command.command('list'), 'pugmark user list')
    .description('List the accounts, oldest first.')
    .action((options: SharedOptions) =>
      withStores(context, options, async ({ stores }) => {
        const accounts = await stores.accounts.listAccounts()
        const rows = accounts.map(({ id, email, plan, createdAt }) => [id, email, plan, isoTime(createdAt)])
        print(context, options, accounts.map(shown), table(['ID', 'EMAIL', 'PLAN', 'CREATED'], rows))
      }),
    )

  shared(command.command('plan <email> <plan>'), 'pugmark user plan ann@example.com pro')
    .description('Change the plan of an account.')
    .action((email: string, plan: string, options: SharedOptions) =>
      withStores(context, options, async parts => {
        const account = await setUserPlan(parts, email, readPlan(plan))
        print(context, options, shown(account), `${account.email} is now on the plan ${account.plan}.`)
      }),
    )

  shared(command.command('password <email>'), 'pugmark user password ann@example.com')
    .description('Give an account a new random password for the dashboard. Its sessions end.')
    .action((email: string, options: SharedOptions) =>
      withStores(context, options, async parts => {
        const account = await requireUser(parts, email)
        const password = newPassword()
        await new Sessions(parts.stores.accounts).setPassword(account, password)
        print(
          context,
          options,
          { ...shown(account), password },
          `The new password of ${account.email} is ${password}`,
        )
      }),
    )

  shared(command.command('remove <email>'), 'pugmark user remove ann@example.com')
    .description('Remove an account, its sites and their events. Its keys then get USER_NOT_FOUND.')
    .action((email: string, options: SharedOptions) =>
      withStores(context, options, async parts => {
        const account = await requireUser(parts, email)
        await removeUser(parts, account)
        print(context, options, shown(account), `Removed ${account.email}, its sites and their events.`)
      }),
    )
  return command
}

function readPlan(text: string) {
  try {
    return requirePlanName(text)
  } catch (error) {
    throw new WrongUsage((error as Error).message)
  }
}
