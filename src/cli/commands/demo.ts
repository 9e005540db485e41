/** pugmark demo */
import { Command } from 'commander'
import { addKey } from '../../accounts/api-keys.ts'
import { Sessions } from '../../accounts/sessions.ts'
import { addSite } from '../../accounts/sites.ts'
import { addUser, Refusal } from '../../accounts/users.ts'
import { createDetector } from '../../detection/create-detector.ts'
import { dayMs, dayOf, formatDay } from '../../domain/date-range.ts'
import { newPassword } from '../../domain/ids.ts'
import {
  type CliContext,
  type OpenedParts,
  print,
  type SharedOptions,
  shared,
  withStores,
} from '../cli-context.ts'
import { demoDays, demoDomain, demoTraffic } from '../demo-traffic.ts'

const demoEmail = 'demo@pugmark.example'

export function demoCommand(context: CliContext): Command {
  return shared(new Command('demo'), 'pugmark demo\npugmark user remove demo@pugmark.example')
    .description(`Add an account with a site and ${demoDays} days of made-up traffic, to look around.`)
    .action((options: SharedOptions) =>
      withStores(context, options, async parts => {
        const made = await makeDemo(parts)
        const { host, port } = parts.config
        const start = formatDay(dayOf(context.clock()) - 30)
        const curl = `curl -H 'Authorization: Bearer ${made.key}' 'http://${host}:${port}/api/v1/sites/${made.site}/stats?start=${start}'`
        const text = `Added ${demoEmail} with the site ${demoDomain} and ${made.events} events.\n\nsite      ${made.site}\nkey       ${made.key}\npassword  ${made.password}\n\n${curl}\n\nTo look at it in a browser: npm start, then sign in at http://${host}:${port}/ as ${demoEmail} with this password.`
        print(context, options, { email: demoEmail, ...made, curl }, text)
      }),
    )
}

async function makeDemo(
  parts: OpenedParts,
): Promise<{ site: string; key: string; password: string; events: number }> {
  if (await parts.stores.accounts.findAccountByEmail(demoEmail)) {
    throw new Refusal(`The demo is there already. To have it anew: pugmark user remove ${demoEmail}`)
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
