/** Defines query parameters by schemas. Errors name the parameter, its value and the accepted values. */
import Type, { type Static, type TInteger, type TLiteral, type TUnion } from 'typebox'
import { decodeCursor } from '../domain/cursor.ts'
import { type DateRange, formatDay, lastDay, parseDateRange } from '../domain/date-range.ts'
import { AppError } from '../domain/errors.ts'
import type { EventListQuery } from '../storage/event-store.ts'

export type RawQuery = Readonly<Record<string, unknown>>

const rangeProperties = {
  start: Type.Optional(
    Type.String({
      format: 'date',
      description: 'First UTC day, inclusive, as YYYY-MM-DD; seven days before today when left out.',
    }),
  ),
  end: Type.Optional(
    Type.String({ format: 'date', description: 'Last UTC day, inclusive; today when left out.' }),
  ),
}

const granularity = Type.Union([Type.Literal('day'), Type.Literal('hour')], {
  default: 'day',
  description: '`hour` needs a plan with hourly series (Pro).',
})
const type = Type.Union([Type.Literal('bot'), Type.Literal('referral'), Type.Literal('conversion')], {
  description: 'One type only; all when left out.',
})
const limit = Type.Integer({
  minimum: 1,
  maximum: 1000,
  default: 100,
  description: 'Most events in the answer.',
})

export const RangeQuery = Type.Object(rangeProperties)
export const TimeseriesQuery = Type.Object({ ...rangeProperties, granularity: Type.Optional(granularity) })
export const AttributionQuery = Type.Object({
  ...rangeProperties,
  limit: Type.Optional({ ...limit, description: 'Most entries of each list.' }),
})
export const EventsQuery = Type.Object({
  ...rangeProperties,
  type: Type.Optional(type),
  limit: Type.Optional(limit),
  cursor: Type.Optional(
    Type.String({
      description:
        '`next_cursor` of the page before. It goes on with the filters that it was made with; filters beside it must be the same.',
    }),
  ),
})

/** Throws INVALID_DATE_RANGE. */
export const readRange = (query: RawQuery, now: number): DateRange => parseDateRange(query, now)

export const readGranularity = (query: RawQuery): Static<typeof granularity> =>
  readChoice(query, 'granularity', granularity) ?? 'day'

export const readType = (query: RawQuery): Static<typeof type> | null => readChoice(query, 'type', type)

export const readLimit = (query: RawQuery): number => readInteger(query, 'limit', limit)

/**
 * What a page of the list of events is about. A cursor brings the filters that it was made with; those that are given beside it
 * must be the same. Throws INVALID_DATE_RANGE and INVALID_PARAMETER.
 */
export function readListQuery(query: RawQuery, now: number): EventListQuery {
  const limit = readLimit(query)
  if (query.cursor === undefined)
    return { range: readRange(query, now), type: readType(query), after: null, limit }
  const cursor = typeof query.cursor === 'string' ? decodeCursor(query.cursor) : null
  if (!cursor) throw invalid('cursor', query.cursor, 'the next_cursor of an earlier answer, given once')
  const { range, type, position } = cursor
  const made = { start: formatDay(range.start), end: formatDay(range.end), type: type ?? 'left out' }
  const isOther = {
    // A day by itself, so that one that is no day is told as such.
    start:
      query.start !== undefined &&
      readRange({ start: query.start, end: lastDayText }, now).start !== range.start,
    end: query.end !== undefined && readRange({ start: firstDayText, end: query.end }, now).end !== range.end,
    type: query.type !== undefined && readType(query) !== type,
  }
  for (const name of ['start', 'end', 'type'] as const) {
    if (isOther[name])
      throw invalid(name, query[name], `${made[name]}, since the cursor was made with it, or left out`)
  }
  return { range, type, after: position, limit }
}

const firstDayText = formatDay(0)
const lastDayText = formatDay(lastDay)

export function readChoice<Choice extends string>(
  query: RawQuery,
  name: string,
  schema: TUnion<TLiteral<Choice>[]>,
): Choice | null {
  const value = query[name]
  if (value === undefined) return null
  const choices = schema.anyOf.map(literal => literal.const)
  const choice = choices.find(known => known === value)
  if (choice === undefined) throw invalid(name, value, `one of ${choices.join(', ')}, given once`)
  return choice
}

function readInteger(query: RawQuery, name: string, schema: TInteger): number {
  const {
    minimum,
    maximum,
    default: fallback,
  } = schema as { minimum?: number; maximum?: number; default?: number }
  const value = query[name]
  if (value === undefined) return fallback!
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  if (number >= minimum! && number <= maximum!) return number
  throw invalid(name, value, `an integer from ${minimum} to ${maximum}, given once`)
}

export function invalid(name: string, value: unknown, accepted: string): AppError {
  const got = Array.isArray(value) ? `given ${value.length} times` : JSON.stringify(value).slice(0, 100)
  return new AppError('INVALID_PARAMETER', `${name} is ${got}; it must be ${accepted}.`)
}
