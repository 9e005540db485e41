/** pugmark demo */
import { isIPv6 } from 'node:net'
import { Command } from 'commander'
import { addKey } from '../../accounts/api-keys.ts'
import { Sessions } from '../../accounts/sessions.ts'
import { addSite } from '../../accounts/sites.ts'
import { addUser, Refusal } from '../../accounts/users.ts'
import { createDetector } from '../../detection/create-detector.ts'
import { dayMs, dayOf, formatDay } from '../../domain/date-range.ts'
import { newPassword } from '../../domain/ids.ts'
import type { Config } from '../../server/config.ts'
import {
  type CliContext,
  type OpenedParts,
  print,
  type SharedOptions,
  shared,
  withStores,
} from '../cli-context.ts'
import { demoDays, demoDomain, demoTraffic } from '../demo-traffic.ts'
import { findServer, reachable } from '../server-address.ts'

const demoEmail = 'demo@pugmark.example'

export function demoCommand(context: CliContext): Command {
  return shared(new Command('demo'), 'pugmark demo\npugmark user remove demo@pugmark.example')
    .description(`Add an account with a site and ${demoDays} days of made-up traffic.`)
    .action((options: SharedOptions) =>
      withStores(context, options, async parts => {
        const made = await makeDemo(parts)
        const running = await findServer(parts.config.data)
        const url = running ?? addressOf(parts.config)
        const start = formatDay(dayOf(context.clock()) - 30)
        const curl = `curl -H 'Authorization: Bearer ${made.key}' '${url}/api/v1/sites/${made.site}/stats?start=${start}'`
        const text = `Added ${demoEmail} with the site ${demoDomain} and ${made.events.toLocaleString('en')} events.

site      ${made.site}
key       ${made.key}
password  ${made.password}

${running === null ? 'No server is running on this data folder. Start one: npx pugmark serve\nThen sign' : 'Sign'} in at ${url}/ as ${demoEmail} with this password.
Or ask the API:

${curl}`
        print(context, options, { email: demoEmail, ...made, url, running: running !== null, curl }, text)
      }),
    )
}

/** Where a server will listen that is started with these settings. */
function addressOf({ host, port }: Config): string {
  const address = `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
  return reachable(address) ?? address
}

async function makeDemo(
  parts: OpenedParts,
): Promise<{ site: string; key: string; password: string; events: number }> {
  if (await parts.stores.accounts.findAccountByEmail(demoEmail)) {
    throw new Refusal(
      `The demo exists already. To make a new one, first run: pugmark user remove ${demoEmail}`,
    )
  }
  const account = await addUser(parts, demoEmail, 'pro')
  const password = newPassword()
  await new Sessions(parts.stores.accounts).setPassword(account, password)
  const site = await addSite(parts, account, demoDomain)
  const { secret } = await addKey(parts, account, { name: 'demo', scopes: ['read', 'write'] })
  const now = parts.clock()
  const detector = createDetector({ excludedBots: new Set() })
  let events = 0
  for (let day = dayOf(now) - demoDays + 1; day <= dayOf(now); day++) {
    const batch = demoTraffic(detector, day, demoDays - 1 - (dayOf(now) - day)).filter(
      event => event.createdAt <= now,
    )
    await parts.stores.events.append({
      site: site.number,
      account: account.number,
      events: batch,
      now: Math.min(now, (day + 1) * dayMs),
      monthlyLimit: null,
    })
    events += batch.length
  }
  return { site: site.id, key: secret, password, events }
}
