/** Defines the query parameters of breakdowns: the dimension, and the filters that combine. */
import Type from 'typebox'
import { BotPurpose } from '../detection/catalogue/schema.ts'
import { AppError } from '../domain/errors.ts'
import { nameLengthMax, pathLengthMax } from '../domain/event.ts'
import { Dimension, dimensions } from '../reports/breakdown.ts'
import type { ReportFilter } from '../reports/known-names.ts'
import { EventsQuery, invalid, RangeQuery, type RawQuery, readChoice, readType } from './query.ts'

const text = (description: string, maxLength = nameLengthMax) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))

export const FilterQuery = Type.Object({
  type: EventsQuery.properties.type,
  bot: text('Only this bot.'),
  source: text('Only this assistant.'),
  event: text('Only conversions of this name.'),
  company: text('Only bots and assistants of this company.'),
  purpose: Type.Optional({ ...BotPurpose, description: 'Only bots of this purpose.' }),
  page: text('Only this page path.', pathLengthMax),
  country: text('Only this country, as ISO code in capitals.'),
})

export const BreakdownQuery = Type.Object({
  dimension: Dimension,
  ...RangeQuery.properties,
  ...FilterQuery.properties,
  limit: EventsQuery.properties.limit,
})

/** Throws INVALID_PARAMETER. */
export function readDimension(query: RawQuery): Dimension {
  const choice = readChoice(query, 'dimension', Dimension as never)
  if (choice !== null) return choice as Dimension
  throw new AppError('INVALID_PARAMETER', `dimension is missing; it must be one of ${dimensions.join(', ')}.`)
}

/** Throws INVALID_PARAMETER. */
export function readFilter(query: RawQuery): ReportFilter {
  const purpose = readChoice(query, 'purpose', BotPurpose as never)
  return {
    type: readType(query),
    bot: readText(query, 'bot', nameLengthMax),
    source: readText(query, 'source', nameLengthMax),
    event: readText(query, 'event', nameLengthMax),
    company: readText(query, 'company', nameLengthMax),
    purpose,
    page: readText(query, 'page', pathLengthMax),
    country: readText(query, 'country', nameLengthMax),
  }
}

function readText(query: RawQuery, name: string, lengthMax: number): string | null {
  const value = query[name]
  if (value === undefined) return null
  if (typeof value === 'string' && value.length >= 1 && value.length <= lengthMax) return value
  throw invalid(name, value, `a text of 1 to ${lengthMax} characters, given once`)
}
