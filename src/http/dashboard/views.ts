/** Defines the schemas of requests and answers of the dashboard. The client of the dashboard is generated from them. */
import Type, { type Static, type TSchema } from 'typebox'
import { keptDrainKinds } from '../../accounts/drains.ts'
import { type IgnoreReason, ignoreReasons } from '../../detection/detector.ts'
import { scopes } from '../../domain/account.ts'
import { drainKinds, eventTypes, sources } from '../../domain/event.ts'
import { planNames } from '../../domain/plan.ts'

const oneOf = <const Names extends readonly string[]>(names: Names) =>
  Type.Unsafe<Names[number]>(Type.Enum([...names]))
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Count = Type.Integer({ minimum: 0 })
const TimeMs = Type.Integer({ description: 'Milliseconds since 1970 UTC.' })
const Password = Type.String({ maxLength: 1_000 })

export const Plan = oneOf(planNames)
const Scope = oneOf(scopes)

export const Credentials = Type.Object({ email: Type.String({ maxLength: 254 }), password: Password })
export const PasswordChange = Type.Object({ current: Password, next: Password })
export const AccountRemoval = Type.Object({ password: Password })
export const Domain = Type.Object({ domain: Type.String({ minLength: 1, maxLength: 500 }) })
export const NewKey = Type.Object({
  name: Type.String({ maxLength: 100 }),
  scopes: Type.Array(Scope, { minItems: 1, maxItems: 2 }),
})
export const PlanChange = Type.Object({ plan: Plan })
export const UserRemoval = Type.Object({ email: Type.String({ maxLength: 254 }) })

/** Of changes that leave nothing to say. */
export const Done = Type.Object({})

export const SiteView = Type.Object({
  id: Type.String(),
  domain: Type.String(),
  key: Type.String({ description: 'Public tracking key.' }),
  eventsThisMonth: Count,
  createdAt: TimeMs,
})
export type SiteView = Static<typeof SiteView>

export const DashboardState = Type.Object({
  needsOwner: Type.Boolean({ description: 'Nobody owns this instance yet.' }),
  signupOpen: Type.Boolean(),
  version: Type.String(),
  catalogueVersion: Type.String(),
  supportEmail: nullable(Type.String()),
  account: nullable(
    Type.Object({
      email: Type.String(),
      plan: Plan,
      isOwner: Type.Boolean(),
      hourly: Type.Boolean({ description: 'Whether the plan has hourly series.' }),
    }),
  ),
  sites: Type.Array(SiteView, { description: 'Oldest first.' }),
})
export type DashboardState = Static<typeof DashboardState>

export const KeyView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  lastFour: Type.String(),
  scopes: Type.Array(Scope),
  createdAt: TimeMs,
  lastUsedAt: nullable(TimeMs),
  revokedAt: nullable(TimeMs),
})
export type KeyView = Static<typeof KeyView>

export const MadeKey = Type.Object({ key: KeyView, secret: Type.String() })
export type MadeKey = Static<typeof MadeKey>

export const NewDrain = Type.Object({
  kind: oneOf(keptDrainKinds),
  proof: nullable(
    Type.String({
      maxLength: 200,
      description: 'What the service asks of the address to prove whose it is.',
    }),
  ),
})
export const DrainView = Type.Object({
  id: Type.String(),
  kind: oneOf(drainKinds),
  proof: nullable(Type.String()),
  createdAt: TimeMs,
})
export type DrainView = Static<typeof DrainView>
export const MadeDrain = Type.Object({
  drain: DrainView,
  secret: nullable(Type.String({ description: 'Told this once; null for services that do not sign.' })),
})
export type MadeDrain = Static<typeof MadeDrain>

export const UsageView = Type.Object({
  month: Type.String({ description: 'As YYYY-MM.' }),
  used: Count,
  limit: nullable(Count),
  requestsPerMinute: Count,
  removedSites: Type.Integer({ description: 'What was recorded for sites that are gone.' }),
})
export type UsageView = Static<typeof UsageView>

export const UserView = Type.Object({
  id: Type.String(),
  email: Type.String(),
  plan: Plan,
  isOwner: Type.Boolean(),
  createdAt: TimeMs,
  sites: Type.Array(Type.String()),
  eventsThisMonth: Count,
  limit: nullable(Count),
})
export type UserView = Static<typeof UserView>

export const EventView = Type.Object({
  id: Type.Integer(),
  position: Type.String({ description: 'Names the event to the route that explains it.' }),
  type: oneOf(eventTypes),
  name: Type.String(),
  company: Type.String(),
  path: Type.String(),
  country: Type.String(),
  at: TimeMs,
  value: nullable(Type.Number()),
})
export type EventView = Static<typeof EventView>

export const EventPageView = Type.Object({
  events: Type.Array(EventView),
  next: nullable(Type.String({ description: 'Null when nothing follows.' })),
})
export type EventPageView = Static<typeof EventPageView>

export const ExplanationView = Type.Object({
  event: EventView,
  source: oneOf(sources),
  seenBy: Type.Array(oneOf(sources), { description: 'Every source that reported the same request.' }),
  userAgent: nullable(Type.String()),
  referrerHost: nullable(Type.String()),
  status: nullable(Type.Integer()),
  bytes: nullable(Type.Integer()),
  durationMs: nullable(Type.Integer()),
  rule: nullable(Type.String()),
  catalogueVersion: nullable(Type.String()),
  assistant: nullable(
    Type.String({ description: 'Of a conversion: the assistant that brought the visitor.' }),
  ),
  landing: nullable(
    Type.String({ description: 'Of a conversion: path of the page where that visit began.' }),
  ),
  /** What today's catalogue knows of the name. */
  entry: nullable(
    Type.Object({
      purpose: nullable(Type.String()),
      confidence: Type.String(),
      docs: nullable(Type.String()),
      notes: nullable(Type.String()),
    }),
  ),
  /** What today's catalogue makes of the same user agent: a name, or null when it finds no bot in it. */
  today: nullable(Type.Object({ catalogueVersion: Type.String(), bot: nullable(Type.String()) })),
})
export type ExplanationView = Static<typeof ExplanationView>

export const LiveMessage = Type.Object({
  revision: Type.Integer({
    description: 'Changes whenever any number of the site may have changed.',
  }),
  events: Type.Array(EventView, {
    description: 'Those that are new, oldest first; the newest of them when there are many.',
  }),
  skipped: Type.Integer({ description: 'How many more there were.' }),
})
export type LiveMessage = Static<typeof LiveMessage>

export const UploadReport = Type.Object({
  files: Count,
  lines: Count,
  recorded: Type.Object({ bot: Count, referral: Count }),
  /** Only the reasons that occurred. */
  ignored: Type.Unsafe<Partial<Record<IgnoreReason, number>>>(
    Type.Partial(Type.Object(Object.fromEntries(ignoreReasons.map(reason => [reason, Count])))),
  ),
  malformed: Count,
  duplicate: Type.Integer({ description: 'Lines that an earlier import had dealt with.' }),
  seconds: Type.Number(),
  firstMalformed: nullable(Type.Object({ number: Type.Integer(), text: Type.String() })),
})
export type UploadReport = Static<typeof UploadReport>
