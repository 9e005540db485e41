/** Lists all settings in one typed table. Only this file reads them from the environment. */
import { isIP } from 'node:net'
import { unknownBotNames } from '../detection/create-detector.ts'
import { defaultPlans, type Plan, type PlanName, type PlanTable, planNames } from '../domain/plan.ts'

export interface Config {
  /** Folder of all data. */
  readonly data: string
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly logLevel: LogLevel
  /** Addresses of the proxies whose X-Forwarded-For header is trusted. */
  readonly trustProxy: readonly string[]
  readonly plans: PlanTable
  /** Names of catalogue bots that do not count as AI. */
  readonly excludedBots: readonly string[]
  readonly supportEmail: string | null
  /** Whether anybody may make an account. The owner can make the first one in both cases. */
  readonly signup: 'closed' | 'open'
  /** Bounds the memory for answers and totals. */
  readonly cacheBytes: number
}

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface Setting {
  readonly name: string
  readonly what: string
  /** In the form of the environment; empty means "none". */
  readonly default: string
  /** Throws an Error whose message completes the sentence "it must be". */
  readonly parse: (text: string) => unknown
}

export const settings = [
  setting('PUGMARK_DATA', 'Folder of all data.', './data', required),
  setting('PUGMARK_HOST', 'Address to listen on; 0.0.0.0 is every IPv4 address.', '127.0.0.1', required),
  setting('PUGMARK_PORT', 'Port to listen on; 0 picks a free one.', '8787', integer(0, 65_535)),
  setting('PUGMARK_LOG_LEVEL', `One of ${logLevels.join(', ')}.`, 'info', oneOf(logLevels)),
  setting(
    'PUGMARK_TRUST_PROXY',
    'Proxies in front whose X-Forwarded-For is believed: addresses, networks, or loopback, linklocal, uniquelocal, separated by commas.',
    '',
    proxies,
  ),
  ...planNames.flatMap(planSettings),
  setting(
    'PUGMARK_EXCLUDED_BOTS',
    'Bots of the catalogue that do not count as AI here, separated by commas, such as Applebot,PetalBot.',
    '',
    bots,
  ),
  setting('PUGMARK_SUPPORT_EMAIL', 'Shown in errors that only the operator can help with.', '', optional),
  setting(
    'PUGMARK_SIGNUP',
    'Whether anybody may make an account in the dashboard once it has an owner: closed or open.',
    'closed',
    oneOf(['closed', 'open']),
  ),
  setting(
    'PUGMARK_CACHE_MIB',
    'Memory for answers and totals that are asked for often, in MiB.',
    '128',
    integer(1, 65_536),
  ),
] satisfies Setting[]

/** Settings of the trackers in docs/trackers. A tracker and the server may share one environment, so these are not errors here. */
const settingsOfTrackers = ['PUGMARK_URL', 'PUGMARK_SITE', 'PUGMARK_KEY']

/** Reads all settings. Throws one Error that lists every problem on a line of its own. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const values = new Map<string, unknown>()
  const problems: string[] = []
  for (const { name, default: fallback, parse } of settings) {
    const text = environment[name] ?? fallback
    try {
      values.set(name, parse(text))
    } catch (error) {
      problems.push(`${name} is ${JSON.stringify(text)}; it must be ${(error as Error).message}.`)
    }
  }
  const known = new Set<string>([...settings.map(({ name }) => name), ...settingsOfTrackers])
  for (const name of Object.keys(environment)) {
    if (name.startsWith('PUGMARK_') && !known.has(name)) problems.push(`${name} is not a setting of Pugmark.`)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const value = <Value>(name: string): Value => values.get(name) as Value
  return {
    data: value('PUGMARK_DATA'),
    host: value('PUGMARK_HOST'),
    port: value('PUGMARK_PORT'),
    logLevel: value('PUGMARK_LOG_LEVEL'),
    trustProxy: value('PUGMARK_TRUST_PROXY'),
    plans: Object.fromEntries(planNames.map(plan => [plan, readPlan(plan, value)])) as unknown as PlanTable,
    excludedBots: value('PUGMARK_EXCLUDED_BOTS'),
    supportEmail: value('PUGMARK_SUPPORT_EMAIL'),
    signup: value('PUGMARK_SIGNUP'),
    cacheBytes: value<number>('PUGMARK_CACHE_MIB') * 2 ** 20,
  }
}

function setting(name: string, what: string, fallback: string, parse: (text: string) => unknown): Setting {
  return { name, what, default: fallback, parse }
}

function planPrefix(plan: PlanName): string {
  return `PUGMARK_PLAN_${plan.toUpperCase()}`
}

function planSettings(plan: PlanName): Setting[] {
  const { requestsPerMinute, hourlySeries, eventsPerMonth } = defaultPlans[plan]
  const prefix = planPrefix(plan)
  return [
    setting(
      `${prefix}_REQUESTS_PER_MINUTE`,
      `Reads a minute of a ${plan} account.`,
      String(requestsPerMinute),
      integer(1, 1e9),
    ),
    setting(
      `${prefix}_EVENTS_PER_MONTH`,
      `Events a ${plan} account may record in a UTC month, or unlimited.`,
      eventsPerMonth === null ? 'unlimited' : String(eventsPerMonth),
      integerOrUnlimited,
    ),
    setting(
      `${prefix}_HOURLY_SERIES`,
      `Whether a ${plan} account has hourly time series.`,
      String(hourlySeries),
      trueOrFalse,
    ),
  ]
}

function readPlan(plan: PlanName, value: <Value>(name: string) => Value): Plan {
  const prefix = planPrefix(plan)
  return {
    requestsPerMinute: value(`${prefix}_REQUESTS_PER_MINUTE`),
    hourlySeries: value(`${prefix}_HOURLY_SERIES`),
    eventsPerMonth: value(`${prefix}_EVENTS_PER_MONTH`),
  }
}

function required(text: string): string {
  if (text.trim() === '') throw new Error('set to a value, or not set at all')
  return text
}

function optional(text: string): string | null {
  return text.trim() || null
}

function list(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

function bots(text: string): string[] {
  const names = list(text)
  const unknown = unknownBotNames(names)
  if (unknown.length > 0)
    throw new Error(`names of bots in the catalogue, which does not have ${unknown.join(', ')}`)
  return names
}

function integer(least: number, most: number): (text: string) => number {
  return text => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) throw new Error(`a whole number from ${least} to ${most}`)
    return value
  }
}

function integerOrUnlimited(text: string): number | null {
  if (text === 'unlimited') return null
  try {
    return integer(0, 1e15 - 1)(text)
  } catch {
    throw new Error('a whole number, or unlimited')
  }
}

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('true or false')
  return text === 'true'
}

function oneOf(choices: readonly string[]): (text: string) => string {
  return text => {
    if (!choices.includes(text)) throw new Error(`one of ${choices.join(', ')}`)
    return text
  }
}

function proxies(text: string): string[] {
  const addresses = list(text)
  const isProxy = (address: string) =>
    ['loopback', 'linklocal', 'uniquelocal'].includes(address) ||
    isIP(address.replace(/\/\d{1,3}$/, '')) !== 0
  if (!addresses.every(isProxy))
    throw new Error('addresses, networks such as 10.0.0.0/8, or names of networks, separated by commas')
  return addresses
}
