/** Names for what the server answers with; what is in them comes from the generated schema. */
import type { operations } from './schema.ts'

type Operation = keyof operations

type AnswerOf<Name extends Operation> = operations[Name] extends {
  responses: { 200: { content: infer Content } }
}
  ? Content[keyof Content]
  : never

export type BodyOf<Name extends Operation> = operations[Name] extends {
  requestBody?: { content: { 'application/json': infer Body } }
}
  ? Body
  : never

export type QueryOf<Name extends Operation> = NonNullable<operations[Name]['parameters']['query']>

export type DashboardState = AnswerOf<'getState'>
export type Account = NonNullable<DashboardState['account']>
export type PlanName = Account['plan']
export type Site = DashboardState['sites'][number]
export type ApiKey = AnswerOf<'listKeys'>[number]
export type Scope = ApiKey['scopes'][number]
export type User = AnswerOf<'listUsers'>[number]
export type Overview = AnswerOf<'getOverview'>
export type EventPage = AnswerOf<'listEvents'>
export type SiteEvent = EventPage['events'][number]
export type EventType = SiteEvent['type']
export type EventExplanation = AnswerOf<'explainEvent'>
export type LiveMessage = AnswerOf<'followEvents'>
export type Drain = AnswerOf<'listDrains'>[number]
export type Attribution = AnswerOf<'getAttribution'>
export type Health = AnswerOf<'getHealth'>
export type SourceHealth = Health['sources'][number]
export type UploadReport = AnswerOf<'importLog'>
